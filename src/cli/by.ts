import { userInfo } from 'node:os';
import type { Who } from '../core/who.ts';

/** Who is at the keyboard: the system's user, unless `--by` says otherwise. */
export function whoIsHere(by: string | undefined): Who {
  return { id: by ?? systemUser(), via: 'cli' };
}

/** A container's user may have no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
