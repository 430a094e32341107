import type { ConnectionLike } from '@temporalio/client';
import { SEARCH_ATTRIBUTE_TYPES } from '../../embedded-server/server-arguments.ts';
import { type Finding, reasonOf } from './finding.ts';

/** How the server's API numbers the types that we use. */
const TYPE_NUMBERS = { Keyword: 2, Int: 3, KeywordList: 7 } as const;

const CHECK = 'search attributes';

/** Whether the namespace can be searched by status, tenant and tags; registers what lacks with `fix`. */
export async function checkSearchAttributes(
  connection: ConnectionLike,
  namespace: string,
  fix: boolean,
): Promise<Finding> {
  try {
    const lacking = await lackingAttributes(connection, namespace);
    if (lacking.length === 0) {
      return { check: CHECK, verdict: 'ok', detail: 'all registered' };
    }
    const names = lacking.map(([name]) => name).join(', ');
    if (!fix) {
      return {
        check: CHECK,
        verdict: 'warning',
        detail: `${names} not registered in "${namespace}": conversations run, but cannot be searched`,
        mend: 'perdure doctor --fix',
      };
    }
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(
        lacking.map(([name, type]) => [name, TYPE_NUMBERS[type]]),
      ),
    });
    return { check: CHECK, verdict: 'ok', detail: `registered ${names}: restart the workers` };
  } catch (error) {
    return {
      check: CHECK,
      verdict: 'skipped',
      detail: `the server does not let us see or add them (${reasonOf(error)})`,
      mend: `temporal operator search-attribute create ${creation()}`,
    };
  }
}

async function lackingAttributes(connection: ConnectionLike, namespace: string) {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return Object.entries(SEARCH_ATTRIBUTE_TYPES).filter(
    ([name]) => !(name in (customAttributes ?? {})),
  );
}

function creation(): string {
  return Object.entries(SEARCH_ATTRIBUTE_TYPES)
    .map(([name, type]) => `--name ${name} --type ${type}`)
    .join(' ');
}
