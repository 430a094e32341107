import type { PoolClient } from 'pg';

export interface TableNames {
  /** Quoted. */
  readonly blobs: string;
  readonly store: string;
}

const TABLE = /^[a-z_][a-z0-9_]{0,49}(\.[a-z_][a-z0-9_]{0,49})?$/;

export function tableNames(table: string): TableNames {
  if (!TABLE.test(table)) {
    throw new Error(
      `expected a table name of lower-case letters, digits and _, perhaps with a schema, got ${JSON.stringify(table)}`,
    );
  }
  const quoted = (name: string): string => `"${name.replace('.', '"."')}"`;
  return { blobs: quoted(table), store: quoted(`${table}_store`) };
}

/** Makes the tables where they are not there, and returns the store's id. */
export async function createTables(
  client: PoolClient,
  { blobs, store }: TableNames,
  newId: string,
): Promise<string> {
  const made = await inTransaction(client, async () => {
    // `create table if not exists` by two at once can still fail: one after the other.
    await client.query('select pg_advisory_xact_lock(hashtext($1))', [blobs]);
    await client.query(`create table if not exists ${blobs} (
      conversation text collate "C" not null,
      sha256 text collate "C" not null,
      bytes bytea not null,
      conversation_id text,
      manifest boolean not null default false,
      written_at timestamptz not null default now(),
      primary key (conversation, sha256)
    )`);
    await client.query(`create table if not exists ${store} (
      singleton boolean primary key default true check (singleton),
      id text not null
    )`);
    await client.query(`insert into ${store} (id) values ($1) on conflict do nothing`, [newId]);
    return client.query<{ id: string }>(`select id from ${store}`);
  });
  const id = made.rows[0]?.id;
  if (id === undefined) throw new Error(`expected the blob store's id in table ${store}`);
  return id;
}

async function inTransaction<Result>(
  client: PoolClient,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query('begin');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}
