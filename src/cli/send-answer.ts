import type { ConversationHandle } from '../client/conversation-handle.ts';
import { PerdureRefusal } from '../client/errors/perdure-refusal.ts';
import type { ApprovalRequest } from '../core/approval-request.ts';
import type { RefusalCode } from '../core/refusal.ts';
import type { Who } from '../core/who.ts';
import { verdictWords } from './say-verdict.ts';
import type { Answer } from './verdict-prompt.ts';

/** The answer was not usable, and the call waits on. */
const MENDABLE: ReadonlySet<RefusalCode> = new Set([
  'invalid_input',
  'invalid_verdict',
  'too_large',
  'handing_over',
]);

/**
 * Sends what was answered at the prompt, bound to the arguments that were shown. A refusal
 * (somebody was faster, the edit does not fit) is said, not thrown.
 */
export async function sendAnswer(
  conversation: ConversationHandle,
  { key, digest }: ApprovalRequest,
  answer: Answer,
  { by, say }: { readonly by: Who; readonly say: (line: string) => void },
): Promise<'done' | 'ask again'> {
  try {
    switch (answer.kind) {
      case 'skip':
        return 'done';
      case 'deny': {
        const receipt = await conversation.deny({ key }, { by, reason: answer.reason });
        say(verdictWords('deny', receipt));
        return 'done';
      }
      case 'approve': {
        const { input, remember } = answer;
        const receipt = await conversation.approve({ key }, { by, input, remember, digest });
        say(verdictWords('approve', receipt));
        return 'done';
      }
    }
  } catch (error) {
    if (!(error instanceof PerdureRefusal)) throw error;
    say(`not taken (${error.code}): ${error.message}`);
    return MENDABLE.has(error.code) ? 'ask again' : 'done';
  }
}
