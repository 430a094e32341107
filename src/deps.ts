/**
 * What tools get as `ctx.deps`: the value itself, or a function that opens it when a worker starts
 * and says how to give it back.
 */
export type DepsSource<Deps> = Deps | (() => OpenedDeps<Deps> | Promise<OpenedDeps<Deps>>);

export interface OpenedDeps<Deps> {
  readonly deps: Deps;
  /** Called once, when the worker has finished its last activity. */
  readonly dispose?: () => void | Promise<void>;
}

/** `deps` may be left out only when no tool needs any. */
export type DepsOption<Deps> = {} extends Deps
  ? { readonly deps?: DepsSource<Deps> }
  : { readonly deps: DepsSource<Deps> };

/** Opens the dependencies of a worker. A value needs no opening and is never disposed of. */
export async function openDeps(source: unknown): Promise<Required<OpenedDeps<unknown>>> {
  if (typeof source !== 'function') return { deps: source ?? {}, dispose: () => {} };
  const opened: unknown = await source();
  if (typeof opened !== 'object' || opened === null || !('deps' in opened)) {
    throw new TypeError(
      `the function given as "deps" must return { deps, dispose? }, it returned ${opened === null ? 'null' : typeof opened}`,
    );
  }
  const { deps, dispose } = opened as OpenedDeps<unknown>;
  return { deps, dispose: dispose ?? (() => {}) };
}
