import { basename, dirname, join } from 'node:path';
import type { WriteFs } from '../writeFs';
import { copyFile } from './copyFile';
import type { FileChange } from './fileChange';
import { FILE_PROBLEMS, FilesRefusal } from './filesRefusal';
import { isUntouched, permissionsOf, statOrNull } from './fileState';
import type { SafetyFolder } from './safetyFolder';
import type { KeptState, MadeState, SafetyEntry } from './safetyManifest';
import { sha256Of } from './sha256Of';

const PRIVATE_MODE = 0o600;

/**
 * Copies everything that the changes touch into the snapshot, and says of each what it is to become. Throws a Refusal when a
 * file is not the one that was planned with any more; nothing but the snapshot's folder was written to.
 *
 * @param token part of the names of the files that are written before they get their own names
 */
export async function takeSafety(
  changes: readonly FileChange[],
  folder: SafetyFolder,
  token: string,
  fs: WriteFs,
): Promise<readonly SafetyEntry[]> {
  const entries: SafetyEntry[] = [];
  for (const change of changes) {
    const name = String(entries.length);
    entries.push({
      path: change.path,
      realFolder: change.realFolder,
      // Short: a name of 255 bytes leaves no room for more.
      temporary: `.rethread-${token}-${name}.tmp`,
      before: await keep(change, folder, name, fs),
      after: await madeState(change, fs),
    });
  }
  return entries;
}

/** Where the file lies once no link is followed. */
export function targetPath({ path, realFolder }: Pick<FileChange, 'path' | 'realFolder'>): string {
  return join(realFolder, basename(path));
}

async function keep(change: FileChange, folder: SafetyFolder, name: string, fs: WriteFs): Promise<KeptState> {
  const target = targetPath(change);
  const found = await statOrNull(target, fs);
  if (!isUntouched(found, change.before)) throw new FilesRefusal('changed-since-preview', FILE_PROBLEMS.changed);
  if (found === null) return { kind: 'absent' };
  const attributes = { mode: PRIVATE_MODE, owner: null, times: null };
  const { sha256, size } = await copyFile(target, folder.copyPath(name), attributes, fs);
  if (!isUntouched(await statOrNull(target, fs), change.before)) {
    throw new FilesRefusal('changed-since-preview', FILE_PROBLEMS.changed);
  }
  return {
    kind: 'file',
    copy: name,
    size,
    sha256,
    mode: permissionsOf(found),
    uid: Number(found.uid),
    gid: Number(found.gid),
    atimeNs: String(found.atimeNs),
    mtimeNs: String(found.mtimeNs),
  };
}

async function madeState({ after }: FileChange, fs: WriteFs): Promise<MadeState> {
  if (after.kind === 'absent') return after;
  const sha256 = await sha256Of(after.contentPath, fs);
  if (after.sha256 !== null && after.sha256 !== sha256) {
    throw new FilesRefusal('write-failed', `The copy ${after.contentPath} changed, so nothing was changed.`);
  }
  return { kind: 'file', size: after.size, sha256, mode: after.mode };
}

/** Folders that have to be made for files to be written, outermost first. */
export async function missingFolders(changes: readonly FileChange[], fs: WriteFs): Promise<readonly string[]> {
  const missing = new Set<string>();
  for (const { after, realFolder } of changes) {
    if (after.kind === 'absent') continue;
    const above: string[] = [];
    for (let at = realFolder; !missing.has(at) && (await statOrNull(at, fs)) === null; at = dirname(at)) above.push(at);
    for (const folder of above.reverse()) missing.add(folder);
  }
  return [...missing];
}
