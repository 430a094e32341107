import type { ValidateInput, ValidateOutput } from '../core/activity-shapes.ts';
import { positionOfKey } from '../core/call.ts';
import { ACTIVITIES, activityIds } from '../core/names.ts';
import { utf8Bytes } from '../core/slices.ts';
import { INLINE_LIMIT_BYTES, isBlobReference } from '../core/stored.ts';
import { toBlob } from './absorb.ts';
import type { Memory } from './memory.ts';
import { ownActivity } from './own-activity.ts';
import { countRefusal } from './refusals.ts';
import type { EditEffects, EditToValidate } from './validate-edits.ts';

export const editEffects: EditEffects = {
  nowMs: () => Date.now(),
  validate: validateEdit,
  onRefused: (refusal) => countRefusal('approve', refusal),
};

/** Whether new arguments fit the tool's frozen schema, as an activity says. */
async function validateEdit(
  memory: Memory,
  { key, tool, input: value }: EditToValidate,
): Promise<ValidateOutput> {
  const bytes = utf8Bytes(JSON.stringify(value));
  // What looks like a reference would be taken for one.
  const isInline = bytes <= INLINE_LIMIT_BYTES && !isBlobReference(value);
  const input = isInline ? value : await toBlob(memory, value);
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
