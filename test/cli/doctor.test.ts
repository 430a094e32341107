import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { msToTs } from '@temporalio/common/lib/time.js';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { PerdureClient } from '../../src/client/index.ts';
import { SOON } from '../client/soon.ts';
import { agentsFile, runCli } from './run-cli.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perdure-test-doctor-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Finding {
  readonly check: string;
  readonly verdict: string;
  readonly detail: string;
  readonly mend?: string;
}

async function doctor(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ exitCode: number | undefined; of: (check: string) => Finding | undefined }> {
  const where = ['--address', inject('temporalAddress'), '--data-dir', folder];
  const { exitCode, stdout } = await runCli(['doctor', ...args, '--json', ...where], { env });
  const findings: readonly Finding[] = JSON.parse(stdout);
  return { exitCode, of: (name) => findings.find(({ check }) => check === name) };
}

describe('perdure doctor', () => {
  test('finds a good set-up good, and says that no worker is up', async () => {
    const queue = `test-${randomUUID()}`;
    const { exitCode, of } = await doctor([agentsFile('desk.ts'), '--task-queue', queue]);
    expect(exitCode).toBe(0);
    for (const check of ['server', 'search attributes', 'stuck runs', 'blob store', 'agents']) {
      expect(of(check)).toMatchObject({ verdict: 'ok' });
    }
    expect(of('workers')).toMatchObject({ verdict: 'warning', mend: expect.any(String) });
    expect(of('poll rates')?.detail).toMatch(/\d+ ms for a workflow task/);
    expect(of('models')).toMatchObject({ verdict: 'ok' });
  });

  test('registers the search attributes that lack, when it may', async () => {
    const address = inject('temporalAddress');
    const namespace = `doctor-${randomUUID()}`;
    const client = await PerdureClient.connect({ address, namespace });
    await client.temporal.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs('1 day'),
    });
    await expect.poll(() => client.handle('x').describe().catch(String), SOON).toMatch(/no conv/);
    await client.close();
    const before = await doctor(['--namespace', namespace]);
    expect(before.of('search attributes')).toMatchObject({
      verdict: 'warning',
      detail: expect.stringContaining('PerdureStatus, PerdurePending, PerdureTenant, PerdureTags'),
      mend: 'perdure doctor --fix',
    });
    const fixed = await doctor(['--namespace', namespace, '--fix']);
    expect(fixed.of('search attributes')?.detail).toMatch(/registered PerdureStatus/);
    await expect
      .poll(async () => (await doctor(['--namespace', namespace])).of('search attributes'), SOON)
      .toMatchObject({ verdict: 'ok', detail: 'all registered' });
  });

  test('says that no server answers, and goes on with the rest', async () => {
    const { exitCode, stdout } = await runCli(['doctor', '--address', '127.0.0.1:1'], {
      cwd: folder,
    });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/bad +server: no Temporal server answers at 127\.0\.0\.1:1/);
    expect(stdout).toMatch(/Temporal CLI: /);
    expect(stdout).toMatch(/blob store: /);
  });

  test('says that the key of a model is missing, or is refused', async () => {
    const missing = await doctor([agentsFile('claude.ts')]);
    expect(missing.exitCode).toBe(1);
    expect(missing.of('models')).toMatchObject({
      verdict: 'bad',
      detail: expect.stringMatching(/anthropic\/claude-test: auth: .*ANTHROPIC_API_KEY/),
    });
    const api = createServer((_request, response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          type: 'error',
          error: { type: 'authentication_error', message: 'invalid x-api-key' },
        }),
      );
    });
    api.listen(0, '127.0.0.1');
    await once(api, 'listening');
    const address = api.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const refused = await doctor([agentsFile('claude.ts')], {
      ANTHROPIC_API_KEY: 'sk-wrong',
      TEST_MODEL_URL: `http://127.0.0.1:${port}`,
    });
    api.close();
    expect(refused.exitCode).toBe(1);
    expect(refused.of('models')?.detail).toMatch(/auth: .*invalid x-api-key/);
  });
});
