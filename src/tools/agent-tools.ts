import { isJsonObject, type JsonObject } from '../core/json.ts';
import { shown } from './option-checks.ts';
import type { Tool } from './tool.ts';

/** Documented by OpenAI for long; Anthropic names no number, but has a limit. */
const MAX_TOOLS = 128;

/**
 * The tools of an agent in the order in which they are sent, tool sets flattened, and everything
 * that is wrong with them together.
 */
export function collectTools(
  tools: unknown,
  hostedTools: readonly JsonObject[],
): { readonly tools: readonly Tool<never>[]; readonly problems: readonly string[] } {
  const collected: Tool<never>[] = [];
  const problems: string[] = [];
  const collect = (item: unknown, at: string): void => {
    if (Array.isArray(item)) item.forEach((member, n) => collect(member, `${at}[${n}]`));
    else if (isTool(item)) collected.push(item);
    else problems.push(`${at}: expected a tool that defineTool made, got ${shown(item)}`);
  };
  if (tools !== undefined && !Array.isArray(tools)) {
    problems.push(`tools: expected a list of tools, got ${shown(tools)}`);
  } else {
    collect(tools ?? [], 'tools');
  }
  const hosted = hostedTools.flatMap(hostedName);
  problems.push(...duplicates(collected, hosted));
  if (collected.length > MAX_TOOLS) {
    problems.push(
      `tools: expected at most ${MAX_TOOLS}, got ${collected.length}: model APIs take no more; split the agent`,
    );
  }
  return { tools: collected, problems };
}

function duplicates(tools: readonly Tool<never>[], hosted: readonly string[]): string[] {
  const problems = new Set<string>();
  const seen = new Set<string>();
  for (const { name } of tools) {
    if (seen.has(name)) problems.add(`tools: two tools have the name "${name}": rename one`);
    if (hosted.includes(name)) {
      problems.add(`tools: "${name}" is also the name of a hosted tool: rename yours`);
    }
    seen.add(name);
  }
  for (const [n, name] of hosted.entries()) {
    if (hosted.indexOf(name) < n) problems.add(`hostedTools: "${name}" is declared twice`);
  }
  return [...problems];
}

/** Providers declare a hosted tool by its name, or by its type alone. */
function hostedName(hosted: JsonObject): string[] {
  const name = hosted.name ?? hosted.type;
  return typeof name === 'string' ? [name] : [];
}

export function isTool(value: unknown): value is Tool<never> {
  return isJsonObject(value) && value.kind === 'tool' && typeof value.name === 'string';
}
