import { isJsonObject } from '../core/json.ts';
import { expects, isText, listOf, type OptionCheck } from './option-checks.ts';

/** One model, or a list of them to fall back on. */
export const models: OptionCheck = (value) => {
  if (!Array.isArray(value)) return oneModel(value);
  if (value.length === 0) return ['expected at least one model, got an empty list'];
  return listOf(oneModel)(value);
};

export const oneModel: OptionCheck = expects(
  "a model such as anthropic('…'), or a list of them to fall back on",
  (value) =>
    isJsonObject(value) &&
    isText(value.id) &&
    isText(value.provider) &&
    isText(value.format) &&
    typeof (value as { complete?: unknown }).complete === 'function' &&
    typeof (value as { view?: unknown }).view === 'function',
);
