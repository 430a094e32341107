import { describeError } from '../../core/describe-error.ts';
import type { ModelRequest } from '../../core/model-request.ts';
import { NO_USAGE, type Usage } from '../../core/usage.ts';
import type { CompactionSettings } from '../../tools/compaction-options.ts';
import { type Model, ModelFailure } from '../../models/model.ts';
import { completeAnswer } from '../complete-answer.ts';

/** A summary that takes longer is given up; the attempt as a whole has twice as long. */
const SUMMARY_LIMIT_MS = 5 * 60_000;

const TASK = [
  'Summarise this conversation so far for your own later use: it will stand in place of the messages.',
  'Keep the goal, what was found out, what was decided and by whom, what was done (with identifiers and',
  'amounts, and whether it succeeded), and what is still open. Do not add anything new.',
].join(' ');

export type Summary = Spent & ({ readonly text: string } | { readonly problem: string });

/** What was spent on a summary, or on the attempt to make one. */
interface Spent {
  readonly usage: Usage;
  readonly cost?: number;
  /** Absent: no model was paid. */
  readonly model?: string;
}

/**
 * Has a model summarise what a request shows. A summary that fails is a problem in words, never an
 * error: there is another way.
 * @throws what the signal aborts with
 */
export async function summarize(
  model: Model,
  request: ModelRequest,
  { instructions = TASK, maxOutputTokens }: CompactionSettings,
  signal: AbortSignal,
): Promise<Summary> {
  try {
    const { completion, usage } = await completeAnswer(
      model,
      summaryRequest(request, instructions, maxOutputTokens),
      {
        signal: AbortSignal.any([signal, AbortSignal.timeout(SUMMARY_LIMIT_MS)]),
        onEvent: () => {},
      },
    );
    const spent = spentOn(model, completion.model, usage);
    // What a refusal begins with must not stand for what was said.
    if (completion.stopReason === 'refused') {
      return { problem: `${completion.model} refused to summarise`, ...spent };
    }
    const text = completion.blocks
      .map((block) => (block.type === 'text' ? block.text : ''))
      .join('');
    if (text.trim() === '') return { problem: `${completion.model} wrote no summary`, ...spent };
    return { text, ...spent };
  } catch (error) {
    signal.throwIfAborted();
    const usage = error instanceof ModelFailure ? error.usage : undefined;
    return {
      problem: `no summary was made: ${describeError(error)}`,
      ...(usage === undefined ? { usage: NO_USAGE } : spentOn(model, model.id, usage)),
    };
  }
}

function spentOn(model: Model, name: string, usage: Usage): Spent {
  const cost = model.cost?.(usage);
  return { usage, model: name, ...(cost === undefined ? {} : { cost }) };
}

/** The conversation's own request and one message more, so that its prefix is read from the cache. */
function summaryRequest(
  request: ModelRequest,
  instructions: string,
  maxOutputTokens: number,
): ModelRequest {
  const { output: _, ...rest } = request;
  const task = { role: 'user' as const, content: [{ type: 'text' as const, text: instructions }] };
  return { ...rest, messages: [...request.messages, task], toolChoice: 'none', maxOutputTokens };
}
