import { readFile } from 'node:fs/promises';
import { messageOf } from '../core/describe-error.ts';
import type { Json } from '../core/json.ts';
import { CliError } from './cli-error.ts';

/** JSON of an option: the text itself, or `@file`. */
export async function readJson(option: string, text: string): Promise<Json> {
  const source = text.startsWith('@') ? await fileText(option, text.slice(1)) : text;
  try {
    return JSON.parse(source) as Json;
  } catch (error) {
    const reason = messageOf(error);
    throw new CliError(
      `${option}: expected JSON, for example '{"amount":12}' or @file.json (${reason})`,
      { cause: error },
    );
  }
}

async function fileText(option: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CliError(`${option}: the file ${file} cannot be read`, { cause: error });
  }
}
