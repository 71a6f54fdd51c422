import { isJsonObject, objectField, stringField, type JsonObject } from './json';

/** A row that says which backups of files there are. (docs/format.md, "File history") */
export interface FileHistoryRow {
  /** The row of the conversation that it goes with: a prompt, or the row with the call that changed a file. */
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

/** None where the file did not exist, and for what is no plain name. */
function backupName(backup: unknown): string[] {
  const name = isJsonObject(backup) ? stringField(backup, 'backupFileName') : null;
  return name === null || !/^[^/\\\0]+$/.test(name) || name === '.' || name === '..' ? [] : [name];
}
