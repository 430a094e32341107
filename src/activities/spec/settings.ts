import { durationMs } from '../../core/duration.ts';
import type { Settings } from '../../core/spec.ts';
import type { Agent } from '../../tools/agent.ts';
import type { ActivityEnvironment } from '../environment.ts';
import { approvalSettings } from './approval-settings.ts';

/** By what the workflow decides: from the agent, and from the worker that begins the conversation. */
export function settingsOf(agent: Agent<never>, environment: ActivityEnvironment): Settings {
  const models = agent.models.map(({ id }) => id);
  const taskQueues = Object.entries(environment.modelTaskQueues).filter(([model]) =>
    models.includes(model),
  );
  return {
    agent: agent.name,
    models,
    tools: agent.tools.map(({ name, effect }) => ({ name, effect })),
    limits: agent.limits,
    onLimit: agent.onLimit,
    maxParallel: agent.maxParallel,
    runAsDecided: agent.runAsDecided,
    approval: approvalSettings(agent.approval),
    ...(agent.contextBudget === undefined ? {} : { contextBudget: agent.contextBudget }),
    modelPatienceMs: durationMs(agent.modelPatience) ?? 0,
    onAgentChange: agent.onAgentChange,
    searchAttributes: environment.searchAttributes,
    heartbeatTimeoutMs: environment.heartbeatTimeoutMs,
    inlineLimitBytes: environment.inlineLimitBytes,
    ...(taskQueues.length === 0 ? {} : { modelTaskQueues: Object.fromEntries(taskQueues) }),
    ...(environment.keepTranscripts ? { keepTranscripts: true } : {}),
    handOver: environment.handOver,
  };
}
