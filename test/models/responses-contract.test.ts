import { describe, test } from 'vitest';
import { modelContract } from '../../src/models/contract/model-contract.ts';
import { responsesWire } from '../../src/models/contract/responses-wire.ts';
import { openaiResponses } from '../../src/models/openai-responses/openai-responses.ts';

modelContract({
  describe,
  test,
  wire: responsesWire,
  create: ({ url }, limits) =>
    openaiResponses('wire-1', { apiKey: 'k', baseURL: `${url}/v1`, ...limits }),
});
