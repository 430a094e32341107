/**
 * Loads a package that only some settings need, so that others need not install it.
 *
 * @param load imports it, e.g. `() => import('pg')`
 * @throws saying which package to install and what for, when it is not there
 */
export async function loadOptionalPackage<Module>(
  name: string,
  neededFor: string,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    if (!isNotFound(cause)) throw cause;
    throw new Error(`${neededFor} needs the package "${name}": npm install ${name}`, { cause });
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}
