import type { ConnectionLike } from '@temporalio/client';
import {
  SEARCH_ATTRIBUTE_NUMBERS,
  SEARCH_ATTRIBUTE_TYPES,
  unfitAttributes,
} from '../../core/search-attributes.ts';
import { oneLine } from '../report-error.ts';
import type { Finding } from './finding.ts';

const CHECK = 'search attributes';

/** Whether the namespace can be searched by status, tenant and tags; registers what lacks with `fix`. */
export async function checkSearchAttributes(
  connection: ConnectionLike,
  namespace: string,
  fix: boolean,
): Promise<Finding> {
  try {
    const { operatorService } = connection;
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    const { lacking, otherwise } = unfitAttributes(customAttributes);
    if (otherwise.length > 0) {
      const names = otherwise.map(([name, type]) => `${name} (${type})`).join(', ');
      return {
        check: CHECK,
        verdict: 'warning',
        detail: `not of the type that they should have in "${namespace}": ${names}; conversations run, but cannot be searched`,
        mend: 'remove them with `temporal operator search-attribute remove`, then perdure doctor --fix',
      };
    }
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
    await operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(
        lacking.map(([name, type]) => [name, SEARCH_ATTRIBUTE_NUMBERS[type]]),
      ),
    });
    return { check: CHECK, verdict: 'ok', detail: `registered ${names}: restart the workers` };
  } catch (error) {
    return {
      check: CHECK,
      verdict: 'skipped',
      detail: `the server does not let us see or add them (${oneLine(error)})`,
      mend: `temporal operator search-attribute create ${creation()}`,
    };
  }
}

function creation(): string {
  return Object.entries(SEARCH_ATTRIBUTE_TYPES)
    .map(([name, type]) => `--name ${name} --type ${type}`)
    .join(' ');
}
