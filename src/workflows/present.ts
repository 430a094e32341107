import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { currentDetails } from '../core/current-details.ts';
import { SEARCH_ATTRIBUTES } from '../core/names.ts';
import { utf8Bytes } from '../core/slices.ts';
import { statusAnswer } from './answers.ts';
import type { Memory } from './memory.ts';

const STATUS = defineSearchAttributeKey(SEARCH_ATTRIBUTES.status, SearchAttributeType.KEYWORD);
const PENDING = defineSearchAttributeKey(SEARCH_ATTRIBUTES.pending, SearchAttributeType.INT);
const TENANT = defineSearchAttributeKey(SEARCH_ATTRIBUTES.tenant, SearchAttributeType.KEYWORD);
const TAGS = defineSearchAttributeKey(SEARCH_ATTRIBUTES.tags, SearchAttributeType.KEYWORD_LIST);

/** Shows a conversation to people: live details in the UI at no cost, search attributes where they changed. */
export function createPresenter(): (memory: Memory) => void {
  let written: { status: string; pending: number } | undefined;
  return (memory) => {
    const { state } = memory;
    const requests = state.approvals.pending.map((pending) => pending.request);
    setCurrentDetails(currentDetails(statusAnswer(memory), requests));
    // An unregistered attribute would fail the workflow task for ever.
    if (!state.spec.settings.searchAttributes) return;
    const { status } = memory;
    const pending = requests.length;
    if (written?.status === status && written.pending === pending) return;
    upsertSearchAttributes([
      { key: STATUS, value: status },
      { key: PENDING, value: pending },
      ...(written === undefined && state.tenant !== undefined
        ? [{ key: TENANT, value: state.tenant }]
        : []),
      ...(written === undefined && state.tags !== undefined
        ? [{ key: TAGS, value: fitting(state.tags) }]
        : []),
    ]);
    written = { status, pending };
  };
}

/** The server takes 2,048 bytes of one attribute, and ends a workflow that sets more. */
const MAX_ATTRIBUTE_BYTES = 2_000;

/** As many tags as an attribute can hold, each whole. */
function fitting(tags: readonly string[]): string[] {
  let bytes = '[]'.length;
  return tags.filter((tag) => {
    const more = utf8Bytes(JSON.stringify(tag)) + ','.length;
    if (bytes + more > MAX_ATTRIBUTE_BYTES) return false;
    bytes += more;
    return true;
  });
}
