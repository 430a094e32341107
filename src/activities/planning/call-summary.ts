import { isJsonObject, type Json } from '../../core/json.ts';
import { previewOf } from '../../core/stored.ts';
import type { Tool } from '../../tools/tool.ts';
import { withinLimit } from './within-limit.ts';

const NAME_CHARACTERS = 64;
const ARGUMENT_CHARACTERS = 60;
const ARGUMENTS_SHOWN = 20;
const LONE_SURROGATE = /\p{Cs}/gu;

/**
 * One line, at most 200 characters, of what a call will do: the tool's own words, or its name and
 * arguments where it has none. Never throws: a summary is a courtesy, and a call that may run is not
 * held up by it.
 */
export async function callSummary(
  tool: string,
  input: Json,
  own: { readonly code: Tool<never> | undefined; readonly limitMs: number },
): Promise<string> {
  const { code, limitMs } = own;
  const summary = code?.summary;
  if (code === undefined || summary === undefined) return plainSummary(tool, input);
  try {
    const words: unknown = await withinLimit(limitMs, async () => {
      const parsed = await code.parse(input);
      // The tool's own schema made it: only the tool's author knows its type.
      return 'value' in parsed ? summary(parsed.value as never) : '';
    });
    if (typeof words !== 'string' || words.trim() === '') return plainSummary(tool, input);
    return previewOf(words.replace(LONE_SURROGATE, '\uFFFD'));
  } catch {
    return plainSummary(tool, input);
  }
}

/** `refund(order: "A-1", amount: 12)` */
export function plainSummary(tool: string, input: Json): string {
  const line = `${previewOf(tool, NAME_CHARACTERS)}(${argumentsOf(input)})`;
  return previewOf(line.replace(LONE_SURROGATE, '\uFFFD'));
}

function argumentsOf(input: Json): string {
  if (!isJsonObject(input)) return shortForm(input);
  return Object.entries(input)
    .slice(0, ARGUMENTS_SHOWN)
    .map(([name, value]) => `${previewOf(name, 40)}: ${shortForm(value)}`)
    .join(', ');
}

function shortForm(value: Json): string {
  if (Array.isArray(value)) return `[${value.length}]`;
  if (isJsonObject(value)) return '{…}';
  return typeof value === 'string'
    ? JSON.stringify(previewOf(value, ARGUMENT_CHARACTERS))
    : JSON.stringify(value);
}
