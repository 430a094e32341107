#!/usr/bin/env node
import { program } from './program.ts';
import { reportError } from './report-error.ts';

try {
  await program().parseAsync();
} catch (error) {
  const asked = (option: string) => process.argv.includes(option);
  process.exitCode = reportError(error, { debug: asked('--debug'), json: asked('--json') });
}
