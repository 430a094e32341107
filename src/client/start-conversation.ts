import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { textOf } from '../core/content.ts';
import { type Duration, durationMs } from '../core/duration.ts';
import { agentNameProblem } from '../core/names.ts';
import { MAX_CONTEXT_BYTES, MAX_STATE_BYTES, type Start, startSchema } from '../core/start.ts';
import { previewOf } from '../core/stored.ts';
import type { ClientContext } from './client-context.ts';
import { ConversationExists } from './errors/conversation-exists.ts';
import { PerdureRefusal } from './errors/perdure-refusal.ts';
import { newConversationId } from './new-conversation-id.ts';
import { offloadParts } from './offload-parts.ts';
import { demandSize, MAX_PAYLOAD_BYTES } from './payload-size.ts';
import { checked } from './problems-of.ts';
import { typed } from './to-client-error.ts';

/** What a start may say beside the workflow's argument. */
export interface StartOptions extends Start {
  /**
   * The conversation's id; default `<agent>-<random>`. A start is idempotent by it: while the
   * conversation runs, another start with its id returns it and changes nothing.
   */
  readonly id?: string | undefined;
  /** Runs an id again whose conversation has ended; default false: that is `ConversationExists`. */
  readonly reuse?: boolean | undefined;
  /** One line for lists; default: the message's first words. */
  readonly summary?: string | undefined;
  /**
   * After how long a workflow task goes to another worker when the one that had it is gone: 1 to
   * 120 seconds. Default: the server's, 10 seconds.
   */
  readonly workflowTaskTimeout?: Duration | undefined;
}

const MIN_TASK_TIMEOUT_MS = 1_000;
/** The server takes no longer one, and says nothing. */
const MAX_TASK_TIMEOUT_MS = 120_000;
const MAX_ID_CHARACTERS = 255;
/** The server takes 400 bytes; a character may have four. */
const SUMMARY_CHARACTERS = 100;

/**
 * Starts a conversation and returns its id.
 * @throws {PerdureRefusal} `invalid_input` with all `problems`, or `too_large`; nothing was sent.
 * @throws {ConversationExists} when the id is taken.
 */
export async function startConversation(
  context: ClientContext,
  agent: string,
  { id, reuse, summary, workflowTaskTimeout, ...argument }: StartOptions,
): Promise<string> {
  const problems = [
    agentNameProblem(agent),
    idProblem(id),
    taskTimeoutProblem(workflowTaskTimeout),
  ].filter((problem) => problem !== undefined);
  const start = checked(startSchema, argument);
  if ('problems' in start) problems.push(...start.problems);
  if (problems.length > 0 || 'problems' in start) {
    throw new PerdureRefusal({
      code: 'invalid_input',
      message: `the conversation cannot start: ${problems.join('; ')}`,
      problems,
    });
  }
  const { context: given, state } = start.value;
  demandSize('the context', given, MAX_CONTEXT_BYTES, 'give ids, and let tools look up the rest');
  demandSize('the state', state, MAX_STATE_BYTES, 'keep what is large outside, and refer to it');

  const conversationId = id ?? newConversationId(agent);
  const message =
    start.value.message === undefined
      ? undefined
      : await offloadParts(context, conversationId, start.value.message);
  const sent = { ...start.value, ...(message === undefined ? {} : { message }) };
  demandSize(
    'the start',
    sent,
    MAX_PAYLOAD_BYTES,
    'shorten the message, or send a document as a blob',
  );

  const asked = { ...context, conversationId };
  try {
    await typed(asked, () =>
      context.client.workflow.start(agent, {
        workflowId: conversationId,
        taskQueue: context.taskQueue,
        args: [sent],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: reuse === true ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
        staticSummary: previewOf(
          summary ?? (message === undefined ? 'chat' : textOf(message)),
          SUMMARY_CHARACTERS,
        ),
        ...(workflowTaskTimeout === undefined ? {} : { workflowTaskTimeout }),
      }),
    );
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    throw new ConversationExists(conversationId, { reason: 'closed' }, { cause: error });
  }
  if (id !== undefined) await demandAgent(context, id, agent);
  return conversationId;
}

function idProblem(id: string | undefined): string | undefined {
  if (id === undefined) return undefined;
  if (typeof id === 'string' && id.trim() !== '' && id.length <= MAX_ID_CHARACTERS)
    return undefined;
  return `id: expected a text of 1 to ${MAX_ID_CHARACTERS} characters, got ${JSON.stringify(id)?.slice(0, 80)}`;
}

function taskTimeoutProblem(timeout: Duration | undefined): string | undefined {
  if (timeout === undefined) return undefined;
  const ms = durationMs(timeout);
  if (ms !== undefined && ms >= MIN_TASK_TIMEOUT_MS && ms <= MAX_TASK_TIMEOUT_MS) return undefined;
  return `workflowTaskTimeout: expected a duration of 1 to 120 seconds, got ${JSON.stringify(timeout)}`;
}

/** A running conversation of another agent must not be taken for the one that was asked for. */
async function demandAgent(context: ClientContext, id: string, agent: string): Promise<void> {
  const { type } = await typed({ ...context, conversationId: id }, () =>
    context.client.workflow.getHandle(id).describe(),
  );
  if (type !== agent) throw new ConversationExists(id, { reason: 'other_agent', agent: type });
}
