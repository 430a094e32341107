import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { loadValue } from '../../../src/blobs/stored-value.ts';
import { isBlobReference } from '../../../src/core/stored.ts';
import type { Spec } from '../../../src/core/spec.ts';
import type { InstructionsInfo } from '../../../src/tools/agent.ts';
import { scripted } from '../../../src/models/scripted.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { CONVERSATION, setting } from './setting.ts';
import { shopTools } from './shop-tools.ts';

describe('the spec of a conversation', () => {
  it('is plain JSON: instructions, tools in order, policies in milliseconds', async () => {
    const { begin, environment } = await setting(
      {
        model: [scripted([]), scripted([], { id: 'fallback' })],
        tools: [
          ...shopTools,
          defineTool({
            name: 'index',
            description: 'Writes the index.',
            inputSchema: z.object({}),
            effect: 'idempotent',
            retry: { attempts: 10, initialInterval: '2s' },
            needsApproval: () => true,
            approval: { quorum: 2 },
            execute: () => null,
          }),
        ],
        approval: { timeout: '1d' },
        output: z.object({ answer: z.string() }),
        modelOptions: { effort: 'high' },
        limits: { maxOutputTokens: 500 },
      },
      { modelTaskQueues: { scripted: 'models', other: 'elsewhere' } },
    );
    const record = await begin({ context: { user: 'u1' }, tenant: 'acme', by: { id: 'jo' } });
    expect(record.spec).toEqual(JSON.parse(JSON.stringify(record.spec)));
    const spec = record.spec as Spec;
    expect(spec).toMatchObject({
      agent: 'support',
      models: [
        { id: 'scripted', provider: 'scripted' },
        { id: 'fallback', provider: 'scripted' },
      ],
      instructions: 'Help.',
      output: { type: 'object' },
      context: { user: 'u1' },
      capabilities: [],
      control: 'policy',
      modelOptions: { effort: 'high' },
      maxOutputTokens: 500,
      by: { id: 'jo' },
      tenant: 'acme',
    });
    expect(spec.tools.map(({ name }) => name)).toEqual([
      'find_order',
      'refund',
      'audit_books',
      'index',
    ]);
    expect(spec.tools[1]).toMatchObject({
      effect: 'once',
      retry: { attempts: 1 },
      timeoutMs: 300_000,
      taskQueue: 'payments',
      usesState: true,
      completion: 'later',
      reconciles: true,
      needsApproval: false,
      approval: { timeoutMs: 86_400_000, expire: 'deny', quorum: 1 },
    });
    expect(spec.tools[3]).toMatchObject({
      retry: { attempts: 10, initialIntervalMs: 2_000, backoff: 2, maximumIntervalMs: 60_000 },
      reconciles: false,
      needsApproval: 'code',
      approval: { timeoutMs: 86_400_000, quorum: 2 },
    });
    expect(record.settings).toEqual({
      agent: 'support',
      models: ['scripted', 'fallback'],
      tools: [
        { name: 'find_order', effect: 'read' },
        { name: 'refund', effect: 'once' },
        { name: 'audit_books', effect: 'read' },
        { name: 'index', effect: 'idempotent' },
      ],
      limits: { maxSteps: 50, maxDepth: 4, maxOutputTokens: 500 },
      onLimit: 'partial',
      maxParallel: 8,
      runAsDecided: false,
      approval: {
        timeoutMs: 86_400_000,
        expire: 'deny',
        quorum: 1,
        onMessageWhileWaiting: 'queue',
      },
      modelPatienceMs: 900_000,
      onAgentChange: 'keep',
      searchAttributes: true,
      heartbeatTimeoutMs: 60_000,
      inlineLimitBytes: 32 * 1024,
      modelTaskQueues: { scripted: 'models' },
      handOver: { bytes: 3_000_000, events: 2_000 },
    });
    expect(record.blobStore).toBe(await environment.blobs.id());
  });

  it('has a digest that says whether two are the same', async () => {
    const one = await setting({ tools: shopTools });
    const same = await setting({ tools: shopTools });
    const other = await setting({ tools: shopTools, instructions: 'Help more.' });
    const { digest } = await one.begin();
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect((await same.begin()).digest).toBe(digest);
    expect((await other.begin()).digest).not.toBe(digest);
    expect((await one.begin({ capabilities: ['finance'] })).digest).not.toBe(digest);
  });

  it('goes to the blob store when it is large, and history shows its instructions', async () => {
    const { begin, environment } = await setting({ instructions: 'Help. '.repeat(10_000) });
    const { spec } = await begin();
    if (!isBlobReference(spec)) throw new Error('expected a reference');
    expect(spec.preview).toMatch(/^Help\. Help\. /);
    const kept: Spec = await loadValue<Spec>(environment.blobs, CONVERSATION, spec);
    expect(kept.instructions).toBe('Help. '.repeat(10_000));
  });

  it('can ask for more control than the agent, not for less', async () => {
    const strict = await setting({ control: 'approve' });
    const open = await setting({});
    expect((await strict.begin({ control: 'policy' })).spec).toMatchObject({ control: 'approve' });
    expect((await open.begin({ control: 'approve' })).spec).toMatchObject({ control: 'approve' });
    expect((await open.begin()).spec).toMatchObject({ control: 'policy' });
  });
});

describe('instructions that are code', () => {
  it('are evaluated once, from what the starter gave and what the conversation holds', async () => {
    const seen: InstructionsInfo[] = [];
    const { begin } = await setting({
      tools: shopTools,
      instructions: (info) => {
        seen.push(info);
        return Promise.resolve(`Help ${JSON.stringify(info.context)}.`);
      },
    });
    const { spec } = await begin({ context: 'Jo', capabilities: ['finance'] });
    expect(spec).toMatchObject({ instructions: 'Help "Jo".' });
    expect(seen).toEqual([
      {
        agent: 'support',
        context: 'Jo',
        capabilities: ['finance'],
        tools: ['find_order', 'refund'],
      },
    ]);
  });

  it.each<[string, () => unknown, string]>([
    [
      'throw',
      () => {
        throw new TypeError('no prompt for this tenant');
      },
      'its instructions could not be evaluated: TypeError: no prompt for this tenant',
    ],
    ['are empty', () => ' \n', 'its instructions are empty; expected text'],
    ['are nothing', () => undefined, 'its instructions are undefined; expected text'],
    ['are broken text', () => 'a\ud83d', 'its instructions are text with half of a surrogate pair'],
  ])('that %s make the agent invalid, for good', async (_, instructions, words) => {
    const { begin } = await setting({ instructions: instructions as never });
    await expect(begin()).rejects.toMatchObject({
      type: 'AgentInvalid',
      nonRetryable: true,
      message: expect.stringContaining(`the agent "support" cannot begin: ${words}`) as string,
    });
  });
});

describe('a start that the agent cannot take', () => {
  const agent = {
    contextSchema: z.object({ tenant: z.string(), user: z.object({ id: z.int() }) }),
    stateSchema: z.object({ open: z.array(z.string()) }),
  };

  it('is refused with all problems of context and state at once, for good', async () => {
    const { begin } = await setting(agent);
    const start = begin({ context: { user: { id: 'x' } }, state: { open: 'all' } });
    const problems = [
      'context /tenant: is required',
      'context /user/id: must be integer, got "x"',
      'state /open: must be array, got "all"',
    ];
    await expect(start).rejects.toMatchObject({
      type: 'InvalidStart',
      nonRetryable: true,
      message: `the agent "support" cannot begin with this: ${problems.join('; ')}`,
      details: [{ problems }],
    });
  });

  it('is refused for its size', async () => {
    const { begin } = await setting({});
    await expect(
      begin({ context: 'x'.repeat(9_000), state: 'y'.repeat(40_000) }),
    ).rejects.toMatchObject({
      details: [
        {
          problems: [
            'context: expected at most 8192 bytes of JSON, got 9002',
            'state: expected at most 32768 bytes of JSON, got 40002',
          ],
        },
      ],
    });
  });

  it('is taken when it fits', async () => {
    const { begin } = await setting(agent);
    const context = { tenant: 'acme', user: { id: 1 } };
    expect((await begin({ context, state: { open: [] } })).spec).toMatchObject({ context });
  });
});

describe('an agent that is not known here', () => {
  it('may be known by another worker: the failure says for how long to try, and who is known', async () => {
    const { begin } = await setting({}, { deployPatienceMs: 5_000 });
    await expect(begin({ agent: 'sales' })).rejects.toMatchObject({
      type: 'NotKnownHere',
      message: 'worker worker-1 does not know the agent "sales"; it knows: support',
      details: [{ known: ['support'], patienceMs: 5_000 }],
    });
  });
});

describe('a blob store that is away', () => {
  it('fails the attempt, not the conversation', async () => {
    const { environment } = await setting({});
    const away = {
      ...environment.blobs,
      id: () => Promise.reject(new Error('connection refused')),
    };
    const { begin } = await setting({}, { blobs: away });
    await expect(begin()).rejects.toMatchObject({
      type: 'StoreUnavailable',
      message: expect.stringContaining('connection refused') as string,
    });
  });
});
