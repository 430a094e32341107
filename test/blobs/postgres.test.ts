import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { postgresBlobStore } from '../../src/blobs/postgres.ts';
import { blobStoreContract } from './contract.ts';
import { startPostgres } from './start-postgres.ts';

const server = await startPostgres();
const connectionString = server?.connectionString ?? '';
afterAll(() => server?.stop());

describe.skipIf(server === undefined)('on PostgreSQL', () => {
  let tables = 0;
  const newTable = (): string => `blobs_${++tables}`;

  blobStoreContract('postgres', () => {
    const table = newTable();
    return {
      open: (place) =>
        postgresBlobStore({
          connectionString,
          table: place === undefined ? table : `${table}_${place}`,
        }),
      damage: async (conversationId, sha256, bytes) => {
        await asOwner(`update ${table} set bytes = $3 where conversation = $1 and sha256 = $2`, [
          conversationId,
          sha256,
          bytes,
        ]);
      },
    };
  });

  test('many open a new database at once: one table, one id', async () => {
    const table = newTable();
    const stores = Array.from({ length: 12 }, () => postgresBlobStore({ connectionString, table }));
    const digests = await Promise.all(stores.map((store) => store.put('c', Buffer.from('same'))));
    expect(new Set(digests).size).toBe(1);
    expect(new Set(await Promise.all(stores.map((store) => store.id()))).size).toBe(1);
    await Promise.all(stores.map((store) => store.close()));
  });

  test('a role that may not create tables uses those that are there', async () => {
    const table = newTable();
    const owner = postgresBlobStore({ connectionString, table });
    const id = await owner.id();
    await asOwner('revoke create on schema public from public');
    await asOwner('create role worker login');
    await asOwner(`grant select, insert, update, delete on ${table} to worker`);
    await asOwner(`grant select on ${table}_store to worker`);
    const store = postgresBlobStore({
      connectionString: connectionString.replace('perdure@', 'worker@'),
      table,
    });
    expect(await store.id()).toBe(id);
    const sha256 = await store.put('c', Buffer.from('x'));
    expect(await store.has('c', sha256)).toBe(true);
    await Promise.all([store.close(), owner.close()]);
  });

  test('lives in a schema of its own', async () => {
    await asOwner('create schema agents');
    const store = postgresBlobStore({ connectionString, table: 'agents.blobs' });
    expect(await store.get('c', await store.put('c', randomBytes(10)))).toHaveLength(10);
    await store.close();
    expect(await asOwner('select 1 from agents.blobs')).toHaveLength(1);
  });

  test('goes on after the server ended its connections', async () => {
    const store = postgresBlobStore({ connectionString, table: newTable(), maxConnections: 1 });
    await store.put('c', randomBytes(10));
    await asOwner(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'perdure'`,
    );
    await expect
      .poll(() => store.put('c', randomBytes(10)).then(() => 'kept', String), { timeout: 10_000 })
      .toBe('kept');
    await store.close();
  });

  test('lists more conversations than fit into one page', async () => {
    const table = newTable();
    const store = postgresBlobStore({ connectionString, table });
    await store.id();
    await asOwner(
      `insert into ${table} (conversation, sha256, bytes)
       select 'c' || c, 'digest-' || n, '' from generate_series(1, 2500) c, generate_series(1, 2) n`,
    );
    const listed: string[] = [];
    for await (const id of store.conversations()) listed.push(id);
    expect(new Set(listed).size).toBe(2500);
    expect(listed).toHaveLength(2500);
    await store.close();
  });
});

test('a database that cannot be reached: no id, and a put fails', async () => {
  const store = postgresBlobStore({ connectionString: 'postgres://nobody@127.0.0.1:1/none' });
  await expect(store.id()).rejects.toThrow('ECONNREFUSED');
  await expect(store.put('c', Buffer.from('x'))).rejects.toThrow('ECONNREFUSED');
  await store.close();
});

test.each(['', 'Blobs', 'a b', 'a;drop', 'a.b.c', '1a', `x"`])(
  'refuses the table name %j',
  (table) => {
    expect(() => postgresBlobStore({ connectionString: '', table })).toThrow(
      'expected a table name',
    );
  },
);

async function asOwner(text: string, values: readonly unknown[] = []): Promise<unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query(text, [...values]);
  await client.end();
  return rows;
}
