import { describe, test } from 'vitest';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { anthropicWire } from '../../src/models/contract/anthropic-wire.ts';
import { modelContract } from '../../src/models/contract/model-contract.ts';

modelContract({
  describe,
  test,
  wire: anthropicWire,
  create: ({ url }, limits) =>
    anthropic('claude-wire-1', { apiKey: 'test-key', baseURL: url, ...limits }),
});
