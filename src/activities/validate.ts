import { activityInfo, ApplicationFailure } from '@temporalio/activity';
import { loadValue, storeValue } from '../blobs/stored-value.ts';
import type { ValidateInput, ValidateOutput } from '../core/activity-shapes.ts';
import { describeError } from '../core/describe-error.ts';
import type { JsonObject } from '../core/json.ts';
import type { ActivityEnvironment } from './environment.ts';
import { callSummary } from './planning/call-summary.ts';
import { checkArguments } from './planning/check-arguments.ts';
import { CODE_LIMIT_MS, withinLimit } from './planning/within-limit.ts';
import { runLocation } from './run-location.ts';
import { storeFailure } from './store-failure.ts';
import { digestOf } from './transcript/digest.ts';
import type { Tool } from '../tools/tool.ts';

/**
 * `perdure.validate`: whether arguments that a person changed fit the tool, by the schema that the
 * conversation began with and by the tool's own code where this worker has it. Answers with all
 * problems, or with the arguments as they are to run.
 *
 * Fails with `StoreUnavailable`, or `BlobMissing` when the new arguments are gone.
 */
export function createValidateActivity(
  environment: ActivityEnvironment,
): (input: ValidateInput) => Promise<ValidateOutput> {
  return async (input) => {
    const location = runLocation(activityInfo());
    const { blobs, inlineLimitBytes, transcripts } = environment;
    const attempt = async <T>(doing: string, use: () => Promise<T>): Promise<T> => {
      try {
        return await use();
      } catch (error) {
        if (error instanceof ApplicationFailure) throw error;
        throw storeFailure(blobs, `${doing} of call ${input.key}`, error);
      }
    };
    const spec = await attempt('reading the spec', () => transcripts.spec(location, input.spec));
    const tool = spec.tools.find(({ name }) => name === input.tool);
    if (tool === undefined) return { problems: [`there is no tool "${input.tool}"`] };
    const value = await attempt('reading the new arguments', () =>
      loadValue(blobs, location.workflowId, input.input),
    );
    const checked = checkArguments(tool, value);
    if ('problems' in checked) return { problems: checked.problems };
    const code = environment.agents.get(spec.agent)?.tools.find(({ name }) => name === tool.name);
    const refused = code === undefined ? [] : await refusedByCode(code, checked.input);
    if (refused.length > 0) return { problems: refused };
    return {
      input: await attempt('keeping the new arguments', () =>
        storeValue(blobs, location.workflowId, checked.input, { inlineLimitBytes }),
      ),
      digest: digestOf(checked.input),
      summary: await callSummary(tool.name, checked.input, { code, limitMs: CODE_LIMIT_MS }),
    };
  };
}

async function refusedByCode(code: Tool<never>, input: JsonObject): Promise<readonly string[]> {
  try {
    const parsed = await withinLimit(CODE_LIMIT_MS, () => code.parse(input));
    return 'problems' in parsed ? parsed.problems : [];
  } catch (error) {
    return [`the schema of "${code.name}" failed: ${describeError(error)}`];
  }
}
