import type { NativeConnection } from '@temporalio/worker';
import { SEARCH_ATTRIBUTES } from '../core/names.ts';

/**
 * Whether the namespace has all of our search attributes. A workflow that sets an unknown one is
 * stuck for ever, so without them (or without the right to ask) conversations set none.
 */
export async function hasSearchAttributes(
  connection: NativeConnection,
  namespace: string,
): Promise<boolean> {
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({
      namespace,
    });
    return Object.values(SEARCH_ATTRIBUTES).every((name) => name in customAttributes);
  } catch {
    return false;
  }
}
