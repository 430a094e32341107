import { register as registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * A user's TypeScript is a module wherever it lies. By itself a file in a folder without
 * `"type": "module"` would be a script, and could not load packages that are modules, ours among
 * them. Runs in Node's own thread for hooks, so it comes as text.
 */
const MODULES_EVERYWHERE = `
export async function resolve(specifier, context, nextResolve) {
  const found = await nextResolve(specifier, context);
  const path = found.url.split('?')[0];
  const isUsers = /\\.tsx?$/.test(path) && !path.includes('/node_modules/');
  return isUsers && found.format === 'commonjs' ? { ...found, format: 'module' } : found;
}`;

let registered: Promise<void> | undefined;

/** From now on `import()` takes TypeScript; `onImport` is told each of the user's files. Once per process. */
export function loadTypeScript(onImport: (file: string) => void): Promise<void> {
  registered ??= register(onImport);
  return registered;
}

async function register(onImport: (file: string) => void): Promise<void> {
  // Loaded only here: most commands read no agents file, and start faster without a compiler.
  const tsx = await import('tsx/esm/api');
  tsx.register({
    onImport: (url) => {
      if (url.startsWith('file:') && !url.includes('/node_modules/')) onImport(fileURLToPath(url));
    },
  });
  registerHooks(`data:text/javascript,${encodeURIComponent(MODULES_EVERYWHERE)}`);
  process.setSourceMapsEnabled(true);
}
