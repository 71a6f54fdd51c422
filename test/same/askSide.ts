import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Side } from './buildSide';
import type { Answer, Invocation } from './commands';
import type { Place } from './places';

/** The clock of both builds stands still. */
const NOW_MS = Date.UTC(2026, 10, 22, 12);

/**
 * Lets a build answer one command line, and removes what that wrote: the next build finds the same files, with the same
 * paths, times and inodes.
 *
 * @throws when the build changed or removed a file, which none of the compared commands may do
 */
export async function askSide(side: Side, { argv }: Invocation, place: Place): Promise<Answer> {
  const before = listFiles(place.root);
  const [stdout, stderr] = [new TextStream(), new TextStream()];
  const exitCode = await side.commandLine(argv, {
    stdout,
    stderr,
    env: {},
    cwd: place.cwd,
    home: place.home,
    commandName: 'rethread',
    version: '0.0.0',
    // One for each command: a listener on a longer-lived signal would never be released.
    signal: new AbortController().signal,
    now: () => NOW_MS,
  });
  const after = listFiles(place.root);
  for (const [path, state] of before) {
    if (after.get(path) !== state) throw new Error(`${side.name}: ${argv.join(' ')} changed ${path}`);
  }
  const fresh = [...after.keys()].filter((path) => !before.has(path));
  const created = fresh.map((path) => ({ path, content: contentOf(join(place.root, path)) }));
  for (const path of fresh) rmSync(join(place.root, path), { recursive: true, force: true });
  return { exitCode, stdout: stdout.text, stderr: stderr.text, created };
}

/** Nothing here has to survive a power failure, and waiting for the disk is most of a fork's time. */
export async function dropSyncs(): Promise<void> {
  const handle = await open(__filename);
  // SAFETY: the prototype that all file handles of this process share.
  const prototype = Object.getPrototypeOf(handle) as { sync: () => Promise<void>; datasync: () => Promise<void> };
  prototype.sync = () => Promise.resolve();
  prototype.datasync = prototype.sync;
  await handle.close();
}

/** A value per path that reveals a change. A hard link for a backup changes the link count, which is left out. */
function listFiles(root: string): Map<string, string> {
  const files = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        files.set(path, 'folder');
        walk(path);
      } else {
        const { ino, size, mtimeMs, mode } = lstatSync(join(root, path));
        files.set(path, [ino, size, mtimeMs, mode].join(' '));
      }
    }
  };
  walk('');
  return files;
}

/** One character per byte. */
function contentOf(path: string): string {
  const stats = lstatSync(path);
  return stats.isFile() ? `${(stats.mode & 0o777).toString(8)}\n${readFileSync(path, 'latin1')}` : '';
}

class TextStream extends Writable {
  readonly #chunks: Buffer[] = [];

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }
}
