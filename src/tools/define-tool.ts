import { durationMs, type Duration } from '../core/duration.ts';
import type { Effect } from '../core/effect.ts';
import type { Json } from '../core/json.ts';
import { DefinitionError, subjectOf } from './definition-error.ts';
import { type AnySchema, freezeSchema, type OutputOf } from './schema/freeze-schema.ts';
import type {
  ApprovalOptions,
  CallInfo,
  ReconcileAnswer,
  RetryOptions,
  Tool,
  ToolContext,
} from './tool.ts';
import { toolOptionProblems } from './tool-options.ts';

export const DEFAULT_TOOL_TIMEOUT_MS = 60_000;
export const DEFAULT_MAX_RESULT_CHARS = 20_000;

/** What `inputSchema` of a tool may be: its root is an object. */
export type InputSchema = AnySchema<object>;

/** What a tool's author writes. `Deps` is what its code needs of `ctx.deps`. */
export interface ToolDefinition<Schema extends InputSchema = InputSchema, Deps = {}> {
  /** `^[A-Za-z0-9_-]{1,64}$`, one of its kind in an agent. */
  readonly name: string;
  /** What it does and when to use it; the model chooses by it. */
  readonly description: string;
  /** A zod object, another Standard Schema, or JSON Schema with an object root. */
  readonly inputSchema: Schema;
  /**
   * What it does to the world. `read`: nothing. `idempotent`: the same call twice is as good as
   * once. `once`: a second call would do it a second time. Decides retries, parallelism, danger.
   */
  readonly effect: Effect;
  /** Whether a person is asked before it runs; default false. A function gets what `execute` gets. */
  readonly needsApproval?:
    boolean | ((input: OutputOf<Schema>, info: CallInfo) => boolean | Promise<boolean>);
  /** Information for policies and people; default: whatever is not `read`. */
  readonly dangerous?: boolean;
  /** May run beside other calls of its batch; default: whatever is `read`. */
  readonly parallelSafe?: boolean;
  /** Whether `ctx.state` is filled with a copy of the shared state; default false. */
  readonly usesState?: boolean;
  readonly approval?: ApprovalOptions;
  /** Of one attempt; default 60 s, at most 24 days. */
  readonly timeout?: Duration;
  /** Of transient failures of `read` and `idempotent` tools. */
  readonly retry?: RetryOptions;
  /** Where its calls run, when not on the worker's own queue. */
  readonly taskQueue?: string;
  /** A conversation must have been granted all of them to see or call the tool. */
  readonly capabilities?: readonly string[];
  /** Longer results are cut for the model; default 20,000. */
  readonly maxResultChars?: number;
  /** `later`: `execute` hands out `ctx.completionToken`, and another service completes the call. */
  readonly completion?: 'return' | 'later';
  /** One line for approvers and the UI: what this call will do. */
  readonly summary?: (input: OutputOf<Schema>) => string;
  /** After a lost attempt of a `once` tool: whether the effect happened. Must have no effect itself. */
  readonly reconcile?: (
    input: OutputOf<Schema>,
    ctx: ToolContext<Deps>,
  ) => ReconcileAnswer | Promise<ReconcileAnswer>;
  /** Any JSON value, a string, or `toolOutput(value, …)`. Throw `ToolError` for a failure that you expect. */
  readonly execute: (input: OutputOf<Schema>, ctx: ToolContext<Deps>) => unknown;
}

/**
 * Defines a tool. The type of `execute`'s input comes from `inputSchema`; which dependencies it
 * needs from the type written at `ctx`: `ctx: ToolContext<{ db: Database }>`.
 * @throws {DefinitionError} with everything that is wrong with the definition
 */
export function defineTool<Schema extends InputSchema, Deps = {}>(
  definition: ToolDefinition<Schema, Deps>,
): Tool<Deps> {
  const frozen = freezeSchema(definition?.inputSchema, 'object');
  const problems = toolOptionProblems(definition, 'problems' in frozen ? frozen.problems : []);
  if (problems.length > 0 || 'problems' in frozen) {
    const subject = subjectOf('tool', definition);
    throw new DefinitionError(problems.map((problem) => `${subject}: ${problem}`));
  }
  return Object.freeze(withDefaults(definition, frozen));
}

function withDefaults<Schema extends InputSchema, Deps>(
  definition: ToolDefinition<Schema, Deps>,
  frozen: { readonly jsonSchema: Tool['inputSchema']; readonly parse: Tool['parse'] },
): Tool<Deps> {
  const { effect, approval, retry, taskQueue, summary, reconcile } = definition;
  return {
    kind: 'tool',
    name: definition.name,
    description: definition.description,
    inputSchema: frozen.jsonSchema,
    effect,
    needsApproval: definition.needsApproval ?? false,
    dangerous: definition.dangerous ?? effect !== 'read',
    parallelSafe: definition.parallelSafe ?? effect === 'read',
    timeoutMs: durationMs(definition.timeout) ?? DEFAULT_TOOL_TIMEOUT_MS,
    capabilities: Object.freeze([...(definition.capabilities ?? [])]),
    usesState: definition.usesState ?? false,
    completion: definition.completion ?? 'return',
    maxResultChars: definition.maxResultChars ?? DEFAULT_MAX_RESULT_CHARS,
    ...(retry === undefined ? {} : { retry: Object.freeze({ ...retry }) }),
    ...(taskQueue === undefined ? {} : { taskQueue }),
    ...(approval === undefined ? {} : { approval: structuredClone(approval) }),
    ...(summary === undefined ? {} : { summary }),
    ...(reconcile === undefined ? {} : { reconcile }),
    execute: definition.execute,
    parse: (input: Json) => frozen.parse(input),
  };
}
