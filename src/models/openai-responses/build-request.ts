import type OpenAI from 'openai';
import type { JsonObject } from '../../core/json.ts';
import type { ModelRequest } from '../../core/model-request.ts';
import { refuseOurs } from '../refuse-options.ts';
import { type Learned, withoutRefused } from '../openai-compatible/learned.ts';
import { buildInput } from './build-input.ts';

/** What a request is made of; `modelOptions` that name one of these would contradict the runner. */
const OURS = [
  'model',
  'input',
  'instructions',
  'tools',
  'stream',
  'max_output_tokens',
  'store',
  'previous_response_id',
  'conversation',
  'background',
];

export interface RequestSettings {
  readonly model: string;
  readonly learned: Learned;
  /** Sent with every request; what the agent says wins. */
  readonly modelOptions: JsonObject;
}

/** The request in the words of the Responses API. The service keeps nothing: all state is ours. */
export function buildRequest(
  request: ModelRequest,
  { model, learned, modelOptions }: RequestSettings,
): OpenAI.Responses.ResponseCreateParamsStreaming {
  const { text, ...options } = { ...modelOptions, ...request.options };
  refuseOurs(options, OURS);
  const tools: JsonObject[] = [
    ...request.tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      name,
      description,
      parameters: inputSchema,
      strict: false,
    })),
    ...request.hostedTools,
  ];
  const body: JsonObject = {
    include: ['reasoning.encrypted_content'],
    ...options,
    ...textOptions(text, request.output),
    ...(tools.length > 0 && request.toolChoice === 'none' ? { tool_choice: 'none' } : {}),
    model,
    ...(request.system.trim() === '' ? {} : { instructions: request.system }),
    ...(tools.length === 0 ? {} : { tools }),
    input: buildInput(model, request.messages),
    max_output_tokens: request.maxOutputTokens,
    store: false,
    stream: true,
  };
  return withoutRefused(body, learned) as unknown as OpenAI.Responses.ResponseCreateParamsStreaming;
}

function textOptions(
  given: JsonObject[string] | undefined,
  output: JsonObject | undefined,
): JsonObject {
  const format = { type: 'json_schema', name: 'answer', schema: output ?? {}, strict: false };
  const own = typeof given === 'object' && given !== null ? (given as JsonObject) : {};
  const text: JsonObject = output === undefined ? own : { format, ...own };
  return Object.keys(text).length === 0 ? {} : { text };
}
