import { defineAgent } from '../../../src/tools/define-agent.ts';
import { scripted } from '../../../src/models/scripted.ts';

export const twice = defineAgent({
  name: 'two words',
  model: scripted(['hello']),
  instructions: '',
  maxParallel: 0,
});
