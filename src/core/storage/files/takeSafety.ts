import { basename, dirname, join } from 'node:path';
import { transcriptNameOf } from '../../providers/claude/format/paths';
import { errorCode } from '../refusal';
import { closeQuietly, isGone, type WriteFs } from '../writeFs';
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
 * Copies everything that the changes affect into the snapshot, and records the intended state of each file. Throws a
 * Refusal if a file is no longer the one in the plan; only the snapshot's folder has been written by then.
 *
 * @param token part of the names of the temporary files
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
      // Short, because a name of 255 bytes leaves no room for more.
      temporary: `.rethread-${token}-${name}.tmp`,
      before: await keep(change, folder, name, fs),
      after: await madeState(change, fs),
    });
  }
  return entries;
}

/** Path of the file with the links in its folder resolved. */
export function targetPath({ path, realFolder }: Pick<FileChange, 'path' | 'realFolder'>): string {
  return join(realFolder, basename(path));
}

async function keep(change: FileChange, folder: SafetyFolder, name: string, fs: WriteFs): Promise<KeptState> {
  const target = targetPath(change);
  const found = await statOrNull(target, fs);
  if (!isUntouched(found, change.before)) throw new FilesRefusal('changed-since-preview', FILE_PROBLEMS.changed);
  if (found === null) return { kind: 'absent' };
  const attributes = { mode: PRIVATE_MODE, owner: null, times: null };
  const copied = await copyFile(target, folder.copyPath(name), attributes, fs).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (copied === null || !isUntouched(await statOrNull(target, fs), change.before)) {
    throw new FilesRefusal('changed-since-preview', FILE_PROBLEMS.changed);
  }
  return {
    kind: 'file',
    copy: name,
    size: copied.size,
    sha256: copied.sha256,
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

/** Folders that must be created before the files can be written, outermost first. */
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
/** The newest snapshots of a session, which are kept regardless of age while the session exists. */
const KEPT_COUNT = 20;
const KEPT_MS = 30 * DAY_MS;
/** An empty file beside the sessions' folders; its time is that of the last check of all of them. */
const STAMP = 'pruned';

export interface PruneDeps {
  /** Folder of all safety snapshots: `<rewindsFolder>/<session>/<id>`. */
  readonly rewindsFolder: string;
  /** Where the transcripts are: `<projectsFolder>/<project>/<session>.jsonl`. */
  readonly projectsFolder: string;
  /** Folder of the session whose files were changed last. */
  readonly sessionFolder: string;
  readonly nowMs: number;
  readonly fs: WriteFs;
}

/**
 * Removes snapshots that are at least 30 days old: those of this session except its newest 20, and once a day those of
 * all others, without that exception if the session is gone. Unfinished transactions stay. Call it under the lock.
 * Never rejects.
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
    // A folder that cannot be checked is kept.
  }
}

/** The transaction was completed, undone, or never begun. False for a manifest that only a later version can read. */
async function isOver(folder: SafetyFolder): Promise<boolean> {
  if (!(await folder.isBegun())) return true;
  if ((await folder.readManifest()) === null) return false;
  return (await folder.has('done')) || folder.has('undone');
}

/** Whether the transcript is neither at its recorded path nor in any other project. False if that is uncertain. */
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
  // If the clock was set back, do not wait.
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
