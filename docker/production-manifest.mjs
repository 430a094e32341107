// Rewrites package.json for the image: what a worker needs beside the package's own dependencies
// becomes a dependency, development tools go. `npm prune` then leaves the locked versions of these.
import { readFileSync, writeFileSync } from 'node:fs';

/** Peers that no deployed worker uses. */
const NOT_IN_A_WORKER = ['@temporalio/testing'];

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
for (const [name, version] of Object.entries(manifest.peerDependencies)) {
  if (!NOT_IN_A_WORKER.includes(name)) manifest.dependencies[name] = version;
}
delete manifest.devDependencies;
delete manifest.peerDependencies;
delete manifest.peerDependenciesMeta;
writeFileSync('package.json', JSON.stringify(manifest, null, 2));
