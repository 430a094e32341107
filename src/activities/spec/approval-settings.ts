import { type ApprovalSettings, DEFAULT_APPROVAL } from '../../core/approval-settings.ts';
import { durationMs } from '../../core/duration.ts';
import type { ApprovalOptions } from '../../tools/tool.ts';

/** Approval options in milliseconds over the defaults; later ones go before earlier ones. */
export function approvalSettings(
  ...layers: readonly (ApprovalOptions | undefined)[]
): ApprovalSettings {
  const options: ApprovalOptions = Object.assign({}, ...layers.map(withoutUndefined));
  const { askedOf, escalate, notBy } = options;
  const timeoutMs = durationMs(options.timeout);
  const remindAfterMs = durationMs(options.remindAfter);
  return {
    expire: options.expire ?? DEFAULT_APPROVAL.expire,
    quorum: options.quorum ?? DEFAULT_APPROVAL.quorum,
    onMessageWhileWaiting: options.onMessageWhileWaiting ?? DEFAULT_APPROVAL.onMessageWhileWaiting,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(remindAfterMs === undefined ? {} : { remindAfterMs }),
    ...(escalate === undefined
      ? {}
      : {
          escalate: escalate.map((step) => ({
            afterMs: durationMs(step.after) ?? 0,
            askedOf: step.askedOf,
          })),
        }),
    ...(askedOf === undefined ? {} : { askedOf }),
    ...(notBy === undefined ? {} : { notBy }),
  };
}

/** An option that is there but undefined says nothing. */
function withoutUndefined(options: ApprovalOptions | undefined): ApprovalOptions {
  return Object.fromEntries(
    Object.entries(options ?? {}).filter(([, value]) => value !== undefined),
  );
}
