import { isJsonObject, type JsonObject, objectField, stringField } from '../../../util/json';
import { readTime } from './rowTypes';

/** One stored state of a file, as a row describes it. (docs/format.md, "File history") */
export interface FileBackup {
  /** Name in `file-history/<session>`; null: there was no file. */
  readonly name: string | null;
  /** 1 for the state before Claude first changed the file; null if it is not a number. */
  readonly version: number | null;
  /** Milliseconds since the epoch; null if the row has no time. */
  readonly timeMs: number | null;
  /** The folder of the file at that time, with symbolic links resolved; null if the row does not contain it. */
  readonly realParentDir: string | null;
}

/** The state before a prompt of all files that Claude had changed. */
export interface SnapshotRow {
  readonly kind: 'snapshot';
  /** The row that this one belongs to: the prompt, or, for an update, the row of a call. */
  readonly messageId: string;
  /** The prompt. */
  readonly promptId: string;
  /** It replaces the snapshot of the same prompt (clients up to 2.1.200). */
  readonly isUpdate: boolean;
  /** Keyed by path, which is absolute or relative to the folder in which the client was started. */
  readonly backups: ReadonlyMap<string, FileBackup>;
  readonly timeMs: number | null;
  /** The client noticed that a command changed files of which it keeps no backup. */
  readonly hasUntrackedChanges: boolean;
}

/** A file that Claude first changed in the turn of a prompt. */
export interface DeltaRow {
  readonly kind: 'delta';
  /** The row of the call, which may come later in the file. */
  readonly messageId: string;
  readonly promptId: string;
  readonly path: string;
  readonly backup: FileBackup;
  readonly timeMs: number | null;
}

export type CheckpointRow = SnapshotRow | DeltaRow;

/** Searched in a row's bytes: a row without it describes no checkpoint. */
export const CHECKPOINT_NEEDLE = 'file-history-';

/** Names that the client uses: 16 or all digits of the SHA-256 of the absolute path, and a version. */
const BACKUP_NAME = /^[0-9a-f]{16}(?:[0-9a-f]{48})?@v\d+$/;

/** The client opens no other names. Such a name cannot lead into another folder. */
export function isFileBackupName(name: string): boolean {
  return BACKUP_NAME.test(name);
}

/** Null for any other row, and for one without the ids of its message and prompt. */
export function readCheckpointRow(row: JsonObject): CheckpointRow | null {
  const messageId = stringField(row, 'messageId');
  if (messageId === null) return null;
  switch (row['type']) {
    case 'file-history-snapshot':
      return readSnapshot(row, messageId);
    case 'file-history-delta': {
      const promptId = stringField(row, 'snapshotMessageId');
      const path = stringField(row, 'trackingPath');
      const backup = readBackup(row['backup']);
      if (promptId === null || path === null || backup === null) return null;
      return { kind: 'delta', messageId, promptId, path, backup, timeMs: timeOf(row['timestamp']) };
    }
    default:
      return null;
  }
}

function readSnapshot(row: JsonObject, messageId: string): SnapshotRow | null {
  const snapshot = objectField(row, 'snapshot');
  const promptId = snapshot === null ? null : stringField(snapshot, 'messageId');
  if (snapshot === null || promptId === null) return null;
  const backups = new Map<string, FileBackup>();
  for (const [path, value] of Object.entries(objectField(snapshot, 'trackedFileBackups') ?? {})) {
    const backup = readBackup(value);
    if (backup !== null) backups.set(path, backup);
  }
  return {
    kind: 'snapshot',
    messageId,
    promptId,
    isUpdate: Boolean(row['isSnapshotUpdate']),
    backups,
    timeMs: timeOf(snapshot['timestamp']),
    hasUntrackedChanges: snapshot['hasUntrackedChanges'] === true,
  };
}

/** Null for a value that describes neither a backup nor the absence of a file. */
function readBackup(value: unknown): FileBackup | null {
  if (!isJsonObject(value)) return null;
  const name = value['backupFileName'];
  if (name !== null && typeof name !== 'string') return null;
  const version = value['version'];
  return {
    name,
    version: typeof version === 'number' ? version : null,
    timeMs: timeOf(value['backupTime']),
    realParentDir: stringField(value, 'realParentDir'),
  };
}

function timeOf(value: unknown): number | null {
  const ms = readTime(value);
  return Number.isNaN(ms) ? null : ms;
}

/** A row that lists backups of files. (docs/format.md, "File history") */
export interface FileHistoryRow {
  /** The conversation row that it belongs to: a prompt, or the row with the call that changed a file. */
  readonly messageId: string | null;
  /** Names of the backups in the session's folder under `file-history/`. */
  readonly backups: readonly string[];
}

/** Null for rows of every other type. */
export function readFileHistoryRow(row: JsonObject): FileHistoryRow | null {
  const messageId = stringField(row, 'messageId');
  switch (row['type']) {
    case 'file-history-snapshot': {
      const tracked = objectField(objectField(row, 'snapshot') ?? {}, 'trackedFileBackups') ?? {};
      return { messageId, backups: Object.values(tracked).flatMap(backupName) };
    }
    case 'file-history-delta':
      return { messageId, backups: backupName(row['backup']) };
    default:
      return null;
  }
}

/** Empty if the file did not exist, and for a value that is not a plain name. */
function backupName(backup: unknown): string[] {
  const name = isJsonObject(backup) ? stringField(backup, 'backupFileName') : null;
  return name === null || !/^[^/\\\0]+$/.test(name) || name === '.' || name === '..' ? [] : [name];
}
