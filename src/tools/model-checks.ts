import { isJsonObject } from '../core/json.ts';
import type { Model } from '../models/model.ts';
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

/** What the models of one agent cannot all do. */
export function modelsTogether(definition: {
  readonly models: readonly Model[];
  readonly hasTools: boolean;
  readonly hasHostedTools: boolean;
  readonly modelOptions: unknown;
}): readonly string[] {
  const { models: all, hasTools, hasHostedTools, modelOptions } = definition;
  const problems = all
    .filter(({ capabilities }) => hasTools && capabilities?.tools === false)
    .map(
      ({ id }) =>
        `model: "${id}" takes no tools, and the agent has some: wrap it, textProtocol(model)`,
    );
  // Models of other formats than the first's are not sent them.
  const hosts = all.filter(({ format }) => hasHostedTools && format === all[0]?.format);
  for (const { id, capabilities } of hosts) {
    if (capabilities?.hostedTools !== false) continue;
    problems.push(`hostedTools: the model "${id}" has none: leave them out, or take another model`);
  }
  const formats = [...new Set(all.map(({ format }) => format))];
  if (formats.length > 1 && isJsonObject(modelOptions) && Object.keys(modelOptions).length > 0) {
    problems.push(
      `modelOptions: they are sent in one provider's own words, and the models are of several (${formats.join(', ')}): give each model its own modelOptions`,
    );
  }
  return problems;
}
