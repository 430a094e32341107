import { anthropic } from '../../../src/models/anthropic/anthropic.ts';
import { defineAgent } from '../../../src/tools/define-agent.ts';

const baseURL = process.env['TEST_MODEL_URL'];

/** Asks the Anthropic API, or what is at TEST_MODEL_URL. */
export const claude = defineAgent({
  name: 'claude',
  model: anthropic('claude-test', baseURL === undefined ? {} : { baseURL }),
  instructions: 'You answer.',
});
