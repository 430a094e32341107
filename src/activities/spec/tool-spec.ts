import { durationMs } from '../../core/duration.ts';
import { DEFAULT_RETRY, type RetrySettings, type ToolSpec } from '../../core/spec.ts';
import type { ApprovalOptions, RetryOptions, Tool } from '../../tools/tool.ts';
import { approvalSettings } from './approval-settings.ts';

/** What a conversation keeps of a tool: plain JSON, decided by nothing that happens later. */
export function toolSpec(tool: Tool<never>, ofAgent: ApprovalOptions | undefined): ToolSpec {
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    effect: tool.effect,
    dangerous: tool.dangerous,
    parallelSafe: tool.parallelSafe,
    timeoutMs: tool.timeoutMs,
    retry: retrySettings(tool),
    ...(tool.taskQueue === undefined ? {} : { taskQueue: tool.taskQueue }),
    capabilities: tool.capabilities,
    usesState: tool.usesState,
    completion: tool.completion,
    maxResultChars: tool.maxResultChars,
    reconciles: tool.reconcile !== undefined,
    needsApproval: typeof tool.needsApproval === 'function' ? 'code' : tool.needsApproval,
    approval: approvalSettings(ofAgent, tool.approval),
  };
}

function retrySettings({ effect, retry }: Tool<never>): RetrySettings {
  if (effect === 'once') return { ...DEFAULT_RETRY, attempts: 1 };
  const { attempts, backoff, initialInterval, maximumInterval }: RetryOptions = retry ?? {};
  return {
    attempts: attempts ?? DEFAULT_RETRY.attempts,
    initialIntervalMs: durationMs(initialInterval) ?? DEFAULT_RETRY.initialIntervalMs,
    backoff: backoff ?? DEFAULT_RETRY.backoff,
    maximumIntervalMs: durationMs(maximumInterval) ?? DEFAULT_RETRY.maximumIntervalMs,
  };
}
