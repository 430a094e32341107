import { describe, test } from 'vitest';
import { modelContract } from '../../src/models/contract/model-contract.ts';
import { openaiWire } from '../../src/models/contract/openai-wire.ts';
import { openaiCompatible } from '../../src/models/openai-compatible/openai-compatible.ts';
import { PRESETS, type PresetName } from '../../src/models/openai-compatible/presets.ts';

modelContract({
  describe,
  test,
  wire: openaiWire,
  create: ({ url }, limits) =>
    openaiCompatible({ model: 'wire-1', baseURL: `${url}/v1`, ...limits }),
});

for (const preset of Object.keys(PRESETS) as PresetName[]) {
  modelContract({
    describe,
    test: onlyAFew(test),
    wire: { ...openaiWire, name: `openai, preset ${preset}` },
    create: ({ url }, limits) =>
      openaiCompatible({ model: 'wire-1', preset, apiKey: 'k', baseURL: `${url}/v1`, ...limits }),
  });
}

/** What presets can change is what is sent; how bytes are read is the same for all. */
function onlyAFew(run: typeof test): (name: string, body: () => Promise<void>) => void {
  const aboutRequests = /request|conversation|rendered|recorded|calls keep/;
  return (name, body) => {
    if (aboutRequests.test(name)) run(name, body);
  };
}
