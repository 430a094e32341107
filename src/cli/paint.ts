import { styleText } from 'node:util';

type Format = Parameters<typeof styleText>[0];

/** Coloured text, where the stream is a terminal that shows colours (`NO_COLOR` is respected). */
export function paint(stream: NodeJS.WriteStream, format: Format, text: string): string {
  return styleText(format, text, { stream });
}
