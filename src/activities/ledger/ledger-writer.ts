import {
  closeSync,
  existsSync,
  openSync,
  renameSync,
  rmSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf } from '../../core/describe-error.ts';
import { LEDGER_SUFFIX, TEMPORARY_SUFFIX } from './ledger-directory.ts';
import {
  applyChange,
  changesOf,
  type LedgerAttempt,
  type LedgerChange,
  type LedgerHeader,
  lineOf,
} from './ledger-file.ts';
import type { LedgerLog } from './ledger-log.ts';

/** The file is written anew when it has grown by this much and most of it is about ended attempts. */
const COMPACT_AFTER_BYTES = 256 * 1024;

/** The file of one process's ledger: what it holds is on disk when `write` returns. */
export class LedgerWriter {
  readonly #header: LedgerHeader;
  readonly #path: string;
  readonly #temporaryPath: string;
  readonly #socketPath: string;
  readonly #log: LedgerLog;
  readonly #attempts = new Map<number, LedgerAttempt>();
  #descriptor: number | undefined;
  #bytes = 0;
  #bytesOfLastRewrite = 0;

  /** Creates the file; throws when that cannot be done. */
  constructor(directory: string, header: LedgerHeader, log: LedgerLog) {
    this.#header = header;
    this.#path = join(directory, `${header.id}${LEDGER_SUFFIX}`);
    this.#temporaryPath = join(directory, `${header.id}${TEMPORARY_SUFFIX}`);
    this.#socketPath = resolve(directory, header.socket);
    this.#log = log;
    this.#rewrite();
  }

  get attempts(): ReadonlyMap<number, LedgerAttempt> {
    return this.#attempts;
  }

  /**
   * Never throws: an attempt must not fail because its ledger does. A file that would be wrong (an
   * attempt that was handed out must not be reported lost) is removed until it can be written again;
   * heartbeats find what it would have told.
   */
  write(change: LedgerChange): void {
    applyChange(this.#attempts, change);
    try {
      if (this.#descriptor === undefined || this.#shouldCompact()) this.#rewrite();
      else this.#append(this.#descriptor, lineOf(change));
    } catch (error) {
      this.#recover(error);
    }
  }

  /** The file's time says when its process last lived for certain; the socket's keeps cleaners away. */
  touch(): void {
    const now = new Date();
    try {
      utimesSync(this.#socketPath, now, now);
      if (this.#descriptor !== undefined) utimesSync(this.#path, now, now);
    } catch (error) {
      this.#recover(error);
    }
  }

  remove(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    rmSync(this.#path, { force: true });
    rmSync(this.#temporaryPath, { force: true });
  }

  #append(descriptor: number, line: string): void {
    const bytes = Buffer.from(line);
    const written = writeSync(descriptor, bytes);
    this.#bytes += written;
    if (written < bytes.length) throw new Error(`wrote ${written} of ${bytes.length} bytes`);
  }

  #shouldCompact(): boolean {
    return this.#bytes > COMPACT_AFTER_BYTES + 2 * this.#bytesOfLastRewrite;
  }

  #rewrite(): void {
    // To others, a ledger without its socket is that of a dead process.
    if (!existsSync(this.#socketPath)) throw new Error(`the socket ${this.#socketPath} is gone`);
    const text = [this.#header, ...changesOf(this.#attempts)].map(lineOf).join('');
    rmSync(this.#temporaryPath, { force: true });
    const descriptor = openSync(this.#temporaryPath, 'ax', 0o600);
    const before = { descriptor: this.#descriptor, bytes: this.#bytes };
    this.#bytes = 0;
    try {
      this.#append(descriptor, text);
      renameSync(this.#temporaryPath, this.#path);
    } catch (error) {
      closeSync(descriptor);
      this.#bytes = before.bytes;
      throw error;
    }
    if (before.descriptor !== undefined) closeSync(before.descriptor);
    this.#descriptor = descriptor;
    this.#bytesOfLastRewrite = this.#bytes;
  }

  #recover(cause: unknown): void {
    try {
      this.#rewrite();
    } catch {
      const wasWritten = this.#descriptor !== undefined;
      try {
        this.remove();
      } catch {
        // The directory is gone or read-only; the next write tries again.
      }
      if (wasWritten) {
        this.#log.warn(
          'The attempt ledger cannot be written: a worker that dies now is found by heartbeat timeouts only.',
          { path: this.#path, error: messageOf(cause) },
        );
      }
    }
  }
}
