import { setTimeout as pause } from 'node:timers/promises';
import type { ConversationRun } from './conversation-run.ts';
import type { HoldDesk } from './hold-desk.ts';
import type { PlannedKill } from './kill-plan.ts';
import type { Reached } from './messages.ts';

export interface Scene {
  readonly desk: HoldDesk;
  /** Conversations that run now. */
  readonly runs: () => readonly ConversationRun[];
  /** Keeps people from acting while a kill waits for a moment of waiting. */
  readonly keepPeopleBack: (back: boolean) => void;
  /** How long the conversations get to come to where they are to be killed. */
  readonly patienceMs: number;
  readonly kill: () => Promise<void>;
}

const LOOK_AGAIN_MS = 50;
/** Moments within which an update is taken, and a workflow task done. */
const HANDLERS_MS = 25;
const WORKFLOW_TASK_MS = 15;

/** Kills the worker as planned; returns the conversations that it hit at the point. */
export async function killWorker(kill: PlannedKill, scene: Scene): Promise<readonly string[]> {
  const { point, effect } = kill.target;
  switch (point) {
    case 'approval':
      return killWaiting(kill, scene, (run) => run.isAsking());
    case 'idle':
      return killWaiting(kill, scene, (run) => run.isIdle());
    case 'handlers':
      return killHandlers(kill, scene);
    case 'workflow task':
      return killWorkflowTask(kill, scene);
    case 'anywhere':
      return killAnywhere(kill, scene);
    default: {
      const fits = (reached: Reached) => reached.point === point && reached.effect === effect;
      const held = await scene.desk.hold(fits, { ...kill, patienceMs: scene.patienceMs });
      await scene.kill();
      return distinct(held);
    }
  }
}

async function killWaiting(
  kill: PlannedKill,
  scene: Scene,
  waits: (run: ConversationRun) => Promise<boolean>,
): Promise<readonly string[]> {
  const deadline = Date.now() + scene.patienceMs;
  scene.keepPeopleBack(true);
  try {
    let waiting: readonly ConversationRun[] = [];
    let mayMoreCome = true;
    while (waiting.length < kill.conversations && mayMoreCome && Date.now() < deadline) {
      await pause(LOOK_AGAIN_MS);
      const runs = scene.runs();
      const candidates = runs.filter((run) => run.seemsWaiting);
      mayMoreCome = candidates.length < runs.length || !(await allWait(runs));
      if (candidates.length < kill.conversations && mayMoreCome) continue;
      const answers = await Promise.all(candidates.map(waits));
      waiting = candidates.filter((_, index) => answers[index]);
    }
    await scene.kill();
    return waiting.map(({ id }) => id);
  } finally {
    scene.keepPeopleBack(false);
  }
}

/** While people are kept back, nothing goes on then. */
async function allWait(runs: readonly ConversationRun[]): Promise<boolean> {
  const waits = await Promise.all(
    runs.map(async (run) => (await run.isAsking()) || (await run.isIdle())),
  );
  return waits.every(Boolean);
}

async function killHandlers(kill: PlannedKill, scene: Scene): Promise<readonly string[]> {
  const deadline = Date.now() + scene.patienceMs;
  const talkable = () => scene.runs().filter((run) => run.canBeTalkedTo);
  while (talkable().length < kill.conversations && Date.now() < deadline) {
    await pause(LOOK_AGAIN_MS);
  }
  const spoken = talkable().slice(0, kill.conversations);
  for (const run of spoken) run.talk();
  await pause(kill.delayMs % HANDLERS_MS);
  const unanswered = spoken.filter((run) => run.unanswered > 0);
  await scene.kill();
  return unanswered.map(({ id }) => id);
}

async function killWorkflowTask(kill: PlannedKill, scene: Scene): Promise<readonly string[]> {
  const fits = ({ point }: Reached) => point === 'after model' || point === 'after tool';
  await scene.desk.hold(fits, { ...kill, patienceMs: scene.patienceMs });
  scene.desk.release();
  await pause(kill.delayMs % WORKFLOW_TASK_MS);
  const inside = scene.runs().filter((run) => run.seemsInWorkflowTask);
  await scene.kill();
  return inside.map(({ id }) => id);
}

async function killAnywhere(kill: PlannedKill, scene: Scene): Promise<readonly string[]> {
  await pause(kill.delayMs);
  const running = scene.runs();
  await scene.kill();
  return running.map(({ id }) => id);
}

function distinct(held: readonly Reached[]): readonly string[] {
  return [...new Set(held.map(({ conversation }) => conversation))];
}
