import type { Interface } from 'node:readline/promises';
import type { PendingApprovalInfo } from '../client/list-approvals.ts';
import type { Json } from '../core/json.ts';
import { isBlobReference } from '../core/stored.ts';
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
  for (;;) {
    const said = await readline.question(
      'approve? [y]es, [n]o, [e]dit the arguments, [a]lways in this conversation, [s]kip: ',
      { signal },
    );
    switch (said.trim().toLowerCase()) {
      case 'y':
      case 'yes':
        return { kind: 'approve' };
      case 'a':
      case 'always':
        return { kind: 'approve', remember: 'conversation' };
      case 's':
      case 'skip':
        return { kind: 'skip' };
      case 'n':
      case 'no': {
        const reason = (
          await readline.question('why (the model reads it; may be empty): ', { signal })
        ).trim();
        return reason === '' ? { kind: 'deny' } : { kind: 'deny', reason };
      }
      case 'e':
      case 'edit': {
        const input = parsed(await readline.question('arguments as JSON: ', { signal }));
        if (input !== undefined) return { kind: 'approve', input };
        say('that is not JSON');
      }
    }
  }
}

function requestLines({ conversationId, agent, request }: PendingApprovalInfo): string[] {
  const { input, tool, summary, danger, reason, kind } = request;
  const colour = danger ? 'yellow' : 'bold';
  const head = paint(process.stderr, colour, kind === 'budget' ? 'budget' : (tool ?? 'call'));
  const shown = isBlobReference(input)
    ? `${input.preview} (${input.size} bytes)`
    : JSON.stringify(input);
  return [
    '',
    `${head}  ${summary}  ${paint(process.stderr, 'dim', `${agent}, ${conversationId}`)}`,
    `  ${shown}`,
    ...(reason === '' ? [] : [`  ${reason}`]),
  ];
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
