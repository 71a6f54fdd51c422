import { transcriptNameOf } from '../../providers/claude/format/paths';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../refusal';
import { closeQuietly } from '../staleFiles';
import { isGone, type WriteFs } from '../writeFs';
import { copyFile, type FileChange, isUntouched, permissionsOf, sha256Of, statOrNull } from './fileChange';
import { FILE_PROBLEMS, FilesRefusal } from './projectFolder';
import {
  type KeptState,
  listSafetyFolders,
  type MadeState,
  removeFolderQuietly,
  type SafetyEntry,
  type SafetyFolder,
  safetyTime,
} from './safetyFolder';

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

const DAY_MS = 24 * 60 * 60 * 1000;
/** Snapshots of a session that are kept however old they are, for as long as there is the session. */
const KEPT_COUNT = 20;
const KEPT_MS = 30 * DAY_MS;
/** An empty file beside the sessions' folders, of the time when all of them were looked at. */
const STAMP = 'pruned';

export interface PruneDeps {
  /** Folder of all safety snapshots: `<rewindsFolder>/<session>/<id>`. */
  readonly rewindsFolder: string;
  /** Where the transcripts are: `<projectsFolder>/<project>/<session>.jsonl`. */
  readonly projectsFolder: string;
  /** Of the session whose files were changed last. */
  readonly sessionFolder: string;
  readonly nowMs: number;
  readonly fs: WriteFs;
}

/**
 * Removes snapshots that are 30 days old: those of this session, but for its newest 20, and once a day those of all others,
 * without that exception where the session is gone. What never ended stays. To be called under the lock. Never rejects.
 */
export async function pruneSafety(deps: PruneDeps): Promise<void> {
  const { rewindsFolder, sessionFolder, nowMs, fs } = deps;
  await pruneSession(sessionFolder, KEPT_COUNT, nowMs, fs);
  const stamp = join(rewindsFolder, STAMP);
  if (!(await isDue(stamp, nowMs, fs))) return;
  for (const sessionId of await fs.readdir(rewindsFolder).catch(() => [])) {
    if (sessionId === STAMP) continue;
    const folder = join(rewindsFolder, sessionId);
    await pruneSession(folder, (await isSessionGone(sessionId, deps)) ? 0 : KEPT_COUNT, nowMs, fs);
    await removeFolderQuietly(folder, fs);
  }
  await setStamp(stamp, nowMs, fs).catch(() => undefined);
}

async function pruneSession(sessionFolder: string, keptCount: number, nowMs: number, fs: WriteFs): Promise<void> {
  try {
    for (const folder of (await listSafetyFolders(sessionFolder, fs)).slice(keptCount)) {
      if (nowMs - safetyTime(folder) >= KEPT_MS && (await isOver(folder))) await folder.remove();
    }
  } catch {
    // What cannot be looked at is kept.
  }
}

/** It was done, taken back, or never begun. One that only a later version can read is its own. */
async function isOver(folder: SafetyFolder): Promise<boolean> {
  if (!(await folder.isBegun())) return true;
  if ((await folder.readManifest()) === null) return false;
  return (await folder.has('done')) || folder.has('undone');
}

/** Its transcript is nowhere: neither where it was, nor in another project. False when that cannot be told. */
async function isSessionGone(sessionId: string, { rewindsFolder, projectsFolder, fs }: PruneDeps): Promise<boolean> {
  try {
    const [newest] = await listSafetyFolders(join(rewindsFolder, sessionId), fs);
    const known = (await newest?.readManifest())?.filePath;
    if (known === undefined) return false;
    const projects = await fs.readdir(projectsFolder);
    for (const path of [
      known,
      ...projects.map((project) => join(projectsFolder, project, transcriptNameOf(sessionId))),
    ]) {
      if (!(await isGone(path, fs))) return false;
    }
    return true;
  } catch {
    return false;
  }
}

async function isDue(stamp: string, nowMs: number, fs: WriteFs): Promise<boolean> {
  const stat = await fs.lstat(stamp).catch(() => null);
  const agoMs = stat === null ? DAY_MS : nowMs - Number(stat.mtimeMs);
  // A clock that was put back is no reason to wait.
  return agoMs >= DAY_MS || agoMs < 0;
}

async function setStamp(stamp: string, nowMs: number, fs: WriteFs): Promise<void> {
  try {
    await closeQuietly(await fs.open(stamp, 'create'));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const time = new Date(nowMs);
  await fs.utimes(stamp, time, time);
}
