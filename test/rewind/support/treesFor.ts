import { existsSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { parseRow } from '../../support/countedRows';
import type { FileTree, TreeFile } from './fileTree';
import type { Place } from './place';

interface HistoryRow {
  readonly type?: string;
  readonly messageId?: string;
  readonly snapshot?: { readonly messageId: string; readonly trackedFileBackups: Readonly<Record<string, Backup>> };
  readonly snapshotMessageId?: string;
  readonly trackingPath?: string;
  readonly backup?: Backup;
}

interface Backup {
  readonly backupFileName: string | null;
}

function historyRows(place: Place): HistoryRow[] {
  return readFileSync(place.filePath, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const row = parseRow(line);
      // SAFETY: only fields of rows of the file history are read, and each is optional.
      return row === null ? [] : [row as HistoryRow];
    });
}

/** Every prompt that a row of the file history names, in the order of the file. */
export function promptsOf(place: Place): string[] {
  const named = historyRows(place).flatMap(({ type, snapshot, snapshotMessageId }) => {
    if (type === 'file-history-snapshot') return snapshot === undefined ? [] : [snapshot.messageId];
    return type === 'file-history-delta' && snapshotMessageId !== undefined ? [snapshotMessageId] : [];
  });
  return [...new Set(named)];
}

/** Trees in which a session's files might be found: all missing, all as last stored, all changed since. */
export function treesFor(place: Place): FileTree[] {
  const newest = new Map<string, string>();
  for (const { snapshot, trackingPath, backup } of historyRows(place)) {
    const reported = { ...snapshot?.trackedFileBackups };
    if (trackingPath !== undefined && backup !== undefined) reported[trackingPath] = backup;
    for (const [path, { backupFileName }] of Object.entries(reported)) {
      newest.set(path, backupFileName ?? newest.get(path) ?? '');
    }
  }
  const kept = new Map<string, TreeFile>();
  const changed = new Map<string, TreeFile>();
  const mtimeNs = BigInt(Date.now()) * 1_000_000n;
  for (const [path, name] of newest) {
    const at = relative(place.root, isAbsolute(path) ? path : join(place.cwd, path));
    if (at.startsWith('..')) continue;
    const copy = join(place.backupFolder, name);
    const isKept = name !== '' && existsSync(copy);
    const bytes = isKept ? readFileSync(copy) : Buffer.from('never kept\n');
    const mode = isKept ? statSync(copy).mode & 0o7777 : 0o644;
    kept.set(at, { bytes, mode, mtimeNs });
    changed.set(at, { bytes: Buffer.concat([bytes, Buffer.from('one more\n')]), mode: 0o600, mtimeNs });
  }
  return [new Map(), kept, changed];
}
