import { SEARCH_ATTRIBUTE_TYPES } from '../core/search-attributes.ts';
import { LOOPBACK } from './free-port.ts';

export interface ServerSettings {
  readonly port: number;
  /** Absent: no UI. */
  readonly uiPort?: number;
  /** Of the server's HTTP API. Absent: one that the server chooses. */
  readonly httpPort?: number;
  readonly namespace: string;
  /** Absent: everything in memory. */
  readonly databaseFile?: string;
  /** The dev server's own speed settings instead of ours, to measure against. */
  readonly withDefaults: boolean;
}

/**
 * The dev server has one shard and polls its queues 20 times a second by default: every workflow
 * task then waits up to 50 ms. With these a step is six times faster.
 */
const POLL_RATES = {
  'history.transferProcessorMaxPollRPS': 2000,
  'history.timerProcessorMaxPollRPS': 2000,
  'history.visibilityProcessorMaxPollRPS': 2000,
} as const;

/**
 * A conversation is deleted once its queues have noted that they are past its end: every half a
 * minute by default.
 */
const NOTE_INTERVALS = {
  'history.transferProcessorUpdateAckInterval': '"1s"',
  'history.visibilityProcessorUpdateAckInterval': '"1s"',
} as const;

/** Safe against the death of the process; a power cut can lose the last transactions. */
const SQLITE_PRAGMAS = ['journal_mode=WAL', 'synchronous=NORMAL'] as const;

/** The arguments of `temporal` that start the dev server as Perdure wants it. */
export function serverArguments(settings: ServerSettings): readonly string[] {
  const args = ['server', 'start-dev', '--ip', LOOPBACK, '--port', String(settings.port)];
  args.push('--namespace', settings.namespace, '--log-level', 'error');
  if (settings.uiPort === undefined) args.push('--headless');
  else args.push('--ui-port', String(settings.uiPort));
  if (settings.httpPort !== undefined) args.push('--http-port', String(settings.httpPort));
  for (const [name, type] of Object.entries(SEARCH_ATTRIBUTE_TYPES)) {
    args.push('--search-attribute', `${name}=${type}`);
  }
  if (settings.databaseFile !== undefined) args.push('--db-filename', settings.databaseFile);
  if (settings.withDefaults) return args;
  for (const [key, value] of Object.entries({ ...POLL_RATES, ...NOTE_INTERVALS })) {
    args.push('--dynamic-config-value', `${key}=${value}`);
  }
  if (settings.databaseFile !== undefined) {
    for (const pragma of SQLITE_PRAGMAS) args.push('--sqlite-pragma', pragma);
  }
  return args;
}
