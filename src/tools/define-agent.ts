import type { Duration } from '../core/duration.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { DEFAULT_LIMITS, type Limits, type OnLimit } from '../core/limits.ts';
import type { Model } from '../models/model.ts';
import type { Agent, InstructionsInfo, Policy } from './agent.ts';
import { agentOptionProblems } from './agent-options.ts';
import { collectTools } from './agent-tools.ts';
import {
  type CompactionOptions,
  DEFAULT_COMPACTION,
  type OnCompact,
} from './compaction-options.ts';
import { DefinitionError, subjectOf } from './definition-error.ts';
import type { DepsOfTools, ToolItem } from './deps-of.ts';
import { type AnySchema, freezeSchema } from './schema/freeze-schema.ts';
import { modelsTogether } from './model-checks.ts';
import type { ApprovalOptions, Tool } from './tool.ts';

export const DEFAULT_MAX_PARALLEL = 8;
export const DEFAULT_MODEL_PATIENCE: Duration = '15 minutes';

/** What an agent's author writes. */
export interface AgentDefinition<Tools extends readonly ToolItem[] = readonly ToolItem[]> {
  /** The workflow type: `^[A-Za-z][A-Za-z0-9_-]{0,63}$`. */
  readonly name: string;
  /** `anthropic('…')` and friends, or a list: the first is tried, the next is the fallback. */
  readonly model: Model | readonly Model[];
  /** Text, or code that makes it: evaluated once per conversation, and then frozen. */
  readonly instructions: string | ((info: InstructionsInfo) => string | Promise<string>);
  /** Tools and tool sets, in the order in which models see them. */
  readonly tools?: Tools;
  /** What the provider runs itself, in its own form: sent to the first model, and to others of its format. */
  readonly hostedTools?: readonly JsonObject[];
  /** What a starter's `context` must be. */
  readonly contextSchema?: AnySchema;
  /** What a starter's `state` must be. */
  readonly stateSchema?: AnySchema;
  /** What the final answer must be; its root is an object. */
  readonly output?: AnySchema;
  /** `approve`: a person is asked for every call that is not `read`. Default `policy`. */
  readonly control?: 'policy' | 'approve';
  /** Asked about every call that is known, held and valid. Has 10 s, and no effects. */
  readonly policy?: Policy;
  /** Of all its calls; a tool's own options go before. */
  readonly approval?: ApprovalOptions;
  readonly limits?: Partial<Limits>;
  /** What a reached limit does; default `partial`. */
  readonly onLimit?: OnLimit;
  /** Calls of one batch at once; default 8. */
  readonly maxParallel?: number;
  /** Parallel-safe calls start as soon as they are allowed, not when the whole batch is; default false. */
  readonly runAsDecided?: boolean;
  /** Tokens of context above which the transcript is compacted; default: only when the model refuses. */
  readonly contextBudget?: number;
  /** How the transcript is shown shorter then. */
  readonly compaction?: CompactionOptions;
  /** A strategy of one's own. Has 60 s and no effects; one that fails is as if there were none. */
  readonly onCompact?: OnCompact;
  /** How long transient failures of the model are put up with; default 15 minutes. */
  readonly modelPatience?: Duration;
  /** Passed on in the provider's own words; with models of several formats, each has its own instead. */
  readonly modelOptions?: JsonObject;
  /**
   * What a running conversation does with a changed agent: `keep` (default) goes on with what it began
   * with, `adopt` reads the agent anew before each turn. One that fails then is not adopted: a note says why.
   */
  readonly onAgentChange?: 'keep' | 'adopt';
}

/**
 * Defines an agent. It runs nothing: register it with a worker. The type tells which dependencies
 * its tools need together.
 * @throws {DefinitionError} with everything that is wrong with the definition
 */
export function defineAgent<const Tools extends readonly ToolItem[] = readonly []>(
  definition: AgentDefinition<Tools>,
): Agent<DepsOfTools<Tools>> {
  const written: { readonly [option: string]: unknown } = isJsonObject(definition)
    ? definition
    : {};
  const hosted = Array.isArray(written.hostedTools) ? written.hostedTools.filter(isJsonObject) : [];
  const { tools, problems: ofTools } = collectTools(written.tools, hosted);
  const problems = [...agentOptionProblems(definition), ...ofTools];
  if (problems.length === 0) {
    const { modelOptions } = definition;
    problems.push(
      ...modelsTogether({
        models: modelsOf(definition),
        hasTools: tools.length > 0,
        hasHostedTools: hosted.length > 0,
        modelOptions,
      }),
    );
  }
  if (problems.length > 0) {
    const subject = subjectOf('agent', definition);
    throw new DefinitionError(problems.map((problem) => `${subject}: ${problem}`));
  }
  return Object.freeze(withDefaults(definition, tools)) as unknown as Agent<DepsOfTools<Tools>>;
}

function withDefaults(definition: AgentDefinition, tools: readonly Tool<never>[]): Agent<never> {
  const { policy, approval, contextBudget, onCompact } = definition;
  return {
    kind: 'agent',
    name: definition.name,
    models: modelsOf(definition),
    instructions: definition.instructions,
    tools,
    hostedTools: structuredClone(definition.hostedTools ?? []),
    ...frozen('contextSchema', definition.contextSchema),
    ...frozen('stateSchema', definition.stateSchema),
    ...frozen('output', definition.output),
    control: definition.control ?? 'policy',
    ...(policy === undefined ? {} : { policy }),
    ...(approval === undefined ? {} : { approval: structuredClone(approval) }),
    limits: { ...DEFAULT_LIMITS, ...given(definition.limits ?? {}) },
    onLimit: definition.onLimit ?? 'partial',
    maxParallel: definition.maxParallel ?? DEFAULT_MAX_PARALLEL,
    runAsDecided: definition.runAsDecided ?? false,
    ...(contextBudget === undefined ? {} : { contextBudget }),
    compaction: { ...DEFAULT_COMPACTION, ...given(definition.compaction ?? {}) },
    ...(onCompact === undefined ? {} : { onCompact }),
    modelPatience: definition.modelPatience ?? DEFAULT_MODEL_PATIENCE,
    modelOptions: structuredClone(definition.modelOptions ?? {}),
    onAgentChange: definition.onAgentChange ?? 'keep',
  };
}

function modelsOf({ model }: AgentDefinition): readonly Model[] {
  return Array.isArray(model) ? [...(model as readonly Model[])] : [model as Model];
}

function frozen<Option extends string>(
  option: Option,
  schema: AnySchema | undefined,
): { readonly [name in Option]?: JsonObject } {
  if (schema === undefined) return {};
  const made = freezeSchema(schema, 'any');
  if ('problems' in made) throw new DefinitionError(made.problems);
  return { [option]: made.jsonSchema } as { readonly [name in Option]: JsonObject };
}

/** Options that are there but undefined count as not there. */
function given<Options extends object>(options: Options): Options {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as Options;
}
