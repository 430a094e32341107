import { EFFECTS } from '../core/effect.ts';
import { isJsonObject } from '../core/json.ts';
import { toolNameProblem } from '../core/names.ts';
import { approvalOptions } from './approval-checks.ts';
import {
  code,
  expects,
  flag,
  isText,
  listOf,
  oneOf,
  type OptionCheck,
  optional,
  optionProblems,
  options,
  type OptionTable,
  positiveCount,
  positiveDuration,
  shortDuration,
  shown,
  text,
} from './option-checks.ts';

const name: OptionCheck = (value) => {
  const problem = toolNameProblem(value);
  return problem === undefined ? [] : [problem];
};

const description = expects('text that tells the model what it does and when to use it', isText);

const effect: OptionCheck = (value) =>
  EFFECTS.some((word) => word === value)
    ? []
    : [
        `expected one word that says what it does to the world, got ${shown(value)}: 'read' (changes nothing: may run again and beside others), 'idempotent' (the same call twice is as good as once: may run again with the same key), 'once' (a second run would do it a second time: never runs again)`,
      ];

const execute: OptionCheck = (value) =>
  typeof value === 'function'
    ? []
    : [`expected a function (input, ctx) => result, got ${shown(value)}`];

const needsApproval = expects(
  'true, false or a function (input, info) => boolean',
  (value) => typeof value === 'boolean' || typeof value === 'function',
);

const retry = options({
  attempts: optional(positiveCount),
  initialInterval: optional(positiveDuration),
  backoff: optional(
    expects('a number of at least 1', (value) => {
      return typeof value === 'number' && Number.isFinite(value) && value >= 1;
    }),
  ),
  maximumInterval: optional(positiveDuration),
});

const TOOL_OPTIONS: OptionTable = {
  name,
  description,
  inputSchema: () => [],
  effect,
  needsApproval: optional(needsApproval),
  dangerous: optional(flag),
  parallelSafe: optional(flag),
  usesState: optional(flag),
  approval: optional(approvalOptions),
  timeout: optional(shortDuration),
  retry: optional(retry),
  taskQueue: optional(text),
  capabilities: optional(listOf(text)),
  maxResultChars: optional(positiveCount),
  completion: optional(oneOf('return', 'later')),
  summary: optional(code),
  reconcile: optional(code),
  execute,
};

/** What others call these options. */
const OTHER_WORDS = {
  handler: 'execute',
  run: 'execute',
  call: 'execute',
  parameters: 'inputSchema',
  schema: 'inputSchema',
  input: 'inputSchema',
  args: 'inputSchema',
  title: 'name',
  requireApproval: 'needsApproval',
  requiresApproval: 'needsApproval',
  timeoutMs: 'timeout',
  retries: 'retry',
  retryPolicy: 'retry',
  queue: 'taskQueue',
};

/**
 * Everything that is wrong with a tool's options.
 * @param ofSchema what was found wrong with its schema as that was frozen
 */
export function toolOptionProblems(definition: unknown, ofSchema: readonly string[]): string[] {
  if (!isJsonObject(definition)) return [`expected an object of options, got ${shown(definition)}`];
  const table = { ...TOOL_OPTIONS, inputSchema: () => ofSchema };
  const options: { readonly [option: string]: unknown } = definition;
  const problems = optionProblems(table, options, OTHER_WORDS);
  if (options.effect === 'once' && options.retry !== undefined) {
    problems.push(
      "retry: a 'once' tool never runs again: leave it out, or say effect: 'idempotent' if the service takes ctx.idempotencyKey",
    );
  }
  return problems;
}
