import { basename, join } from 'node:path';
import { isSessionId, type QuickMetadata, type SessionRef } from '../../protocol/session';
import type { FoundSession } from '../../protocol/terminals';
import { encodeProjectPath, projectsFolderOf, sessionRefOf, transcriptNameOf } from '../providers/claude/format/paths';
import type { SessionProvider } from '../providers/provider';
import type { SessionFiles } from '../util/diskFiles';
import { workspaceIndex } from './summariseSession';

export interface LastSessionDeps {
  readonly provider: Pick<SessionProvider, 'findBatches'>;
  readonly files: Pick<SessionFiles, 'realPath' | 'stampNow'>;
  /** Never rejects; null if the file cannot be read. */
  readonly readQuickMetadata: (filePath: string) => Promise<QuickMetadata | null>;
  /** Absolute path of the person's home folder. */
  readonly homeDir: string;
}

/**
 * The session of a folder with the latest message, as the tree assigns sessions to folders, but without those of its parents; null
 * if there is none. Reads the ends of as few transcripts as possible: no message is later than the last change of its file.
 *
 * @param folder absolute path
 */
export async function lastSession(folder: string, deps: LastSessionDeps): Promise<FoundSession | null> {
  const { provider, files, readQuickMetadata, homeDir } = deps;
  const realPath = await files.realPath(folder);
  const projectName = encodeProjectPath(realPath);
  const workspace = [{ path: folder, realPath, projectName }];
  const candidates: { readonly ref: SessionRef; readonly mtimeMs: number; readonly name: string }[] = [];
  for await (const batch of provider.findBatches([])) {
    for (const { provider: id, id: sessionId, path, projectFolder, isProjectFolder } of batch) {
      const name = basename(projectFolder);
      // The names of folders below it begin with its own name, though not all such names are of folders below it.
      if (isProjectFolder === true || !name.startsWith(projectName.slice(0, MAX_PREFIX))) continue;
      const mtimeMs = files.stampNow(path)?.mtimeMs;
      if (mtimeMs !== undefined) candidates.push({ ref: { provider: id, id: sessionId, path }, mtimeMs, name });
    }
  }
  let best: { readonly found: FoundSession; readonly lastMs: number } | null = null;
  for (const { ref, mtimeMs, name } of candidates.sort((a, b) => b.mtimeMs - a.mtimeMs)) {
    if (best !== null && best.lastMs >= mtimeMs) break;
    const metadata = await readQuickMetadata(ref.path);
    const lastMs = metadata?.lastMessageMs ?? null;
    if (metadata === null || lastMs === null || (best !== null && lastMs <= best.lastMs)) continue;
    const { title, cwd } = metadata;
    if (workspaceIndex({ name, cwd }, workspace, homeDir) < 0) continue;
    best = { found: { ...ref, title, cwd }, lastMs };
  }
  return best?.found ?? null;
}

/** Longer names end with a hash of the whole path. */
const MAX_PREFIX = 200;

/**
 * Where the transcripts of sessions are, by their ids, in lower case; of several, the one that was changed last. Ids without a
 * transcript are left out.
 *
 * @param configDirs absolute paths of the config folders
 */
export async function locateSessions(
  configDirs: readonly string[],
  sessionIds: readonly string[],
  files: Pick<SessionFiles, 'names' | 'stampNow'>,
): Promise<readonly SessionRef[]> {
  const ids = sessionIds.filter(isSessionId);
  const newest = new Map<string, { readonly ref: SessionRef; readonly mtimeMs: number }>();
  for (const projects of ids.length === 0 ? [] : configDirs.map(projectsFolderOf)) {
    for (const folder of await files.names(projects)) {
      for (const id of ids) {
        const path = join(projects, folder, transcriptNameOf(id.toLowerCase()));
        const stamp = files.stampNow(path);
        if (stamp === null || stamp.isFolder || stamp.mtimeMs <= (newest.get(id)?.mtimeMs ?? -1)) continue;
        newest.set(id, { ref: sessionRefOf(path), mtimeMs: stamp.mtimeMs });
      }
    }
  }
  return [...newest.values()].map(({ ref }) => ref);
}
