import type { ApprovalRequest } from './approval-request.ts';
import { previewOf } from './stored.ts';
import { endOfTurnWords } from './end-of-turn.ts';
import type { StatusAnswer } from './status.ts';
import { totalTokens } from './usage.ts';

/** The server takes 20,000 bytes of details. */
const MAX_DETAILS_CHARACTERS = 6_000;
const MAX_SHOWN_APPROVALS = 10;

/** The Markdown that the Temporal UI shows of a running conversation: state, questions, spend. */
export function currentDetails(
  status: StatusAnswer,
  approvals: readonly ApprovalRequest[],
): string {
  const lines = [
    `**${status.status.replaceAll('_', ' ')}** · turn ${status.turn}, step ${status.step}`,
  ];
  if (status.waitingFor !== undefined) lines.push(`Waiting for: ${previewOf(status.waitingFor)}`);
  if (status.waitingUntil !== undefined) lines.push(`Until: ${status.waitingUntil}`);
  if (status.queued > 0) lines.push(`Messages waiting: ${status.queued}`);
  const ended = endOfTurnWords(status.lastTurn);
  if (ended !== undefined) lines.push(`Last turn: ${previewOf(ended)}`);
  const tokens = totalTokens(status.usage);
  const cost = status.cost === undefined ? '' : `, $${status.cost.toFixed(4)}`;
  lines.push(`Spent: ${tokens} tokens${cost}`);
  for (const request of approvals.slice(0, MAX_SHOWN_APPROVALS)) lines.push(...describe(request));
  if (approvals.length > MAX_SHOWN_APPROVALS) {
    lines.push(`… and ${approvals.length - MAX_SHOWN_APPROVALS} more: query \`approvals\`.`);
  }
  const text = lines.join('\n\n');
  return text.length <= MAX_DETAILS_CHARACTERS
    ? text
    : `${text.slice(0, MAX_DETAILS_CHARACTERS)}\n\n… cut: query \`approvals\`.`;
}

function describe(request: ApprovalRequest): string[] {
  const verdict = JSON.stringify({
    key: request.key,
    by: { id: 'your-name' },
    digest: request.digest,
  });
  const denial = JSON.stringify({ key: request.key, by: { id: 'your-name' }, reason: '…' });
  const expires = request.expiresAt === undefined ? '' : ` (until ${request.expiresAt})`;
  return [
    `### ${request.danger ? '⚠ ' : ''}${request.tool ?? request.kind}: ${request.summary}${expires}`,
    [request.reason, ...ofWhom(request)].filter((words) => words !== '').join(' · '),
    `Send signal \`approve\`:\n\`\`\`json\n${verdict}\n\`\`\`\nor signal \`deny\`:\n\`\`\`json\n${denial}\n\`\`\``,
  ];
}

function ofWhom({ askedOf, quorum, verdicts }: ApprovalRequest): string[] {
  const so = verdicts.map(({ by }) => by.id).join(', ');
  return [
    ...(askedOf === undefined ? [] : [`asked of ${askedOf}`]),
    ...(quorum === undefined
      ? []
      : [`${verdicts.length} of ${quorum} people have approved${so === '' ? '' : ` (${so})`}`]),
  ];
}
