import type Anthropic from '@anthropic-ai/sdk';
import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import { messageOf } from '../../core/describe-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { ModelRequest } from '../../core/model-request.ts';
import { ModelFailure } from '../model.ts';
import { refuseOurs } from '../refuse-options.ts';
import { type ApiMessage, buildMessages } from './build-messages.ts';
import { type CacheLifetime, placeBreakpoints } from './cache-breakpoints.ts';
import { ANTHROPIC_FORMAT, asRawTurn } from './raw-turn.ts';

/** What a request is made of; `modelOptions` that name one of these would contradict the runner. */
const OURS = ['model', 'messages', 'system', 'tools', 'stream', 'max_tokens', 'container'];

export interface ApiRequest {
  readonly body: Anthropic.MessageCreateParamsStreaming;
  readonly headers: Record<string, string>;
}

export interface RequestSettings {
  readonly model: string;
  readonly cache: CacheLifetime | 'off';
  /** Sent with every request; what the agent says wins. */
  readonly modelOptions: JsonObject;
  /** Milliseconds since 1970; containers that expired are not asked for. */
  readonly now: number;
  /** What this turn has so far: the server paused it, and gets it back. */
  readonly continued: readonly JsonObject[];
}

/** The request in the API's words. */
export function buildRequest(request: ModelRequest, settings: RequestSettings): ApiRequest {
  const all = { ...settings.modelOptions, ...request.options };
  refuseOurs(all, OURS);
  const { betas, effort, output_config, tool_choice, ...options } = all;
  const system: JsonObject[] =
    request.system.trim() === '' ? [] : [{ type: 'text', text: request.system }];
  const tools: JsonObject[] = [
    ...request.tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      input_schema: inputSchema,
    })),
    ...request.hostedTools,
  ];
  const messages: ApiMessage[] = buildMessages(settings.model, request.messages);
  if (settings.cache !== 'off') {
    const reserved = isJsonObject(options['cache_control']) ? 1 : 0;
    placeBreakpoints({ system, tools, messages }, { lifetime: settings.cache, reserved });
  }
  if (settings.continued.length > 0) {
    messages.push({ role: 'assistant', content: [...settings.continued] });
  }
  const body = {
    ...options,
    ...outputConfig(output_config, effort, request.output),
    ...toolChoice(tool_choice, request, tools),
    ...container(request, settings.now),
    ...(system.length === 0 ? {} : { system }),
    ...(tools.length === 0 ? {} : { tools }),
    model: settings.model,
    max_tokens: request.maxOutputTokens,
    messages,
    stream: true,
  };
  return {
    body: body as unknown as Anthropic.MessageCreateParamsStreaming,
    headers: Array.isArray(betas) ? { 'anthropic-beta': betas.join(',') } : {},
  };
}

function outputConfig(
  given: Json | undefined,
  effort: Json | undefined,
  output: JsonObject | undefined,
): JsonObject {
  const config: JsonObject = {
    ...(output === undefined ? {} : { format: outputFormat(output) }),
    ...(effort === undefined ? {} : { effort }),
    ...(isJsonObject(given) ? given : {}),
  };
  return Object.keys(config).length === 0 ? {} : { output_config: config };
}

function outputFormat(schema: JsonObject): JsonObject {
  try {
    const strict = transformJSONSchema(schema as Parameters<typeof transformJSONSchema>[0]);
    return { type: 'json_schema', schema: strict as unknown as JsonObject };
  } catch (cause) {
    const words = messageOf(cause);
    throw new ModelFailure(
      'invalid_request',
      `the agent's output schema cannot be sent to the API: ${words}`,
      { cause },
    );
  }
}

function toolChoice(
  given: Json | undefined,
  request: ModelRequest,
  tools: readonly JsonObject[],
): JsonObject {
  if (tools.length === 0) return {};
  if (request.toolChoice === 'none') return { tool_choice: { type: 'none' } };
  return given === undefined ? {} : { tool_choice: given };
}

/** Hosted code execution goes on in the container that it began in, while that lives. */
function container(request: ModelRequest, now: number): JsonObject {
  const newest = request.messages
    .filter((message) => message.role === 'assistant' && message.format === ANTHROPIC_FORMAT)
    .map((message) =>
      message.role === 'assistant' ? asRawTurn(message.raw)?.container : undefined,
    )
    .findLast((found) => found !== undefined);
  if (newest === undefined || request.hostedTools.length === 0) return {};
  return Date.parse(newest.expires_at) > now ? { container: newest.id } : {};
}
