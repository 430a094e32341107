import { isJsonObject, type Json } from '../../core/json.ts';

/**
 * The words of an assistant's turn in a provider's own form, as far as they can be told without the
 * adapter that made it: for display only.
 */
export function textOfRaw(raw: Json): string {
  if (typeof raw === 'string') return raw;
  if (Array.isArray(raw)) {
    const texts = (raw as readonly Json[]).map((block) => {
      if (typeof block === 'string') return block;
      const text = isJsonObject(block) ? block['text'] : undefined;
      return typeof text === 'string' ? text : '';
    });
    return texts.filter((text) => text !== '').join('\n');
  }
  if (!isJsonObject(raw)) return '';
  const content = raw['content'] ?? raw['text'];
  return content === undefined ? '' : textOfRaw(content);
}
