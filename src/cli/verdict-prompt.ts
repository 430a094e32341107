import type { Interface } from 'node:readline/promises';
import type { PendingApprovalInfo } from '../client/list-approvals.ts';
import type { ApprovalRequest } from '../core/approval-request.ts';
import type { Json } from '../core/json.ts';
import { isBlobReference } from '../core/stored.ts';
import { requestRemarks } from './render/request-words.ts';
import { paint } from './paint.ts';

export type Answer =
  | { readonly kind: 'approve'; readonly input?: Json; readonly remember?: 'conversation' }
  | { readonly kind: 'deny'; readonly reason?: string }
  | { readonly kind: 'skip' };

/** Shows one request and asks until there is an answer. Throws `AbortError` on the signal. */
export async function promptForVerdict(
  readline: Interface,
  info: PendingApprovalInfo,
  { signal, say }: { readonly signal: AbortSignal; readonly say: (line: string) => void },
): Promise<Answer> {
  for (const line of requestLines(info)) say(line);
  const words = offered(info.request);
  const question = `approve? ${words.map((word) => SHOWN[word]).join(', ')}: `;
  for (;;) {
    const said = (await readline.question(question, { signal })).trim().toLowerCase();
    // Whole words only: "abort" must not be taken for "always".
    switch (words.find((word) => said === word || said === word.charAt(0))) {
      case 'yes':
        return { kind: 'approve' };
      case 'always':
        return { kind: 'approve', remember: 'conversation' };
      case 'skip':
        return { kind: 'skip' };
      case 'no': {
        const reason = (
          await readline.question('why (the model reads it; may be empty): ', { signal })
        ).trim();
        return reason === '' ? { kind: 'deny' } : { kind: 'deny', reason };
      }
      case 'edit': {
        const input = parsed(await readline.question('arguments as JSON: ', { signal }));
        if (input !== undefined) return { kind: 'approve', input };
        say('that is not JSON');
        break;
      }
      case undefined:
    }
  }
}

const SHOWN = {
  yes: '[y]es',
  no: '[n]o',
  edit: '[e]dit the arguments',
  always: '[a]lways in this conversation',
  skip: '[s]kip',
} as const;

/** What this request can be answered with. */
function offered({ kind, quorum }: ApprovalRequest): readonly (keyof typeof SHOWN)[] {
  if (kind === 'budget') return ['yes', 'no', 'skip'];
  // One person cannot answer for later calls that several must approve.
  if (quorum !== undefined) return ['yes', 'no', 'edit', 'skip'];
  return ['yes', 'no', 'edit', 'always', 'skip'];
}

function requestLines({ conversationId, agent, request }: PendingApprovalInfo): string[] {
  const { input, tool, summary, danger, reason, kind } = request;
  const remarks = [...(reason === '' ? [] : [reason]), ...requestRemarks(request)].join('  ');
  const colour = danger ? 'yellow' : 'bold';
  const head = paint(process.stderr, colour, kind === 'budget' ? 'budget' : (tool ?? 'call'));
  const shown = isBlobReference(input)
    ? `${input.preview} (${input.size} bytes)`
    : JSON.stringify(input);
  return [
    '',
    `${head}  ${summary}  ${paint(process.stderr, 'dim', `${agent}, ${conversationId}`)}`,
    `  ${shown}`,
    ...(remarks === '' ? [] : [`  ${remarks}`]),
  ];
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
