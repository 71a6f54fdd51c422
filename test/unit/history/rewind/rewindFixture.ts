import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createRewinds, type RewindDeps, type Rewinds } from '../../../rooms/history';
import { loaderRules } from '../../../rooms/loader';
import { nodeWriteFs, parseManifest, type SafetyManifest, type WriteFs } from '../../../rooms/storage';
import { createFileScanner } from '../../../rooms/transcript';
import { createPacer } from '../../../rooms/util';
import type { RewindState, UndoOptions } from '../../../../src/protocol/channels/history';
import type { ApplyRewindRequest, RewindOutcome } from '../../../../src/protocol/history';
import type { SessionRef } from '../../../../src/protocol/session';
import { HOME, makePlace, type Place } from '../../../rewind/support/place';
import { withTemporaryFolder } from '../../../support/temporaryFolder';
import { lines, type RowFields } from '../../../support/transcriptBuilder';
import { sessionRefOf } from '../../../rooms/format';
import { plainScanner } from '../../../support/plainScanner';

export const SESSION = '44444444-4444-4444-8444-444444444444';
/** The time when the copies of these tests were made. */
const KEPT_MS = Date.UTC(2026, 5, 1, 10);

/** The paths of one session, with `project` and `home` in a temporary folder. */
export async function withPlace<T>(use: (place: Place) => Promise<T>): Promise<T> {
  return withTemporaryFolder((root) => use(makePlace(root, SESSION)));
}

/** The state of a file in a snapshot or a delta; the copy is written as well. Null: there was no file. */
export function backup(
  place: Place,
  path: string,
  version: number,
  content: string | Buffer | null,
  mode = 0o644,
): { readonly backupFileName: string | null; readonly version: number; readonly backupTime: string } {
  const backupTime = new Date(KEPT_MS).toISOString();
  if (content === null) return { backupFileName: null, version, backupTime };
  const digits = createHash('sha256').update(join(place.cwd, path)).digest('hex').slice(0, 16);
  const backupFileName = `${digits}@v${version}`;
  const copy = join(place.backupFolder, backupFileName);
  writeFileSync(copy, content);
  chmodSync(copy, mode);
  utimesSync(copy, KEPT_MS / 1000, KEPT_MS / 1000);
  return { backupFileName, version, backupTime };
}

/** The rows in the form of this transcript: each names the project as its folder. */
export function writeSession(place: Place, rows: readonly RowFields[]): void {
  const placed = rows.map((row) => ('uuid' in row ? { cwd: place.cwd, ...row } : row));
  writeFileSync(place.filePath, `${lines(placed).join('\n')}\n`);
}

/** Rewinds of a person who has opened the project's folder. */
export interface TestRewinds extends Omit<Rewinds, 'undoRewind' | 'rewindState'> {
  undoRewind(session: SessionRef, options?: Partial<UndoOptions>): Promise<RewindOutcome>;
  rewindState(session: SessionRef, roots?: readonly string[]): Promise<RewindState>;
}

export function rewindsWith(place: Place, fs: WriteFs = nodeWriteFs, parts: Partial<RewindDeps> = {}): TestRewinds {
  const rewinds = createRewinds({
    capabilities: { rewind: true },
    scanFile: createFileScanner(plainScanner, createPacer(10)),
    rules: loaderRules(),
    configDir: () => place.configDir,
    homeDir: place.home,
    write: { fs, now: Date.now, random: randomUUID },
    liveness: () => Promise.resolve({ live: 'not-live', why: null }),
    ownCheckpoints: { read: () => Promise.resolve([]) },
    ...parts,
  });
  const roots = [place.cwd];
  return {
    ...rewinds,
    undoRewind: (session, options = {}) =>
      rewinds.undoRewind(session, {
        roots,
        paths: null,
        mayLeaveRoots: false,
        skipObstacles: false,
        mayBeLive: false,
        ...options,
      }),
    rewindState: (session, given = roots) => rewinds.rewindState(session, given),
  };
}

export function requestOf(
  place: Place,
  promptUuid: string,
  more: Partial<ApplyRewindRequest> = {},
): ApplyRewindRequest {
  return {
    session: sessionRefOf(place.filePath),
    promptUuid,
    roots: [place.cwd],
    paths: null,
    mayLeaveRoots: false,
    skipObstacles: false,
    mayBeLive: false,
    token: null,
    ...more,
  };
}

/** Safety snapshots of the session, newest first. */
export function safetyFolders({ configDir }: Place): string[] {
  const folder = join(configDir, 'rethread', 'rewinds', SESSION);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .reverse()
    .map((name) => join(folder, name));
}

/** Null if there is no complete one. */
function manifestIn(folder: string): SafetyManifest | null {
  const path = join(folder, 'manifest.json');
  return existsSync(path) ? parseManifest(readFileSync(path, 'utf8')) : null;
}

/** What a snapshot lacks compared with its manifest, one line each. */
export function missingFrom(folder: string): string[] {
  return (manifestIn(folder)?.entries ?? []).flatMap(({ path, before }) => {
    if (before.kind === 'absent') return [];
    const copy = join(folder, 'files', before.copy);
    if (!existsSync(copy)) return [`no copy of ${path}`];
    const digest = createHash('sha256').update(readFileSync(copy)).digest('hex');
    return digest === before.sha256 ? [] : [`another copy of ${path}`];
  });
}

/** The state that a process left which died; another process finds it a while later. */
export function ageLock({ configDir }: Place): void {
  const path = join(configDir, 'rethread', 'rewinds.lock');
  const past = Date.now() / 1000 - 60;
  if (existsSync(path)) utimesSync(path, past, past);
}

/** Deletes the records of the extension. */
export function forgetRewinds({ configDir }: Place): void {
  rmSync(join(configDir, 'rethread'), { recursive: true, force: true });
}

/** Files of the extension that were left behind in the person's folders. */
export function litterIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (name === HOME) return [];
    if (lstatSync(path).isDirectory()) return litterIn(path);
    return name.startsWith('.rethread-') ? [path] : [];
  });
}
