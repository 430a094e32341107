import type OpenAI from 'openai';
import type { JsonObject } from '../../core/json.ts';
import type { ModelRequest } from '../../core/model-request.ts';
import { refuseOurs } from '../refuse-options.ts';
import { buildMessages } from './build-messages.ts';
import { type Learned, withoutRefused } from './learned.ts';
import type { Quirks } from './quirks.ts';

/** What a request is made of; `modelOptions` that name one of these would contradict the runner. */
const OURS = ['model', 'messages', 'tools', 'stream', 'max_tokens', 'max_completion_tokens', 'n'];

export interface RequestSettings {
  readonly model: string;
  readonly quirks: Quirks;
  readonly learned: Learned;
  /** Sent with every request; what the agent says wins. */
  readonly modelOptions: JsonObject;
}

/** The request in the words of Chat Completions. */
export function buildRequest(
  request: ModelRequest,
  { model, quirks, learned, modelOptions }: RequestSettings,
): OpenAI.ChatCompletionCreateParamsStreaming {
  const options = { ...modelOptions, ...request.options };
  refuseOurs(options, OURS);
  const tools: JsonObject[] = [
    ...request.tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    })),
    ...request.hostedTools,
  ];
  const body: JsonObject = {
    ...(quirks.streamUsage ? { stream_options: { include_usage: true } } : {}),
    ...(tools.length > 0 && !quirks.parallelCalls ? { parallel_tool_calls: false } : {}),
    ...responseFormat(request, quirks, tools.length > 0),
    ...options,
    ...(tools.length > 0 && request.toolChoice === 'none' ? { tool_choice: 'none' } : {}),
    model,
    messages: buildMessages(model, request, quirks),
    ...(tools.length === 0 ? {} : { tools }),
    [quirks.maxTokensField]: request.maxOutputTokens,
    stream: true,
  };
  return withoutRefused(body, learned) as unknown as OpenAI.ChatCompletionCreateParamsStreaming;
}

function responseFormat(request: ModelRequest, quirks: Quirks, hasTools: boolean): JsonObject {
  const mayCall = hasTools && request.toolChoice !== 'none';
  if (request.output === undefined || quirks.structuredOutput === 'never') return {};
  if (quirks.structuredOutput === 'withoutTools' && mayCall) return {};
  const json_schema = { name: 'answer', schema: request.output };
  return { response_format: { type: 'json_schema', json_schema } };
}
