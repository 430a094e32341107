import type { ModelRequest, RequestMessage } from '../../core/model-request.ts';
import { estimateUsage } from '../estimate-usage.ts';
import { type IdleLimits, startIdleTimer } from '../idle-timer.ts';
import { isConnectionLoss, reasonOf } from '../connection-loss.ts';
import { type CompleteOptions, type Model, ModelFailure } from '../model.ts';
import type { Usage } from '../../core/usage.ts';
import type { TextComplete, TextPrompt, TextReply } from './prompt.ts';

export interface Question {
  readonly prompt: TextPrompt;
  readonly request: ModelRequest;
  readonly stop: readonly string[];
  readonly onText: (piece: string) => void;
}

export type Answered = TextReply & { readonly usage: Usage; readonly model: string };

/** Asks a text model once. */
export type Ask = (question: Question, options: CompleteOptions) => Promise<Answered>;

/** How a wrapped model calls its stop sequences; others get none, and the reply is cut here. */
const STOP_PARAMETER: { readonly [format: string]: string } = {
  anthropic: 'stop_sequences',
  openai: 'stop',
};

/** Asks another adapter's model, without its own tools. */
export function askModel(model: Model): Ask {
  return async ({ prompt, request, stop, onText }, options) => {
    const parameter = STOP_PARAMETER[model.format];
    const { output: _, toolChoice: __, ...rest } = request;
    const completion = await model.complete(
      {
        ...rest,
        system: prompt.system,
        tools: [],
        hostedTools: [],
        messages: prompt.messages.map(asMessage),
        options:
          parameter === undefined ? request.options : { ...request.options, [parameter]: stop },
      },
      {
        signal: options.signal,
        onEvent(event) {
          if (event.type === 'text') onText(event.text);
          else options.onEvent(event);
        },
      },
    );
    const { blocks, stopReason, usage, providerStopReason, requestId } = completion;
    return {
      text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      stopReason:
        stopReason === 'tool_calls' || stopReason === 'unparseable' ? 'other' : stopReason,
      usage,
      model: completion.model,
      ...(providerStopReason === undefined ? {} : { providerStopReason }),
      ...(requestId === undefined ? {} : { requestId }),
    };
  };
}

function asMessage({ role, text, parts }: TextPrompt['messages'][number]): RequestMessage {
  return role === 'user'
    ? { role, content: [{ type: 'text', text }, ...(parts ?? [])] }
    : { role, format: 'text', model: '', raw: null, blocks: [{ type: 'text', text }] };
}

/** Asks a function. Whatever it does, a stop ends the wait for it, and so does a long silence. */
export function askFunction(id: string, complete: TextComplete, limits: IdleLimits): Ask {
  return async ({ prompt, request, stop, onText }, { signal, onEvent }) => {
    const timer = startIdleTimer(signal, limits);
    try {
      const answered = await Promise.race([
        aborted(timer.signal),
        complete(prompt, {
          signal: timer.signal,
          stop,
          maxOutputTokens: request.maxOutputTokens,
          modelOptions: request.options,
          onText(piece) {
            timer.bytes();
            timer.progress();
            onEvent({ type: 'alive' });
            onText(piece);
          },
        }),
      ]);
      const reply = typeof answered === 'string' ? { text: answered } : answered;
      return { model: id, ...reply, usage: reply.usage ?? estimate(prompt, reply.text) };
    } catch (error) {
      if (signal.aborted) throw new ModelFailure('cancelled', 'the completion was cancelled');
      if (timer.stalled !== undefined) {
        throw new ModelFailure('stalled', `the model was silent: ${timer.stalled}`, {
          cause: error,
        });
      }
      throw classify(error);
    } finally {
      timer.stop();
    }
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = (): void => reject(new Error('aborted'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

function classify(error: unknown): ModelFailure {
  if (error instanceof ModelFailure) return error;
  const type = isConnectionLoss(error) ? 'connection' : 'bad_response';
  return new ModelFailure(type, `the model function failed: ${reasonOf(error)}`, { cause: error });
}

function estimate({ system, messages }: TextPrompt, reply: string): Usage {
  return estimateUsage({ system, tools: [], messages: messages.map(asMessage) }, [
    { type: 'text', text: reply },
  ]);
}
