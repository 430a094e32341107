// Brings a clone to the state in which everything runs, on Node built-ins alone: dependencies, then
// the Temporal CLI. Silent and quick when there is nothing to do. `--dependencies-only` leaves the
// CLI out.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = [20, 20];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cliRecord = join(root, 'node_modules', '.perdure-temporal-cli');

checkNode();
installDependencies();
if (!process.argv.includes('--dependencies-only')) provideTemporalCli();

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    stop(
      `Perdure needs Node ${OLDEST_NODE.join('.')} or newer, this is ${process.versions.node}: install a newer Node, for example with "nvm install 22".`,
    );
  }
}

function installDependencies() {
  const missing = missingPackages();
  if (missing === 0) return;
  console.log(`Installing ${missing} npm packages of package-lock.json into node_modules`);
  // Nothing here needs install scripts: native parts come as packages of their own.
  run(
    npm(),
    ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    'npm ci did not work: see its message above, then try again.',
  );
}

/** How many packages of the lock file are not installed as it says; npm keeps a list of what is. */
function missingPackages() {
  const locked = packagesOf(join(root, 'package-lock.json'));
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  return Object.entries(locked).filter(
    ([path, { version, optional }]) =>
      path !== '' && !optional && installed[path]?.version !== version,
  ).length;
}

function packagesOf(lockFile) {
  return existsSync(lockFile) ? JSON.parse(readFileSync(lockFile, 'utf8')).packages : {};
}

function provideTemporalCli() {
  if (existsSync(cliRecord) && existsSync(readFileSync(cliRecord, 'utf8'))) return;
  const script = join('scripts', 'provide-temporal-cli.ts');
  run([process.execPath], ['--import', 'tsx', script, cliRecord]);
}

/** The npm that runs us, else the one on PATH. */
function npm() {
  const script = process.env.npm_execpath;
  if (script?.endsWith('npm-cli.js')) return [process.execPath, script];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}

function run([program, ...leading], args, failure) {
  const { status, error } = spawnSync(program, [...leading, ...args], {
    cwd: root,
    stdio: 'inherit',
    shell: program.endsWith('.cmd'),
  });
  if (status === 0) return;
  if (error) console.error(`${program} could not be run: ${error.message}`);
  stop(failure);
}

function stop(message) {
  if (message) console.error(message);
  process.exit(1);
}
