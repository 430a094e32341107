import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../core/json.ts';
import type { RememberedRule } from '../../core/remember-rules.ts';
import { valueAt } from '../../core/value-at.ts';

/** The first remembered rule that answers for a call with these arguments. */
export function matchingRule(
  rules: readonly RememberedRule[],
  call: { readonly tool: string; readonly input: Json; readonly digest: string },
): RememberedRule | undefined {
  return rules.find(({ tool, match }) => {
    if (tool !== call.tool) return false;
    switch (match.kind) {
      case 'tool':
        return true;
      case 'exact':
        return match.digest === call.digest;
      case 'pointers': {
        const wanted = Object.entries(match.values);
        // No pointers would match every call, which nobody who listed pointers meant.
        if (wanted.length === 0) return false;
        return wanted.every(([pointer, value]) =>
          isDeepStrictEqual(valueAt(call.input, pointer), value),
        );
      }
    }
  });
}
