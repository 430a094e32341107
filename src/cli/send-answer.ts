import type { ConversationHandle } from '../client/conversation-handle.ts';
import type { VerdictReceipt } from '../client/decide.ts';
import { PerdureRefusal } from '../client/errors/perdure-refusal.ts';
import type { ApprovalRequest } from '../core/approval-request.ts';
import type { Who } from '../core/who.ts';
import type { Answer } from './verdict-prompt.ts';

/**
 * Sends what was answered at the prompt, bound to the arguments that were shown. A refusal
 * (somebody was faster, the edit does not fit) is said, not thrown.
 */
export async function sendAnswer(
  conversation: ConversationHandle,
  { key, digest }: ApprovalRequest,
  answer: Answer,
  { by, say }: { readonly by: Who; readonly say: (line: string) => void },
): Promise<VerdictReceipt | undefined> {
  try {
    switch (answer.kind) {
      case 'skip':
        return undefined;
      case 'deny':
        return await conversation.deny({ key }, { by, reason: answer.reason });
      case 'approve': {
        const { input, remember } = answer;
        return await conversation.approve({ key }, { by, input, remember, digest });
      }
    }
  } catch (error) {
    if (!(error instanceof PerdureRefusal)) throw error;
    say(`not taken (${error.code}): ${error.message}`);
    return undefined;
  }
}
