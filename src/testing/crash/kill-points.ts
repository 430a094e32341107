/**
 * Where a worker process is killed on purpose. A step of a conversation passes `before`, `in` and
 * `after`: begun and in the ledger but nothing done; in the author's own code; all done but the
 * server not told.
 */
export const KILL_POINTS = [
  'before model',
  'in model',
  'after model',
  'before tool',
  'before effect',
  'after effect',
  'after tool',
  'in reconcile',
  'before segment',
  'after segment',
  /** A person is asked, and nothing runs. */
  'approval',
  /** It waits for a message. */
  'idle',
  /** Messages and verdicts have been sent, and are not answered. */
  'handlers',
  /** Results have just been reported, and the workflow takes them in. */
  'workflow task',
  /** At a random moment. */
  'anywhere',
] as const;
export type KillPoint = (typeof KILL_POINTS)[number];

/** What a tool does to the world; a `once` tool that can reconcile is another case than one that cannot. */
export const EFFECT_CLASSES = ['read', 'idempotent', 'once', 'once, reconciles'] as const;
export type EffectClass = (typeof EFFECT_CLASSES)[number];

/** Points of a tool, hit for each effect class. */
export const TOOL_POINTS = ['before tool', 'before effect', 'after effect', 'after tool'] as const;

export interface KillTarget {
  readonly point: KillPoint;
  readonly effect?: EffectClass;
}

/** What can be hit depends on the agents and on what is said to them. */
export interface Hittable {
  readonly effects: readonly EffectClass[];
  readonly asks: boolean;
  readonly chats: boolean;
  readonly talks: boolean;
  readonly handsOver: boolean;
}

/** Every target that these agents can be hit at. */
export function targetsOf(hittable: Hittable): readonly KillTarget[] {
  const { effects, asks, chats, talks, handsOver } = hittable;
  const points = (...names: KillPoint[]): KillTarget[] => names.map((point) => ({ point }));
  return [
    ...points('before model', 'in model', 'after model'),
    ...TOOL_POINTS.flatMap((point) => effects.map((effect) => ({ point, effect }))),
    // Right after a call that is to be reconciled was killed.
    ...(effects.includes('once, reconciles') ? points('in reconcile') : []),
    ...(handsOver ? points('before segment', 'after segment') : []),
    ...(asks ? points('approval') : []),
    ...(chats ? points('idle') : []),
    ...(asks || talks ? points('handlers') : []),
    ...points('workflow task', 'anywhere'),
  ];
}

export function nameOf({ point, effect }: KillTarget): string {
  return effect === undefined ? point : `${point}, ${effect}`;
}
