// Finds or fetches the Temporal CLI and records its path in the file named by the first argument,
// so that the next set-up need not look.
import { writeFile } from 'node:fs/promises';
import { findTemporalCli, TemporalCliNotFound } from '../src/embedded-server/find-temporal-cli.ts';

const [record] = process.argv.slice(2);
if (record === undefined) throw new Error('expected the path of the record file as argument');

try {
  const { path } = await findTemporalCli({ log: (message) => console.log(message) });
  await writeFile(record, path);
} catch (error) {
  if (!(error instanceof TemporalCliNotFound)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
