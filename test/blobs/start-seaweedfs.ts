import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { findProgram } from '../support/find-program.ts';
import { freePorts } from '../support/free-ports.ts';
import { stopProcess, untilReady } from '../support/server-process.ts';

export interface RunningS3 {
  readonly endpoint: string;
  readonly bucket: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  stop(): Promise<void>;
}

/** Where `scripts/install-test-servers.sh` puts it. */
const CACHE = 'node_modules/.cache/seaweedfs/bin';

/** A SeaweedFS with its S3 gateway and one bucket, on free ports; `undefined` where none is installed. */
export async function startSeaweedfs(): Promise<RunningS3 | undefined> {
  const weed = findProgram('weed', 'run scripts/install-test-servers.sh', [CACHE]);
  if (weed === undefined) return undefined;
  const directory = await mkdtemp(join(tmpdir(), 'perdure-seaweedfs-'));
  const credentials = { accessKeyId: 'test-key', secretAccessKey: 'test-secret' };
  const config = join(directory, 's3.json');
  await writeFile(config, JSON.stringify(identities(credentials)));
  const ports = await freePorts(8);
  const server = spawn(
    weed,
    [
      'server',
      `-dir=${directory}`,
      '-ip=127.0.0.1',
      '-ip.bind=127.0.0.1',
      '-master.telemetry=false',
      '-master.volumeSizeLimitMB=64',
      `-master.port=${ports[0]}`,
      `-master.port.grpc=${ports[1]}`,
      '-volume.max=0',
      `-volume.port=${ports[2]}`,
      `-volume.port.grpc=${ports[3]}`,
      '-filer',
      `-filer.port=${ports[4]}`,
      `-filer.port.grpc=${ports[5]}`,
      `-filer.localSocket=${directory}/filer.sock`,
      '-s3',
      `-s3.config=${config}`,
      `-s3.port=${ports[6]}`,
      `-s3.port.grpc=${ports[7]}`,
      `-s3.localSocket=${directory}/s3.sock`,
      '-s3.port.iceberg=0',
      '-s3.port.lance=0',
    ],
    { cwd: directory, stdio: 'ignore' },
  );
  const endpoint = `http://127.0.0.1:${ports[6]}`;
  const bucket = 'blobs';
  const stop = async (): Promise<void> => {
    // Its orderly end takes longer than its data is worth; these sockets it would have removed.
    await stopProcess(server, 'SIGKILL');
    for (const port of ports) {
      for (const part of ['master', 'volume', 'filer', 's3']) {
        await rm(`/tmp/seaweedfs-${part}-grpc-${port}.sock`, { force: true });
      }
    }
    await rm(directory, { recursive: true, force: true });
  };
  const client = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true });
  await untilReady(server, stop, async () => {
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
  });
  client.destroy();
  return { endpoint, bucket, credentials, stop };
}

function identities(credentials: RunningS3['credentials']): unknown {
  const { accessKeyId: accessKey, secretAccessKey: secretKey } = credentials;
  return {
    identities: [{ name: 'test', credentials: [{ accessKey, secretKey }], actions: ['Admin'] }],
  };
}
