const FENCE = '```';

/** What a Markdown fence holds that is the whole of a text; `undefined` when there is no such fence. */
export function insideFence(text: string): string | undefined {
  const trimmed = text.trim();
  const isFenced = trimmed.startsWith(FENCE) && trimmed.endsWith(FENCE);
  if (!isFenced || trimmed.length < 2 * FENCE.length) return undefined;
  return trimmed.slice(FENCE.length, -FENCE.length).replace(/^json/, '').trim();
}
