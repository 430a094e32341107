import { Context } from '@temporalio/activity';
import type { ModelOutput } from '../../core/activity-shapes.ts';
import { ACTIVITIES } from '../../core/names.ts';
import type { PerdureConfig } from '../../define-config.ts';
import type { Model } from '../../models/model.ts';
import type { Agent } from '../../tools/agent.ts';
import type { Tool, ToolContext } from '../../tools/tool.ts';
import type { WorkerInternals } from '../../worker.ts';
import type { EffectClass, KillPoint } from './kill-points.ts';
import type { PointLine } from './point-line.ts';

/** The same agents, whose models and tools say where they are before they go on. */
export function instrumentAgents(config: PerdureConfig, line: PointLine): PerdureConfig {
  const agents = config.agents.map((agent): Agent<never> => ({
    ...agent,
    models: agent.models.map((model) => instrumentModel(model, line)),
    tools: agent.tools.map((tool) => instrumentTool(tool, line)),
  }));
  return { ...config, agents };
}

export function effectClassOf({ effect, reconcile }: Tool<never>): EffectClass {
  return effect === 'once' && reconcile !== undefined ? 'once, reconciles' : effect;
}

/** What every attempt passes before and after it does anything, within its place in the ledger. */
export function aroundAttempts(
  agents: readonly Agent<never>[],
  line: PointLine,
): NonNullable<WorkerInternals['around']> {
  const classes = new Map(
    agents.flatMap(({ tools }) => tools.map((tool) => [tool.name, effectClassOf(tool)] as const)),
  );
  return async (attempt) => {
    const { activityType } = Context.current().info;
    const effect = classes.get(activityType);
    const point = (when: 'before' | 'after') => ({
      ...pointOf(when, activityType, effect !== undefined),
      ...(effect === undefined ? {} : { effect }),
    });
    await line.reach({ phase: 'begin', ...point('before') });
    try {
      const output = await attempt();
      await line.reach({ phase: 'end', ...point('after'), ...factsOf(activityType, output) });
      return output;
    } catch (error) {
      await line.reach({ phase: 'end' });
      throw error;
    }
  };
}

function pointOf(
  when: 'before' | 'after',
  activityType: string,
  isTool: boolean,
): { readonly point?: KillPoint } {
  if (isTool) return { point: `${when} tool` };
  if (activityType === ACTIVITIES.model) return { point: `${when} model` };
  return activityType === ACTIVITIES.segment ? { point: `${when} segment` } : {};
}

function factsOf(activityType: string, output: unknown) {
  if (activityType !== ACTIVITIES.model) return {};
  const { plan } = output as ModelOutput;
  const asks = plan.filter(({ verdict }) => verdict === 'ask').map(({ key }) => key);
  return { asks, ends: plan.length === 0 };
}

function instrumentModel(model: Model, line: PointLine): Model {
  const complete: Model['complete'] = async (request, options) => {
    await line.reach({ point: 'in model' });
    return model.complete(request, options);
  };
  return new Proxy(model, {
    get(target, property) {
      if (property === 'complete') return complete;
      const value: unknown = Reflect.get(target, property);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

function instrumentTool(tool: Tool<never>, line: PointLine): Tool<never> {
  const effect = effectClassOf(tool);
  const { reconcile } = tool;
  return {
    ...tool,
    async execute(input, ctx) {
      const { idempotencyKey: key } = ctx as ToolContext;
      await line.reach({ point: 'before effect', effect, key, execution: 'begun' });
      try {
        const output: unknown = await tool.execute(input, ctx);
        await line.reach({ point: 'after effect', effect, key, execution: 'done' });
        return output;
      } catch (error) {
        await line.reach({ key, execution: 'threw' });
        throw error;
      }
    },
    ...(reconcile === undefined
      ? {}
      : {
          async reconcile(input, ctx) {
            const { idempotencyKey: key } = ctx as ToolContext;
            await line.reach({ point: 'in reconcile', key });
            const answer = await reconcile(input, ctx);
            await line.reach({ key, reconciled: answer.status });
            return answer;
          },
        }),
  };
}
