import { scripted } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';

/** An agent that says how many messages it has heard. */
export default function echoConfig() {
  const model = scripted(({ messages }) => {
    const heard = messages.filter(({ role }) => role === 'user').length;
    return `heard ${heard}`;
  });
  return { agents: [defineAgent({ name: 'echo', model, instructions: 'Listen.', tools: [] })] };
}
