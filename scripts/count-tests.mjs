// Reads vitest's JSON report and prints "N passed, N failed" (", N skipped"). Fails when a test
// failed, a test file could not be loaded, or no test ran.
import { readFileSync } from 'node:fs';

const [path] = process.argv.slice(2);
const text = readFileSync(path, 'utf8');
const { testResults } = text === '' ? { testResults: [] } : JSON.parse(text);
const states = testResults.flatMap(({ status, assertionResults }) => {
  // A file that could not be loaded, or a hook that failed before its first test, has no tests.
  const isBroken =
    status === 'failed' && !assertionResults.some((test) => test.status === 'failed');
  return [...assertionResults.map((test) => test.status), ...(isBroken ? ['failed'] : [])];
});
const count = (...wanted) => states.filter((state) => wanted.includes(state)).length;

const passed = count('passed');
const failed = count('failed');
const skipped = states.length - passed - failed;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
