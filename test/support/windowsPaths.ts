import { createRequire } from 'node:module';
import Module from 'node:module';
import { resolve, sep, win32 } from 'node:path';

const SOURCES = resolve(__dirname, '../../src') + sep;

/** As Node's own loader calls it. */
type Load = (request: string, parent: { readonly filename?: string } | undefined, isMain: boolean) => unknown;

/**
 * A module of this project as it is on Windows: its sources, and those that they import, see the paths of Windows. The
 * modules that other tests have loaded stay as they are.
 *
 * @param path absolute
 */
export function requireOnWindows(path: string): unknown {
  // SAFETY: the loader's entry, which is not part of its types.
  const loader = Module as unknown as { _load: Load };
  const load = loader._load;
  const { cache } = createRequire(__filename);
  const known = Object.entries(cache).filter(
    ([name]) => name.startsWith(resolve(__dirname, '../..') + sep) && !name.includes('node_modules'),
  );
  for (const [name] of known) Reflect.deleteProperty(cache, name);
  loader._load = (request, parent, isMain) =>
    request === 'node:path' && parent?.filename?.startsWith(SOURCES) === true ? win32 : load(request, parent, isMain);
  try {
    return createRequire(__filename)(path);
  } finally {
    loader._load = load;
    for (const [name, module] of known) cache[name] = module;
  }
}
