import { readFile } from 'node:fs/promises';

export interface DocBlock {
  readonly language: string;
  /** From a first line `// file: name`. */
  readonly file?: string;
  readonly code: string;
}

/** The fenced code blocks of a Markdown page, in order. */
export async function docBlocks(page: URL): Promise<DocBlock[]> {
  const text = await readFile(page, 'utf8');
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', code = '']) => {
    const file = /^\/\/ file: (\S+)\n/.exec(code)?.[1];
    return { language, code, ...(file === undefined ? {} : { file }) };
  });
}
