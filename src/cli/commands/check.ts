import type { Command } from 'commander';
import type { PerdureConfig } from '../../define-config.ts';
import { agentsFilePath, loadAgentsFile } from '../agents-file.ts';
import { bold, dim, printer } from '../print.ts';
import { type CommonOptions, plainCommand } from '../server-command.ts';
import { table } from '../table.ts';
import { count } from '../words.ts';

export function checkCommand(): Command {
  return plainCommand('check')
    .description('load an agents file and say what is wrong with it; needs no server')
    .argument('[file]', 'agents file (default: perdure.config.ts)')
    .action(async (file: string | undefined, options: CommonOptions) => {
      const { path, config } = await loadAgentsFile(agentsFilePath(file));
      const print = printer(options.json);
      print.data({ file: path, agents: config.agents.map(described) });
      for (const agent of config.agents) {
        const models = agent.models.map(({ provider, id }) => `${provider}/${id}`).join(', ');
        print.text(`${bold(agent.name)}  ${dim(models)}`);
        if (agent.tools.length > 0) print.text(table([], agent.tools.map(toolRow)));
      }
      print.note(`${path}: ${count(config.agents.length, 'agent')}, nothing wrong`);
    });
}

type Agent = PerdureConfig['agents'][number];
type Tool = Agent['tools'][number];

function toolRow(tool: Tool): string[] {
  const { name, effect, needsApproval, description } = tool;
  return [`  ${name}`, effect, approval(needsApproval), dim(description.split('\n')[0] ?? '')];
}

function described(agent: Agent) {
  return {
    name: agent.name,
    models: agent.models.map(({ provider, id }) => ({ provider, id })),
    tools: agent.tools.map(({ name, effect, needsApproval }) => ({
      name,
      effect,
      needsApproval: typeof needsApproval === 'boolean' ? needsApproval : 'code',
    })),
  };
}

function approval(needsApproval: Tool['needsApproval']): string {
  if (typeof needsApproval === 'function') return 'approval by its own rule';
  return needsApproval ? 'needs approval' : '';
}
