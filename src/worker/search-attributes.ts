import type { NativeConnection } from '@temporalio/worker';
import { unfitAttributes } from '../core/search-attributes.ts';

/**
 * Whether the namespace has all of our search attributes, each of its type. A workflow that sets an
 * unknown one, or one of another type, is stuck for ever, so without them (or without the right to
 * ask) conversations set none.
 */
export async function hasSearchAttributes(
  connection: Pick<NativeConnection, 'operatorService'>,
  namespace: string,
): Promise<boolean> {
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({
      namespace,
    });
    const { lacking, otherwise } = unfitAttributes(customAttributes);
    return lacking.length === 0 && otherwise.length === 0;
  } catch {
    return false;
  }
}
