import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const sources = join(root, 'src/core/transcript/wasm/assembly');
const compiler = join(root, 'node_modules/assemblyscript');
/** Each row is checked by the scanner itself: no assertions, no runtime, no imports. */
const OPTIONS = ['--runtime', 'stub', '--enable', 'simd', '--noAssert', '-O3'];

/**
 * Path of the fast scanner's module, compiled when the sources have changed since the last time.
 *
 * @returns {string}
 */
export function scannerModulePath() {
  const hash = createHash('sha256')
    .update(OPTIONS.join(' '))
    .update(readFileSync(join(compiler, 'package.json')));
  for (const name of readdirSync(sources).sort()) hash.update(name).update(readFileSync(join(sources, name)));
  const path = join(root, 'out', `scanner-${hash.digest('hex').slice(0, 16)}.wasm`);
  if (existsSync(path)) return path;
  mkdirSync(join(root, 'out'), { recursive: true });
  const made = `${path}.${process.pid}`;
  execFileSync(
    process.execPath,
    [join(compiler, 'bin/asc.js'), join(sources, 'index.ts'), ...OPTIONS, '--outFile', made],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  renameSync(made, path);
  return path;
}
