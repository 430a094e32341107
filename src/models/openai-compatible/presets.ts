import type { IdleLimits } from '../idle-timer.ts';
import type { Quirks } from './quirks.ts';

export interface Preset extends IdleLimits {
  readonly baseURL?: string;
  /** `environment`: as OpenAI's SDK finds it; `none`: the server wants none; else it must be given. */
  readonly key: 'environment' | 'required' | 'none';
  readonly quirks: Partial<Quirks>;
}

/** A server that loads a model on demand says nothing for minutes. */
const COLD_START_MS = 600_000;

export const NO_PRESET: Preset = { key: 'none', quirks: {} };

export const PRESETS = {
  openai: {
    key: 'environment',
    quirks: {
      systemRole: 'developer',
      maxTokensField: 'max_completion_tokens',
      documents: true,
    },
  },
  openrouter: {
    baseURL: 'https://openrouter.ai/api/v1',
    key: 'required',
    quirks: { documents: true },
  },
  vllm: {
    key: 'none',
    quirks: { structuredOutput: 'withoutTools' },
  },
  ollama: {
    baseURL: 'http://127.0.0.1:11434/v1',
    key: 'none',
    idleTimeoutMs: COLD_START_MS,
    quirks: { structuredOutput: 'withoutTools', emptyContent: 'string' },
  },
  /** vLLM behind a Modal web endpoint, which starts a container when there is none. */
  modal: {
    key: 'none',
    idleTimeoutMs: COLD_START_MS,
    quirks: { structuredOutput: 'withoutTools' },
  },
} as const satisfies Readonly<Record<string, Preset>>;

export type PresetName = keyof typeof PRESETS;
