import { messageOf } from '../core/describe-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';

const SHOWN_CHARACTERS = 400;

export type ReadArguments =
  { readonly input: JsonObject } | { readonly input: JsonObject; readonly malformed: string };

/**
 * The arguments of a call, read strictly: cut or broken JSON is never mended, because what mends
 * (`rm -rf ./build/x`, cut) can be another valid call. Empty text is a call without arguments.
 */
export function readArguments(text: string): ReadArguments {
  if (text.trim() === '') return { input: {} };
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    const words = messageOf(error);
    return { input: {}, malformed: `the arguments are not valid JSON (${words}): ${shown(text)}` };
  }
  return isJsonObject(value)
    ? { input: value }
    : { input: {}, malformed: `expected a JSON object of arguments, got ${shown(text)}` };
}

function shown(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= SHOWN_CHARACTERS) return text;
  return `${characters.slice(0, SHOWN_CHARACTERS).join('')}… (${characters.length} characters)`;
}
