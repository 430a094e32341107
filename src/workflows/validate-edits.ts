import type { ValidateInput, ValidateOutput } from '../core/activity-shapes.ts';
import { positionOfKey } from '../core/call.ts';
import type { Json } from '../core/json.ts';
import { judge } from '../core/judge-verdict.ts';
import { ACTIVITIES, activityIds } from '../core/names.ts';
import type { Refusal } from '../core/refusal.ts';
import { utf8Bytes } from '../core/slices.ts';
import { INLINE_LIMIT_BYTES } from '../core/stored.ts';
import { toBlob } from './absorb.ts';
import type { Memory, WaitingEdit } from './memory.ts';
import { ownActivity } from './own-activity.ts';
import { circumstances, remember } from './receive-verdict.ts';

/**
 * Validates the edited arguments that wait, in order of arrival: the first that the tool's schema
 * allows wins, the others are told why not. Runs in the main loop, never in a handler.
 */
export async function validateEdits(memory: Memory): Promise<void> {
  for (;;) {
    const edit = memory.edits.shift();
    if (edit === undefined) return;
    try {
      edit.fate = await fateOf(memory, edit);
    } catch (error) {
      edit.fate = {
        refusal: {
          code: 'not_pending',
          message: 'the turn was stopped before the arguments were validated',
        },
      };
      noteRefusal(memory, edit);
      throw error;
    }
    noteRefusal(memory, edit);
  }
}

/** Tells everyone whose edit still waits why it is not taken. */
export function refuseEdits(memory: Memory, refusal: Refusal): void {
  for (const edit of memory.edits.splice(0)) {
    edit.fate = { refusal };
    noteRefusal(memory, edit);
  }
}

async function fateOf(
  memory: Memory,
  { verdict, key }: WaitingEdit,
): Promise<NonNullable<WaitingEdit['fate']>> {
  const first = judge(memory.state.approvals, verdict, circumstances(memory, now()));
  if (first.kind === 'refused') return { refusal: first.refusal };
  if (first.kind === 'repeated') return { answer: first.answer };
  if (first.kind === 'taken') return take(memory, verdict, key, first);
  const pending = memory.state.approvals.pending.find(({ request }) => request.key === key);
  const tool = pending?.request.tool;
  if (tool === undefined)
    return { refusal: { code: 'not_pending', message: `${key} does not wait` } };
  const validated = await validate(memory, key, tool, first.input);
  if ('problems' in validated) {
    return {
      refusal: {
        code: 'invalid_input',
        message: `the new arguments do not fit ${tool}: ${validated.problems.join('; ')}`,
        problems: [...validated.problems],
        key,
      },
    };
  }
  const second = judge(memory.state.approvals, verdict, {
    ...circumstances(memory, now()),
    validated,
  });
  if (second.kind === 'refused') return { refusal: second.refusal };
  if (second.kind === 'repeated') return { answer: second.answer };
  if (second.kind === 'taken') return take(memory, verdict, key, second);
  throw new Error('validated arguments need no validation');
}

function take(
  memory: Memory,
  verdict: WaitingEdit['verdict'],
  key: string,
  judgement: Extract<ReturnType<typeof judge>, { kind: 'taken' }>,
): NonNullable<WaitingEdit['fate']> {
  const problem = judgement.decided ? remember(memory, verdict, key, now()) : undefined;
  if (problem !== undefined) return { refusal: { code: 'invalid_verdict', message: problem } };
  memory.update({ approvals: judgement.book });
  return { answer: judgement.answer };
}

async function validate(
  memory: Memory,
  key: string,
  tool: string,
  value: Json,
): Promise<ValidateOutput> {
  const bytes = utf8Bytes(JSON.stringify(value));
  const input = bytes > INLINE_LIMIT_BYTES ? await toBlob(memory, value) : value;
  const edit = memory.state.counters.edit + 1;
  memory.update({ counters: { ...memory.state.counters, edit } });
  const place = positionOfKey(key);
  const { spec, segment } = memory.state;
  const request: ValidateInput = {
    spec: spec.digest,
    key,
    tool,
    input,
    ...(segment === null ? {} : { segment }),
  };
  return ownActivity<ValidateOutput>(memory, {
    type: ACTIVITIES.validate,
    activityId: activityIds.edit(activityIds.call(place.turn, place.step, place.index), edit),
    input: request,
    summary: `do the new arguments fit ${tool}?`,
  });
}

function noteRefusal(memory: Memory, { verdict, from, fate, key }: WaitingEdit): void {
  if (fate === undefined || 'answer' in fate) return;
  memory.note('verdict_refused', `${verdict.by.id}: ${fate.refusal.message}`, now(), {
    details: { code: fate.refusal.code, key, from },
  });
}

function now(): string {
  return new Date().toISOString();
}
