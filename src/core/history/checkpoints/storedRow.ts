import { isJsonObject, type JsonObject, objectField, stringField } from '../../util/json';

/** The state of a file: absent, kept under its hash, or not kept. */
export type StoredState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly sha256: string; readonly size: number; readonly mode: number }
  | {
      readonly kind: 'notKept';
      readonly why: 'tooLarge' | 'notAFile' | 'unreadable';
      /** If it was too large: its bytes, and the limit. Absent if they are not known. */
      readonly size?: number;
      readonly maxBytes?: number;
    };

export interface StoredFile {
  /** Absolute. If the call named a symbolic link, the path of its target. */
  readonly path: string;
  /** The symbolic link that the call named; usually null. */
  readonly link: string | null;
  /** Its folder without symbolic links; if the folder does not exist, where it would be created. Null if unknown. */
  readonly realFolder: string | null;
  readonly state: StoredState;
}

/** A tool call that is about to change files. */
export interface MutatingCall {
  /** uuid of the prompt whose turn makes the call; null if not known yet. */
  readonly promptUuid: string | null;
  /** The client's id of the turn, which rows of its transcript contain as well; null if the client gives none. */
  readonly promptId: string | null;
  readonly toolUseId: string | null;
  readonly toolName: string | null;
  /** The subagent that makes the call; null for the main conversation. */
  readonly agentId: string | null;
  /** Absolute path of the client's transcript; null for a session that has none. */
  readonly transcriptPath: string | null;
}

/** The state of some files just before a tool call. */
export interface StoredCheckpoint extends MutatingCall {
  readonly timeMs: number;
  readonly files: readonly StoredFile[];
}

/** Null for a row that is not a checkpoint. A file whose state is not understood counts as not kept. */
export function readCheckpoint(row: JsonObject): StoredCheckpoint | null {
  const files = row['files'];
  if (!Array.isArray(files)) return null;
  return {
    timeMs: numberField(row, 'timeMs') ?? 0,
    promptUuid: stringField(row, 'promptUuid'),
    promptId: stringField(row, 'promptId'),
    toolUseId: stringField(row, 'toolUseId'),
    toolName: stringField(row, 'toolName'),
    agentId: stringField(row, 'agentId'),
    transcriptPath: stringField(row, 'transcriptPath'),
    files: files.flatMap((file: unknown): StoredFile[] => {
      const path = isJsonObject(file) ? stringField(file, 'path') : null;
      if (!isJsonObject(file) || path === null) return [];
      const [link, realFolder] = [stringField(file, 'link'), stringField(file, 'realFolder')];
      return [{ path, link, realFolder, state: readState(objectField(file, 'state')) }];
    }),
  };
}

const SHA256 = /^[0-9a-f]{64}$/u;

function readState(state: JsonObject | null): StoredState {
  const kind = state === null ? null : stringField(state, 'kind');
  if (state === null || kind === null) return { kind: 'notKept', why: 'unreadable' };
  if (kind === 'absent') return { kind };
  const sha256 = stringField(state, 'sha256');
  const [size, mode] = [numberField(state, 'size'), numberField(state, 'mode')];
  // The hash is checked because it becomes part of a path.
  if (kind === 'file' && sha256 !== null && SHA256.test(sha256) && size !== null && mode !== null) {
    return { kind, sha256, size, mode: mode & 0o7777 };
  }
  const why = stringField(state, 'why');
  const maxBytes = numberField(state, 'maxBytes');
  if (why === 'tooLarge' && size !== null && maxBytes !== null) return { kind: 'notKept', why, size, maxBytes };
  return { kind: 'notKept', why: why === 'tooLarge' || why === 'notAFile' ? why : 'unreadable' };
}

/** The field if it is a non-negative integer; null otherwise. */
export function numberField(row: JsonObject, key: string): number | null {
  const value = row[key];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
