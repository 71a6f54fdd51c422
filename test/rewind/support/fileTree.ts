import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface TreeFile {
  readonly bytes: Buffer;
  readonly mode: number;
  readonly mtimeNs: bigint;
}

/** Files and empty folders in a folder, by relative path. A folder is null. */
export type FileTree = ReadonlyMap<string, TreeFile | null>;

/** `except`: names at the top level that are skipped. */
export function readTree(folder: string, except: readonly string[] = []): FileTree {
  const tree = new Map<string, TreeFile | null>();
  const visit = (path: string): void => {
    const names = readdirSync(join(folder, path)).sort();
    if (names.length === 0 && path !== '') tree.set(path, null);
    for (const name of names) {
      const at = join(path, name);
      if (path === '' && except.includes(name)) continue;
      const stat = lstatSync(join(folder, at), { bigint: true });
      if (stat.isDirectory()) visit(at);
      else if (stat.isFile()) {
        const bytes = readFileSync(join(folder, at));
        tree.set(at, { bytes, mode: Number(stat.mode & 0o7777n), mtimeNs: stat.mtimeNs });
      } else tree.set(at, { bytes: Buffer.from('(no file)'), mode: 0, mtimeNs: 0n });
    }
  };
  visit('');
  return tree;
}

/** Makes the folder contain exactly this tree, with its times. */
export function writeTree(folder: string, tree: FileTree, except: readonly string[] = []): void {
  for (const name of readdirSync(folder)) {
    if (except.includes(name)) continue;
    const path = join(folder, name);
    // The folder itself stays, as a client that was started in it needs it.
    const inside = lstatSync(path).isDirectory() ? readdirSync(path).map((each) => join(path, each)) : [path];
    for (const each of inside) rmSync(each, { recursive: true, force: true });
  }
  for (const [path, file] of tree) {
    const target = join(folder, path);
    mkdirSync(file === null ? target : dirname(target), { recursive: true });
    if (file === null) continue;
    writeFileSync(target, file.bytes);
    chmodSync(target, file.mode);
    const seconds = Number(file.mtimeNs / 1000n) / 1e6;
    utimesSync(target, seconds, seconds);
  }
}

/** The differences between two trees, one line each. Times are compared only on request. Empty folders do not count. */
export function treeDifferences(one: FileTree, other: FileTree, withTimes = false): string[] {
  const differences: string[] = [];
  for (const path of [...new Set([...one.keys(), ...other.keys()])].sort()) {
    const [a, b] = [one.get(path) ?? null, other.get(path) ?? null];
    if (a === null || b === null) {
      if (a !== b)
        differences.push(`${path}: ${a === null ? 'missing' : 'there'} / ${b === null ? 'missing' : 'there'}`);
    } else if (!a.bytes.equals(b.bytes)) {
      differences.push(`${path}: "${a.bytes.toString().slice(0, 60)}" / "${b.bytes.toString().slice(0, 60)}"`);
    } else if (a.mode !== b.mode) differences.push(`${path}: mode ${a.mode.toString(8)} / ${b.mode.toString(8)}`);
    // `utimes` keeps microseconds.
    else if (withTimes && a.mtimeNs / 1000n !== b.mtimeNs / 1000n) differences.push(`${path}: other time`);
  }
  return differences;
}
