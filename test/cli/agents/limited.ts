import { anthropic } from '../../../src/models/anthropic/anthropic.ts';
import { defineConfig } from '../../../src/define-config.ts';
import { defineAgent } from '../../../src/tools/define-agent.ts';

const baseURL = process.env['TEST_MODEL_URL'] ?? 'http://127.0.0.1:1';
const modelAt = (id: string) => anthropic(id, { baseURL, apiKey: 'test-key' });
const agentOf = (name: string, model: string) =>
  defineAgent({ name, model: modelAt(model), instructions: 'You answer.' });

/** Two models on task queues of their own, one without, and one that no agent has. */
export default defineConfig({
  agents: [
    agentOf('fast', 'claude-fast'),
    agentOf('narrow', 'claude-narrow'),
    agentOf('free', 'claude-free'),
  ],
  models: {
    'claude-fast': { taskQueue: process.env['TEST_FAST_QUEUE'] ?? 'fast', maxPerSecond: 5 },
    'claude-narrow': { taskQueue: process.env['TEST_NARROW_QUEUE'] ?? 'narrow', maxConcurrent: 2 },
    'claude-gone': { taskQueue: 'gone' },
  },
});
