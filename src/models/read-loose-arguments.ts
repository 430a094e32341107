import { insideFence } from '../core/inside-fence.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { type ReadArguments, readArguments } from './read-arguments.ts';

/**
 * Arguments as servers and text models send them: text, an object, null, JSON in JSON, in a Markdown
 * fence, or with something after it. What is not one whole object is `malformed`, never mended.
 */
export function readLooseArguments(sent: Json | undefined): ReadArguments {
  if (sent === undefined || sent === null) return { input: {} };
  if (isJsonObject(sent)) return { input: sent };
  if (typeof sent !== 'string') return readArguments(JSON.stringify(sent));
  const strict = readArguments(sent);
  if (!('malformed' in strict)) return strict;
  const input = inString(sent) ?? objectInFence(sent) ?? withoutTail(sent);
  return input === undefined ? strict : { input };
}

/** `"{\"id\": 1}"` */
function inString(text: string): JsonObject | undefined {
  const value = parsed(text);
  return typeof value === 'string' ? objectIn(value) : undefined;
}

/** The object that a Markdown fence holds, and nothing else. */
export function objectInFence(text: string): JsonObject | undefined {
  const inside = insideFence(text);
  return inside === undefined ? undefined : objectIn(inside);
}

/** An object and then prose or an end mark. Two values leave open which one is meant. */
function withoutTail(text: string): JsonObject | undefined {
  const end = endOfObject(text);
  if (end === undefined || /[{["]/.test(text.slice(end))) return undefined;
  return objectIn(text.slice(0, end));
}

/** The position after the first object's closing brace. */
function endOfObject(text: string): number | undefined {
  let depth = 0;
  let inText = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (inText) {
      if (character === '\\') index += 1;
      else if (character === '"') inText = false;
    } else if (character === '"') {
      inText = true;
    } else if (character === '{') {
      depth += 1;
    } else if (character === '}') {
      depth -= 1;
      if (depth <= 0) return index + 1;
    }
  }
  return undefined;
}

function objectIn(text: string): JsonObject | undefined {
  const value = parsed(text);
  return isJsonObject(value) ? value : undefined;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
