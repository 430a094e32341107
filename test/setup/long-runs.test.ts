import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What only a person starts is broken unseen: Node finds less in a package than Vitest does. */
test.each(['faults', 'hand-overs', 'model-faults'])(
  'npm run %s loads, and refuses an option that it does not have',
  async (name) => {
    const { scripts } = JSON.parse(await readFile(`${root}package.json`, 'utf8')) as {
      scripts: Record<string, string>;
    };
    const [, command = ''] = (scripts[name] ?? '').split(' && node ');
    const words = [...command.split(' '), '--no-such-option'];
    const said = await new Promise<string>((resolve) => {
      execFile(process.execPath, words, { cwd: root }, (_, _stdout, stderr) => resolve(stderr));
    });
    expect(said).toContain("Unknown option '--no-such-option'");
  },
);
