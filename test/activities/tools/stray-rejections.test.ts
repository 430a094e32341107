import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { KEY } from './harness.ts';

test('work that a tool left behind and that fails is logged by the name of the tool; the worker lives', async () => {
  const script = fileURLToPath(new URL('leave-work-behind.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script]);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toEqual([
    { by: 'call', outcome: 'ok' },
    {
      by: 'process',
      message: 'a promise was rejected and nobody had waited for it',
      fields: { error: 'Error: nobody' },
    },
    {
      by: 'tool',
      message:
        'the tool "refund_order" left work behind that failed: await every promise that it starts',
      error: 'Error: late',
      key: KEY,
    },
    { by: 'end' },
  ]);
}, 30_000);
