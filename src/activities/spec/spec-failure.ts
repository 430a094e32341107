import { ApplicationFailure } from '@temporalio/activity';

const PROBLEM_CHARACTERS = 500;
const MESSAGE_CHARACTERS = 2_000;

/** The starter gave what the agent cannot take. Details: `{ problems }`. */
export function invalidStart(agent: string, problems: readonly string[]): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'InvalidStart',
    message: `the agent "${agent}" cannot begin with this: ${problems.join('; ')}`.slice(
      0,
      MESSAGE_CHARACTERS,
    ),
    nonRetryable: true,
    details: [{ problems: problems.map((problem) => problem.slice(0, PROBLEM_CHARACTERS)) }],
  });
}

/** The agent's own code cannot make a spec. */
export function agentInvalid(agent: string, problem: string, cause?: unknown): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'AgentInvalid',
    message: `the agent "${agent}" cannot begin: ${problem}`.slice(0, MESSAGE_CHARACTERS),
    nonRetryable: true,
    ...(cause instanceof Error ? { cause } : {}),
  });
}
