import type { ApprovalRequest } from '../../core/approval-request.ts';

/** Of whom a request is asked, how many have approved, and until when it waits; what there is of it. */
export function requestRemarks({
  askedOf,
  quorum,
  verdicts,
  expiresAt,
}: ApprovalRequest): readonly string[] {
  return [
    ...(askedOf === undefined ? [] : [`asked of ${askedOf}`]),
    ...(quorum === undefined ? [] : [`${verdicts.length} of ${quorum}`]),
    ...(expiresAt === undefined ? [] : [`until ${expiresAt}`]),
  ];
}
