import { isJsonObject } from '../core/json.ts';
import type { limitsSchema } from '../core/limits.ts';
import { agentNameProblem } from '../core/names.ts';
import { approvalOptions } from './approval-checks.ts';
import { compactionOptions } from './compaction-options.ts';
import { models } from './model-checks.ts';
import {
  code,
  expects,
  flag,
  isText,
  jsonObject,
  listOf,
  oneOf,
  type OptionCheck,
  optional,
  optionProblems,
  options,
  type OptionTable,
  positiveCount,
  positiveDuration,
  positiveNumber,
  shown,
} from './option-checks.ts';
import { freezeSchema } from './schema/freeze-schema.ts';

const name: OptionCheck = (value) => {
  const problem = agentNameProblem(value);
  return problem === undefined ? [] : [problem];
};

const instructions = expects(
  'text that is not empty, or a function (info) => text',
  (value) => typeof value === 'function' || isText(value),
);

const anySchema: OptionCheck = (value) => {
  const frozen = freezeSchema(value, 'any');
  return 'problems' in frozen ? frozen.problems : [];
};

/** The final answer is an object where providers are to enforce it. */
const objectSchema: OptionCheck = (value) => {
  const frozen = freezeSchema(value, 'object');
  return 'problems' in frozen ? frozen.problems : [];
};

const limitChecks: {
  readonly [limit in keyof ReturnType<typeof limitsSchema>['shape']]: OptionCheck;
} = {
  maxSteps: optional(positiveCount),
  deadline: optional(positiveDuration),
  maxTokens: optional(positiveCount),
  maxCost: optional(positiveNumber),
  maxCalls: optional(positiveCount),
  maxDepth: optional(
    expects('a whole number of at least 0', (value) => {
      return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
    }),
  ),
  maxOutputTokens: optional(positiveCount),
};

/** `tools` is checked where it is flattened. */
const AGENT_OPTIONS: OptionTable = {
  name,
  model: models,
  instructions,
  tools: () => [],
  hostedTools: optional(listOf(jsonObject)),
  contextSchema: optional(anySchema),
  stateSchema: optional(anySchema),
  output: optional(objectSchema),
  control: optional(oneOf('policy', 'approve')),
  policy: optional(code),
  approval: optional(approvalOptions),
  limits: optional(options(limitChecks)),
  onLimit: optional(oneOf('partial', 'wrapUp', 'fail', 'ask')),
  maxParallel: optional(positiveCount),
  runAsDecided: optional(flag),
  contextBudget: optional(positiveCount),
  compaction: optional(compactionOptions),
  onCompact: optional(code),
  modelPatience: optional(positiveDuration),
  modelOptions: optional(jsonObject),
  onAgentChange: optional(oneOf('keep', 'adopt')),
};

/** What others call these options. */
const OTHER_WORDS = {
  models: 'model',
  prompt: 'instructions',
  system: 'instructions',
  systemPrompt: 'instructions',
  outputSchema: 'output',
  outputType: 'output',
  toolset: 'tools',
  maxSteps: 'limits.maxSteps',
  maxTurns: 'limits.maxSteps',
  maxIterations: 'limits.maxSteps',
  maxTokens: 'limits.maxTokens',
  maxOutputTokens: 'limits.maxOutputTokens',
  keepSteps: 'compaction.keepSteps',
  approvalTimeout: 'approval.timeout',
  temperature: 'modelOptions',
  providerOptions: 'modelOptions',
};

/** Everything that is wrong with an agent's options, its tools apart. */
export function agentOptionProblems(definition: unknown): string[] {
  if (!isJsonObject(definition)) return [`expected an object of options, got ${shown(definition)}`];
  return optionProblems(AGENT_OPTIONS, definition, OTHER_WORDS);
}
