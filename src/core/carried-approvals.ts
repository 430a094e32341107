import { type ApprovalBook, changePending, type Decision, type EditedInput } from './approval.ts';
import type { RecordedVerdict } from './approval-request.ts';
import type { Json } from './json.ts';
import { previewOf, type Stored } from './stored.ts';

/**
 * What of the book the next run needs: everything that answers a late or repeated verdict, and no
 * text that history has and nothing reads again.
 * @param openKeys keys of the calls that have no result yet: edits that are yet to run, reasons that
 *   the model is yet to be told
 */
export function carriedApprovals(book: ApprovalBook, openKeys: ReadonlySet<string>): ApprovalBook {
  return {
    pending: book.pending.map((pending) => ({
      ...pending,
      request: { ...pending.request, verdicts: pending.request.verdicts.map(shortened) },
      ...(pending.superseded === undefined
        ? {}
        : { superseded: pending.superseded.map(withoutReason) }),
    })),
    decided: book.decided.map((decision) => carriedDecision(decision, openKeys)),
  };
}

function carriedDecision(decision: Decision, openKeys: ReadonlySet<string>): Decision {
  const { reason, edited, superseded, verdicts, ...rest } = decision;
  const isOpen = openKeys.has(decision.key);
  const runs = isOpen && decision.decision === 'approve';
  return {
    ...rest,
    ...(reason === undefined || !isOpen || runs ? {} : { reason }),
    verdicts: verdicts.map(withoutReason),
    ...(superseded === undefined ? {} : { superseded: superseded.map(withoutReason) }),
    ...(edited === undefined || !runs ? {} : { edited }),
  };
}

/** People who are asked still see why the others approved. */
function shortened(verdict: RecordedVerdict): RecordedVerdict {
  return verdict.reason === undefined ? verdict : { ...verdict, reason: previewOf(verdict.reason) };
}

function withoutReason({ reason: _, ...verdict }: RecordedVerdict): RecordedVerdict {
  return verdict;
}

export interface StoredInput {
  readonly key: string;
  readonly digest: string;
  readonly input: Stored<Json>;
}

/** All arguments that the book holds for the next run. */
export function inputsOf(
  { pending, decided }: ApprovalBook,
  openKeys: ReadonlySet<string>,
): readonly StoredInput[] {
  return [
    ...pending.map(({ request: { key, digest, input } }) => ({ key, digest, input })),
    ...decided.flatMap(({ key, edited }) =>
      edited === undefined || !openKeys.has(key)
        ? []
        : [{ key, digest: edited.digest, input: edited.input }],
    ),
  ];
}

/** Exchanges the arguments with this digest by where they are kept now; all else stays. */
export function replaceInput(
  book: ApprovalBook,
  { key, digest, input }: StoredInput,
): ApprovalBook {
  const inEdit = (edited: EditedInput | undefined) =>
    edited?.digest === digest ? { edited: { ...edited, input } } : {};
  const pending = changePending(book, key, (waiting) => ({
    ...waiting,
    ...inEdit(waiting.edited),
    request: waiting.request.digest === digest ? { ...waiting.request, input } : waiting.request,
  }));
  const decided = book.decided.map((decision) =>
    decision.key === key ? { ...decision, ...inEdit(decision.edited) } : decision,
  );
  return { ...pending, decided };
}
