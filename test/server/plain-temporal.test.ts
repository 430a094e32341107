import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { findTemporalCli } from '../../src/embedded-server/find-temporal-cli.ts';
import { scripted, toolCall } from '../../src/models/scripted.ts';
import { defineAgent } from '../../src/tools/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { serveAgents } from '../support/serve-agents.ts';
import { temporalClient } from '../support/temporal-client.ts';

const run = promisify(execFile);

const pay = defineTool({
  name: 'pay_invoice',
  description: 'Pays an invoice.',
  inputSchema: z.object({ invoice: z.string(), cents: z.number() }),
  effect: 'once',
  needsApproval: true,
  summary: ({ invoice }) => `pay invoice ${invoice}`,
  execute: ({ invoice }) => `paid ${invoice}`,
});

const clerk = defineAgent({
  name: 'invoice-clerk',
  model: scripted([
    toolCall('pay_invoice', { invoice: 'I-7', cents: 4200 }),
    'Invoice I-7 is paid.',
  ]),
  instructions: 'Pay invoices.',
  tools: [pay],
});

const served = serveAgents({ agents: [clerk] });

/** The plain `temporal` CLI: what somebody has who has nothing of ours. */
async function temporal(...given: readonly (string | readonly string[])[]): Promise<string> {
  const words = given.flat();
  const { path } = await findTemporalCli({ log: () => {} });
  const { stdout } = await run(path, [...words, '--address', inject('temporalAddress')], {
    env: { ...process.env, TEMPORAL_CONFIG_FILE: '/dev/null' },
  });
  return stdout;
}

async function query(id: string, name: string): Promise<unknown> {
  const answer = await temporal('workflow', 'query', '-w', id, '--name', name, '-o', 'json');
  return (JSON.parse(answer) as { queryResult: unknown[] }).queryResult[0];
}

test('a conversation is started, approved, denied and read with nothing but the temporal CLI', async () => {
  const id = `cli-${Date.now()}`;
  await temporal('workflow start --type invoice-clerk --task-queue'.split(' '), [
    served.taskQueue,
    '-w',
    id,
    '--input',
    JSON.stringify({ message: 'pay I-7' }),
  ]);
  await expect
    .poll(() => query(id, 'status'), { timeout: 20_000 })
    .toMatchObject({
      status: 'waiting_approval',
      agent: 'invoice-clerk',
      pending: 1,
    });

  // What a person sees in the UI is all that they need.
  const details = await currentDetails(id);
  expect(details).toContain('waiting approval');
  expect(details).toContain('pay invoice I-7');
  expect(details).toContain('tokens');
  const pasted = /Send signal `approve`:\s*```json\s*(\{.*\})\s*```/.exec(details)?.[1];
  expect(pasted).toBeDefined();
  await temporal('workflow', 'signal', '-w', id, '--name', 'approve', '--input', pasted ?? '');

  const result = JSON.parse(await temporal('workflow', 'result', '-w', id, '-o', 'json')) as {
    status: string;
    result: object;
  };
  expect(result).toMatchObject({
    status: 'COMPLETED',
    result: { status: 'completed', stopReason: 'answered', text: 'Invoice I-7 is paid.' },
  });

  // So is it with a denial.
  const other = await served.client.start('invoice-clerk', { message: 'pay I-7' });
  await expect.poll(() => other.approvals(), { timeout: 20_000 }).toHaveLength(1);
  const denial = /or signal `deny`:\s*```json\s*(\{.*\})\s*```/.exec(
    await currentDetails(other.id),
  )?.[1];
  await temporal('workflow', 'signal', '-w', other.id, '--name', 'deny', '--input', denial ?? '');
  await other.result();
  const { calls } = await other.record();
  expect(calls.map(({ result: settled }) => settled?.outcome)).toEqual(['denied']);

  const history = await temporal('workflow', 'show', '-w', id, '--detailed');
  expect(history).toContain('pay_invoice');
  expect(history).toContain('pay invoice I-7');
  expect(history).toMatch(/input\[0\]\.input\.cents: 4200/);
});

async function currentDetails(id: string): Promise<string> {
  const handle = (await temporalClient()).workflow.getHandle(id);
  const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails ?? '';
}
