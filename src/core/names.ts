/** Every name that another service, the UI or an old history depends on. */

export const DEFAULT_TASK_QUEUE = 'perdure';

/** Our own activities have a dot, which no tool name may have. */
export const ACTIVITIES = {
  spec: 'perdure.spec',
  model: 'perdure.model',
  reconcile: 'perdure.reconcile',
  validate: 'perdure.validate',
  blob: 'perdure.blob',
  compact: 'perdure.compact',
  segment: 'perdure.segment',
  keep: 'perdure.keep',
} as const;

export const SIGNALS = {
  message: 'message',
  approve: 'approve',
  deny: 'deny',
  stop: 'stop',
  close: 'close',
  revoke: 'revoke',
} as const;

export const UPDATES = { send: 'send', decide: 'decide', revoke: 'revoke' } as const;

export const QUERIES = {
  status: 'status',
  approvals: 'approvals',
  entries: 'entries',
  state: 'state',
  summary: 'summary',
  spec: 'spec',
} as const;

export const SEARCH_ATTRIBUTES = {
  status: 'PerdureStatus',
  pending: 'PerdurePending',
  tenant: 'PerdureTenant',
  tags: 'PerdureTags',
} as const;

export const AGENT_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
export const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** A bundle's type look-up would find these before our default export. */
const RESERVED_AGENT_NAMES = new Set([
  'default',
  'constructor',
  'toString',
  'valueOf',
  'hasOwnProperty',
]);
const RESERVED_PREFIX = '__';

/** Why a name cannot be an agent's; `undefined` when it can. */
export function agentNameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string' || !AGENT_NAME.test(name)) {
    return `expected a name that matches ${AGENT_NAME.source} (it becomes the workflow type), got ${JSON.stringify(name)}`;
  }
  if (RESERVED_AGENT_NAMES.has(name) || name.startsWith(RESERVED_PREFIX)) {
    return `the name "${name}" is reserved: choose another`;
  }
  return undefined;
}

/** Why a name cannot be a tool's; `undefined` when it can. */
export function toolNameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string' || !TOOL_NAME.test(name)) {
    return `expected a name that matches ${TOOL_NAME.source} (model APIs take no other), got ${JSON.stringify(name)}`;
  }
  if (name.startsWith('__temporal_'))
    return `names that begin with "__temporal_" are Temporal's own: got "${name}"`;
  return undefined;
}

export const activityIds = {
  spec: (adoptedAtTurn?: number) =>
    adoptedAtTurn === undefined ? 'spec' : `spec@${adoptedAtTurn}`,
  model: (turn: number, step: number) => `${turn}.${step}.model`,
  call: (turn: number, step: number, index: number) => `${turn}.${step}.${index}`,
  reconcile: (call: string) => `${call}.reconcile`,
  edit: (call: string, n: number) => `${call}.edit.${n}`,
  compact: (turn: number, step: number) => `${turn}.${step}.compact`,
  blob: (n: number) => `blob.${n}`,
  segment: (n: number) => `segment.${n}`,
  keep: 'keep',
  /** The n-th schedule of the same activity; the first has no suffix. */
  rerun: (id: string, n: number) => (n <= 1 ? id : `${id}#${n}`),
} as const;
