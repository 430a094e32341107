/** In what a server differs from the rest. Every field has a default that suits most. */
export interface Quirks {
  /** Who says the instructions; `user`: they go before the first user message. Default `system`. */
  readonly systemRole: 'system' | 'developer' | 'user';
  /** Default `max_tokens`. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** The content of an assistant message that has calls and no text. Default `null`. */
  readonly emptyContent: 'null' | 'string' | 'omit';
  /** `false`: several parts of text are sent as one string, and images are not sent. Default true. */
  readonly contentParts: boolean;
  /** `false`: results are sent as user text. Default true. */
  readonly toolRole: boolean;
  /** `true`: neighbours of one role become one message, for templates that want strict turns. Default false. */
  readonly alternateRoles: boolean;
  /** `false`: the model is asked for one call at a time, and gets earlier ones one after another. Default true. */
  readonly parallelCalls: boolean;
  /** Ask for the usage of a stream. Default true. */
  readonly streamUsage: boolean;
  /** When the schema of the final answer is sent; some servers then never call a tool. Default `always`. */
  readonly structuredOutput: 'always' | 'withoutTools' | 'never';
  /** Whether PDF files are taken as `file` parts. Default false. */
  readonly documents: boolean;
  /** Fields of earlier assistant messages that the server refuses to take back. Default none. */
  readonly dropFields: readonly string[];
}

export const DEFAULT_QUIRKS: Quirks = {
  systemRole: 'system',
  maxTokensField: 'max_tokens',
  emptyContent: 'null',
  contentParts: true,
  toolRole: true,
  alternateRoles: false,
  parallelCalls: true,
  streamUsage: true,
  structuredOutput: 'always',
  documents: false,
  dropFields: [],
};
