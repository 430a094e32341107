import type { Json } from '../core/json.ts';
import type { ModelRequest } from '../core/model-request.ts';
import { addUsage, type Usage } from '../core/usage.ts';
import {
  type CompleteOptions,
  type Completion,
  type Model,
  ModelFailure,
} from '../models/model.ts';
import { withSpent } from '../models/with-spent.ts';
import { lintForModel } from './lint-for-model.ts';
import { readStructuredAnswer } from './structured-answer.ts';

/** A completion that passed every check of ours, with what it took to get there. */
export interface Answer {
  readonly completion: Completion;
  /** Of all completions that were needed. */
  readonly usage: Usage;
  /** The structured final answer, where the agent declares one. */
  readonly output?: Json;
  /** What was mended in the request before it was sent, in words. */
  readonly repairs: readonly string[];
}

/** Answers that do not fit the agent's `output` schema before the turn is given up. */
const MAX_OUTPUT_REPAIRS = 2;

/**
 * Completes a request. A final answer that does not fit the agent's `output` schema is asked for
 * again, with every problem named, a bounded number of times; then it counts as unparseable. What
 * was wrong does not enter the transcript.
 */
export async function completeAnswer(
  model: Model,
  request: ModelRequest,
  options: CompleteOptions,
): Promise<Answer> {
  let asked = request;
  let usage: Usage | undefined;
  const repairs = new Set<string>();
  for (let repair = 0; ; repair++) {
    const completion = await completed(model, linted(model, asked, repairs), options, usage);
    usage = usage === undefined ? completion.usage : addUsage(usage, completion.usage);
    if (request.output === undefined || !isFinal(completion)) {
      return { completion, usage, repairs: [...repairs] };
    }
    const read = readStructuredAnswer(completion.blocks, request.output);
    if ('output' in read) return { completion, usage, output: read.output, repairs: [...repairs] };
    if (repair >= MAX_OUTPUT_REPAIRS) {
      return {
        completion: { ...completion, stopReason: 'unparseable' },
        usage,
        repairs: [...repairs],
      };
    }
    const { format, raw, blocks } = completion;
    asked = {
      ...asked,
      messages: [
        ...asked.messages,
        { role: 'assistant', format, model: completion.model, raw, blocks },
        { role: 'user', content: [{ type: 'text', text: whatIsWrong(read.problems) }] },
      ],
    };
  }
}

async function completed(
  model: Model,
  request: ModelRequest,
  options: CompleteOptions,
  spent: Usage | undefined,
): Promise<Completion> {
  try {
    return await model.complete(request, options);
  } catch (error) {
    throw spent === undefined ? error : withSpent(error, spent);
  }
}

/** No request leaves unseen: what can be mended is, what cannot is not worth sending. */
function linted(model: Model, request: ModelRequest, repairs: Set<string>): ModelRequest {
  const { capabilities } = model;
  if (capabilities?.tools === false && request.tools.length > 0) {
    const { length } = request.tools;
    throw new ModelFailure(
      'invalid_request',
      `the model "${model.id}" takes no tools, and the agent has ${length}: wrap it in textProtocol`,
    );
  }
  const result = lintForModel(model, request);
  if ('problem' in result) {
    const { type, message } = result.problem;
    throw new ModelFailure(type === 'too_large' ? 'too_large' : 'invalid_request', message);
  }
  for (const { rule, at, what } of result.repairs) repairs.add(`${rule} at ${at}: ${what}`);
  return result.request;
}

function isFinal({ blocks, stopReason }: Completion): boolean {
  return stopReason === 'end' && !blocks.some(({ type }) => type === 'tool_call');
}

function whatIsWrong(problems: readonly string[]): string {
  return [
    'That answer does not fit the required JSON Schema:',
    ...problems.map((problem) => `- ${problem}`),
    'Answer again with the JSON alone.',
  ].join('\n');
}
