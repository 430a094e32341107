// A process of its own: runs a tool that leaves failing work behind, prints what is logged, and goes on.
import { logStrayRejections } from '../../../src/activities/stray-rejections.ts';
import { buildTool, Harness } from './harness.ts';

logStrayRejections({ error: (message, fields) => print({ by: 'process', message, fields }) });

const harness = new Harness(
  buildTool(() => {
    setTimeout(() => void Promise.reject(new Error('late')), 20);
    return 'done';
  }),
);
const output = await harness.call();
print({ by: 'call', outcome: output.outcome });
void Promise.reject(new Error('nobody'));
await new Promise((resolve) => setTimeout(resolve, 100));
for (const { level, message, meta } of harness.logs) {
  if (level === 'ERROR') print({ by: 'tool', message, error: meta?.['error'], key: meta?.['key'] });
}
print({ by: 'end' });

function print(line: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
