import { type Command, Option } from 'commander';
import type { StartOptions } from '../client/start-conversation.ts';
import { durationMs } from '../core/duration.ts';
import { isJsonObject } from '../core/json.ts';
import type { Start } from '../core/start.ts';
import { whoIsHere } from './by.ts';
import { CliError } from './cli-error.ts';
import { readJson } from './read-json.ts';

/** What a start may say on the command line. */
export interface StartFlags {
  readonly id?: string;
  readonly context?: string;
  readonly state?: string;
  readonly limits?: string;
  readonly capability?: readonly string[];
  readonly tenant?: string;
  readonly tag?: readonly string[];
  readonly control?: 'policy' | 'approve';
  readonly approvalTimeout?: string;
  readonly by?: string;
}

export function addStartOptions(command: Command): Command {
  return command
    .option('--id <id>', 'the conversation’s id; started twice, it runs once')
    .option('--context <json>', 'what tools get as ctx.context: JSON, or @file')
    .option('--state <json>', 'the shared state to begin with: JSON, or @file')
    .option('--limits <json>', 'lower limits than the agent’s, such as \'{"maxSteps":5}\'')
    .option('--capability <name...>', 'what it may use')
    .option('--tenant <id>', 'for whom')
    .option('--tag <tag...>', 'to find it by')
    .addOption(
      new Option(
        '--control <how>',
        '`approve`: ask a person for every call that is not a read',
      ).choices(['policy', 'approve']),
    )
    .option(
      '--approval-timeout <duration>',
      'of every approval, such as "2 hours"; shortens the agent’s',
    )
    .option('--by <id>', 'who starts it (default: the system’s user)');
}

/** @throws {CliError} for JSON that is none */
export async function startArgument(flags: StartFlags): Promise<StartOptions> {
  const { id, capability, tenant, tag, control, by } = flags;
  const json = (option: string, text: string | undefined) =>
    text === undefined ? undefined : readJson(option, text);
  const limits = await json('--limits', flags.limits);
  const approvalTimeout = durationMs(flags.approvalTimeout);
  if (flags.approvalTimeout !== undefined && approvalTimeout === undefined) {
    throw new CliError(
      `--approval-timeout: expected a duration such as "2 hours", got "${flags.approvalTimeout}"`,
    );
  }
  if (limits !== undefined && !isJsonObject(limits)) {
    throw new CliError('--limits: expected a JSON object, such as \'{"maxSteps":5}\'');
  }
  return {
    id,
    context: (await json('--context', flags.context)) as Start['context'],
    state: (await json('--state', flags.state)) as Start['state'],
    limits,
    capabilities: capability === undefined ? undefined : [...capability],
    tenant,
    tags: tag === undefined ? undefined : [...tag],
    control,
    approvalTimeout,
    by: whoIsHere(by),
  };
}
