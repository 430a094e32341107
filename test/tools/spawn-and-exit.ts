// A process of its own: starts a command for a tool and exits when the command says that it is ready.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { spawnTool } from '../../src/tools/spawn.ts';

const script = process.argv[2] ?? '';
const directory = /cd "(.+)"/.exec(script)?.[1] ?? '';
void spawnTool({ signal: new AbortController().signal }, 'sh', ['-c', script]);
setInterval(() => {
  if (existsSync(join(directory, 'ready'))) process.exit(1);
}, 20);
