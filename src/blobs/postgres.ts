import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { conversationIdOf } from '../core/conversation-name.ts';
import { loadOptionalPackage } from '../core/optional-package.ts';
import { isSha256, segmentOf, sha256Of } from './blob-name.ts';
import { type BlobHoldings, BlobMissing, type BlobStore } from './blob-store.ts';
import { createTables, tableNames } from './postgres-tables.ts';

export interface PostgresBlobStoreOptions {
  /** `postgres://user:password@host:5432/database`; TLS by `?sslmode=…`. */
  readonly connectionString: string;
  /** Made on first use, with a second table `<table>_store` for the store's id. Default `perdure_blobs`. */
  readonly table?: string;
  /** Connections of this process at most; default 4. */
  readonly maxConnections?: number;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** A server that is gone without a word must not hold an activity for ever. */
const QUERY_TIMEOUT_MS = 60_000;
const PAGE = 1000;
const UNDEFINED_TABLE = '42P01';

interface BlobRow {
  readonly bytes: Buffer;
}

interface HoldingsRow {
  readonly blobs: number;
  readonly bytes: number;
  readonly newest: Date | null;
}

interface ConversationRow {
  readonly conversation: string;
  readonly conversation_id: string | null;
}

/** Blobs in a table of a PostgreSQL database, for many hosts. Needs the package `pg`. */
export function postgresBlobStore(options: PostgresBlobStoreOptions): BlobStore {
  const tables = tableNames(options.table ?? 'perdure_blobs');
  const { blobs, store } = tables;
  let pool: Promise<Pool> | undefined;
  let opened: Promise<string> | undefined;

  async function query<Row extends object>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<{ readonly rows: readonly Row[]; readonly rowCount: number | null }> {
    pool ??= openPool(options);
    return (await pool).query<Row>(text, [...values]);
  }

  /** Tables first: every other call waits for this one. */
  function id(): Promise<string> {
    opened ??= readOrMakeId().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  }

  async function readOrMakeId(): Promise<string> {
    // Read first: a role that may not create tables can use those that are there.
    const found = await query<{ id: string }>(`select id from ${store}`).catch((error: unknown) => {
      if (isUndefinedTable(error)) return { rows: [] };
      throw error;
    });
    return found.rows[0]?.id ?? makeTables();
  }

  async function makeTables(): Promise<string> {
    pool ??= openPool(options);
    const client = await (await pool).connect();
    try {
      return await createTables(client, tables, randomUUID());
    } finally {
      client.release();
    }
  }

  async function put(conversationId: string, bytes: Uint8Array): Promise<string> {
    await id();
    const sha256 = sha256Of(bytes);
    const name = segmentOf(conversationId);
    // The id itself only where the name does not tell it, as JSON: it may hold what `text` cannot.
    const note = conversationIdOf(name) === undefined ? JSON.stringify(conversationId) : null;
    await query(
      `insert into ${blobs} (conversation, sha256, bytes, conversation_id) values ($1, $2, $3, $4)
       on conflict (conversation, sha256) do update set written_at = now(), bytes = case
         when ${blobs}.bytes is distinct from excluded.bytes then excluded.bytes
         else ${blobs}.bytes end`,
      [name, sha256, asBuffer(bytes), note],
    );
    return sha256;
  }

  async function get(conversationId: string, sha256: string): Promise<Uint8Array> {
    await id();
    const { rows } = await query<BlobRow>(
      `select bytes from ${blobs} where conversation = $1 and sha256 = $2`,
      [segmentOf(conversationId), isSha256(sha256) ? sha256 : ''],
    );
    const bytes = rows[0]?.bytes;
    if (bytes === undefined) throw new BlobMissing(conversationId, sha256, 'absent');
    if (sha256Of(bytes) !== sha256) throw new BlobMissing(conversationId, sha256, 'damaged');
    return bytes;
  }

  async function has(conversationId: string, sha256: string): Promise<boolean> {
    await id();
    const { rows } = await query(`select 1 from ${blobs} where conversation = $1 and sha256 = $2`, [
      segmentOf(conversationId),
      isSha256(sha256) ? sha256 : '',
    ]);
    return rows.length > 0;
  }

  async function setManifest(conversationId: string, sha256: string): Promise<void> {
    await id();
    await query(`update ${blobs} set manifest = (sha256 = $2) where conversation = $1`, [
      segmentOf(conversationId),
      sha256,
    ]);
  }

  async function manifest(conversationId: string): Promise<string | undefined> {
    await id();
    const { rows } = await query<{ sha256: string }>(
      `select sha256 from ${blobs} where conversation = $1 and manifest`,
      [segmentOf(conversationId)],
    );
    return rows[0]?.sha256;
  }

  async function deleteConversation(
    conversationId: string,
    { writtenBefore }: { readonly writtenBefore?: Date } = {},
  ): Promise<number> {
    await id();
    const { rowCount } = await query(
      `delete from ${blobs} where conversation = $1 and written_at < coalesce($2::timestamptz, 'infinity')`,
      [segmentOf(conversationId), writtenBefore?.toISOString() ?? null],
    );
    return rowCount ?? 0;
  }

  async function holdings(conversationId: string): Promise<BlobHoldings> {
    await id();
    const { rows } = await query<HoldingsRow>(
      `select count(*)::int as blobs, coalesce(sum(octet_length(bytes)), 0)::float8 as bytes,
       max(written_at) as newest from ${blobs} where conversation = $1`,
      [segmentOf(conversationId)],
    );
    const { blobs: count = 0, bytes = 0, newest = null } = rows[0] ?? {};
    return { blobs: count, bytes, ...(newest === null ? {} : { newestAt: newest }) };
  }

  async function* conversations(): AsyncGenerator<string> {
    await id();
    for (let after = ''; ;) {
      const { rows } = await query<ConversationRow>(
        `select distinct on (conversation) conversation, conversation_id from ${blobs}
         where conversation > $1 order by conversation limit ${PAGE}`,
        [after],
      );
      for (const row of rows) {
        const conversationId = conversationIdOf(row.conversation) ?? notedId(row.conversation_id);
        if (conversationId !== undefined) yield conversationId;
        after = row.conversation;
      }
      if (rows.length < PAGE) return;
    }
  }

  return {
    kind: 'postgres',
    id,
    put,
    get,
    has,
    setManifest,
    manifest,
    deleteConversation,
    conversations,
    holdings,
    close: async () => {
      const closing = pool;
      pool = undefined;
      opened = undefined;
      await (await closing)?.end();
    },
  };
}

async function openPool(options: PostgresBlobStoreOptions): Promise<Pool> {
  const { default: pg } = await loadOptionalPackage(
    'pg',
    'the blob store "postgres"',
    () => import('pg'),
  );
  const pool = new pg.Pool({
    connectionString: options.connectionString,
    max: options.maxConnections ?? 4,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: 'perdure',
  });
  // An idle connection that the server ends is replaced at the next query; without a listener
  // the event would end the process.
  pool.on('error', () => {});
  return pool;
}

function notedId(note: string | null): string | undefined {
  const id: unknown = note === null ? undefined : JSON.parse(note);
  return typeof id === 'string' ? id : undefined;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function isUndefinedTable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE;
}
