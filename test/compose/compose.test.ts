import { execFile } from 'node:child_process';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

// There is no container engine where these tests run: nothing here pulls an image or starts a
// container. The file is held against the Compose Specification's schema and what it refers to.

const root = fileURLToPath(new URL('../..', import.meta.url));
const textOf = (file: string) => readFile(join(root, file), 'utf8');

const serviceSchema = z.object({
  image: z.string(),
  build: z.object({ context: z.string() }).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  volumes: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  entrypoint: z.array(z.string()).default([]),
  stop_grace_period: z.string().optional(),
});

const composeText = await textOf('docker-compose.yml');
const compose: unknown = parse(composeText, { merge: true });
const { services, volumes } = z
  .object({
    services: z.record(z.string(), serviceSchema),
    volumes: z.record(z.string(), z.unknown()),
  })
  .parse(compose);

/** The schema that the Compose Specification publishes, as the linter `dclint` ships it. */
async function composeProblems(file: unknown): Promise<readonly string[]> {
  const linter = dirname(createRequire(import.meta.url).resolve('dclint/package.json'));
  const schema = JSON.parse(await readFile(join(linter, 'schemas/compose.schema.json'), 'utf8'));
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  const validate = ajv.compile({ ...schema, $schema: undefined });
  return validate(file)
    ? []
    : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

describe('docker-compose.yml', () => {
  test('is a compose file by the schema of the specification', async () => {
    expect(await composeProblems(compose)).toEqual([]);
  });

  test('would not pass that check with a mistake in it', async () => {
    const mistaken = parse(composeText.replace('healthcheck:', 'health_check:'));
    expect(await composeProblems(mistaken)).toContainEqual(
      expect.stringContaining('/services/postgresql must NOT have additional properties'),
    );
  });

  test.each(Object.entries(services))('pins the image of %s to one version', (_, { image }) => {
    expect(image).toMatch(/:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$/);
  });

  test.each(Object.entries(services))('starts %s when what it needs is ready', (_, service) => {
    for (const [name, { condition }] of Object.entries(service.depends_on)) {
      const needed = services[name];
      expect(needed, `${name} is a service`).toBeDefined();
      if (condition === 'service_healthy') expect(needed?.healthcheck).toBeDefined();
      else expect(condition).toBe('service_completed_successfully');
    }
  });

  test('has no password in it, and says which to set', () => {
    const secrets = Object.values(services).flatMap(({ environment }) =>
      Object.entries(environment).filter(([name]) => /PASSWORD|PWD|_URL|KEY/.test(name)),
    );
    expect(secrets.length).toBeGreaterThan(3);
    for (const [name, value] of secrets) {
      expect(value, name).toMatch(/\$\{POSTGRES_PASSWORD:\?|^\$\{ANTHROPIC_API_KEY:-\}$/);
    }
    expect(services['postgresql']?.environment['POSTGRES_PASSWORD']).toMatch(/:\?set it in/);
  });

  test('opens ports to this machine alone', () => {
    const ports = Object.values(services).flatMap((service) => service.ports);
    expect(ports.length).toBeGreaterThan(0);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  test('mounts only files and volumes that are there', async () => {
    const sources = Object.values(services).flatMap((service) =>
      service.volumes.map((volume) => volume.split(':')[0] ?? ''),
    );
    for (const source of sources) {
      if (source.startsWith('./')) await access(join(root, source));
      else expect(Object.keys(volumes)).toContain(source);
    }
  });

  test('lets a worker finish its once calls before it is killed', () => {
    expect(services['worker']?.stop_grace_period).toBe('45s');
  });

  test.each(['temporal-schema', 'temporal-namespace'])(
    'runs a script for %s that a shell can read',
    async (name) => {
      const script = services[name]?.volumes[0]?.split(':')[0] ?? '';
      expect(services[name]?.entrypoint[1]).toBe(`/scripts/${name}.sh`);
      await promisify(execFile)('sh', ['-n', join(root, script)]);
    },
  );
});

describe('the dynamic configuration of the server', () => {
  test('raises the three poll rates', async () => {
    const rates: unknown = parse(await textOf('docker/dynamic-config.yaml'));
    expect(rates).toEqual({
      'history.transferProcessorMaxPollRPS': [{ value: 2000 }],
      'history.timerProcessorMaxPollRPS': [{ value: 2000 }],
      'history.visibilityProcessorMaxPollRPS': [{ value: 2000 }],
    });
  });
});

describe('the Dockerfile', () => {
  test('pins its base, runs as nobody special, and holds no secret', async () => {
    const instructions = (await textOf('Dockerfile'))
      .split('\n')
      .filter((line) => /^[A-Z]+ /.test(line));
    const bases = instructions.filter((line) => line.startsWith('FROM'));
    expect(bases.length).toBe(2);
    for (const base of bases) expect(base).toMatch(/^FROM node:2\d\.\d+\.\d+-bookworm-slim/);
    expect(instructions.filter((line) => line.startsWith('USER'))).toEqual(['USER node']);
    expect(
      instructions.filter((line) => /^(ENV|ARG) .*(KEY|PASSWORD|SECRET|TOKEN)/.test(line)),
    ).toEqual([]);
  });

  test('leaves out what no image needs', async () => {
    const ignored = (await textOf('.dockerignore')).split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.git', '.env*', 'node_modules', '.perdure']));
  });

  test("keeps the worker's peers and drops development tools before it prunes", async () => {
    const manifest = JSON.parse(await textOf('package.json'));
    const directory = await mkdtemp(join(tmpdir(), 'perdure-image-'));
    try {
      await writeFile(join(directory, 'package.json'), JSON.stringify(manifest));
      const script = join(root, 'docker/production-manifest.mjs');
      await promisify(execFile)(process.execPath, [script], { cwd: directory });
      const rewritten = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
      expect(rewritten.dependencies).toMatchObject({
        '@temporalio/worker': '1.24.0',
        zod: expect.any(String),
      });
      expect(rewritten.dependencies).not.toHaveProperty('@temporalio/testing');
      expect(rewritten).not.toHaveProperty('devDependencies');
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
