import { isJsonObject, type JsonObject, objectField, stringField } from '../../util/json';

/** A file as it was: not there, kept under its hash, or not kept. */
export type StoredState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly sha256: string; readonly size: number; readonly mode: number }
  | { readonly kind: 'notKept'; readonly why: 'tooLarge' | 'notAFile' | 'unreadable' };

export interface StoredFile {
  /** Absolute. Of what a symbolic link leads to, where the call named a link. */
  readonly path: string;
  /** The link that the call named; null as a rule. */
  readonly link: string | null;
  /** Its folder without symbolic links; of one that is not there, where it would be made. Null when that cannot be told. */
  readonly realFolder: string | null;
  readonly state: StoredState;
}

/** What a tool call is about to change. */
export interface MutatingCall {
  /** The message that led to it; null where that is not known yet. */
  readonly promptUuid: string | null;
  /** What the client calls the turn, which rows of its transcript name, too; null where it tells none. */
  readonly promptId: string | null;
  readonly toolUseId: string | null;
  readonly toolName: string | null;
  /** The subagent that makes the call; null for the main conversation. */
  readonly agentId: string | null;
  /** The client's transcript; null for a session that has none. */
  readonly transcriptPath: string | null;
}

/** The state of some files just before a tool call. */
export interface StoredCheckpoint extends MutatingCall {
  readonly timeMs: number;
  readonly files: readonly StoredFile[];
}

/** Null for a row that is no checkpoint. What a file's state says that is not understood counts as not kept. */
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
  // A hash from a row becomes a part of a path.
  if (kind === 'file' && sha256 !== null && SHA256.test(sha256) && size !== null && mode !== null) {
    return { kind, sha256, size, mode: mode & 0o7777 };
  }
  const why = stringField(state, 'why');
  return { kind: 'notKept', why: why === 'tooLarge' || why === 'notAFile' ? why : 'unreadable' };
}

/** A whole number that is not negative, or null. */
export function numberField(row: JsonObject, key: string): number | null {
  const value = row[key];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
