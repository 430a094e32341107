import { resolve } from 'node:path';
import { readConfig } from '../config.ts';

/** The folder that was named, or that the environment names; default `.perdure` here. Absolute. */
export function dataDirectoryOf({ dataDir }: { readonly dataDir?: string }): string {
  return dataDir === undefined ? readConfig().dataDirectory : resolve(dataDir);
}
