import { isJsonObject, parseObject, type JsonObject } from '../../claude/json';

/** A file as a safety snapshot knows it: enough to tell it again, and to put it back. */
export type KeptState =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'file';
      /** Name of the copy in the snapshot's folder of files. */
      readonly copy: string;
      readonly size: number;
      readonly sha256: string;
      readonly mode: number;
      readonly uid: number;
      readonly gid: number;
      /** Nanoseconds since the epoch, as text. */
      readonly atimeNs: string;
      readonly mtimeNs: string;
    };

export type MadeState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly size: number; readonly sha256: string; readonly mode: number };

export interface SafetyEntry {
  /** Absolute. */
  readonly path: string;
  /** Its folder without symbolic links. */
  readonly realFolder: string;
  /** Name, in that folder, of the file that is written before it gets its own name. */
  readonly temporary: string;
  readonly before: KeptState;
  readonly after: MadeState;
}

/**
 * What a transaction changes, written before it changes anything: by it another process puts everything back when this
 * one dies.
 */
export interface SafetyManifest {
  readonly format: 1;
  readonly purpose: 'rewind' | 'undo';
  readonly sessionId: string;
  /** Absolute path of the transcript. */
  readonly filePath: string;
  readonly promptUuid: string | null;
  /** Absolute path of the session's project folder; null, or left out, when nothing told it. */
  readonly cwd?: string | null;
  /** Of an undo: the name of the snapshot whose rewind it undoes, of these files at least. */
  readonly undoes?: string;
  /** Milliseconds since the epoch. */
  readonly madeMs: number;
  readonly entries: readonly SafetyEntry[];
  /** Folders that it makes, outermost first. */
  readonly folders: readonly string[];
}

/** Null for what is no manifest of ours: a half of one, or one of a later version. */
export function parseManifest(text: string): SafetyManifest | null {
  const object = parseObject(text);
  if (object?.['format'] !== 1) return null;
  const entries: unknown = object['entries'];
  const folders: unknown = object['folders'];
  const isWhole =
    Array.isArray(entries) &&
    entries.every((entry: unknown) => isJsonObject(entry) && isEntry(entry)) &&
    Array.isArray(folders) &&
    folders.every((folder) => typeof folder === 'string') &&
    (object['purpose'] === 'rewind' || object['purpose'] === 'undo') &&
    typeof object['madeMs'] === 'number' &&
    typeof object['filePath'] === 'string' &&
    typeof object['sessionId'] === 'string' &&
    ['string', 'undefined'].includes(typeof (object['cwd'] ?? undefined)) &&
    ['string', 'undefined'].includes(typeof object['undoes']);
  // SAFETY: every field was looked at.
  return isWhole ? (object as unknown as SafetyManifest) : null;
}

const NAME = /^[\w.-]+$/;

function isEntry(entry: JsonObject): boolean {
  const { before, after } = entry;
  return (
    typeof entry['path'] === 'string' &&
    typeof entry['realFolder'] === 'string' &&
    typeof entry['temporary'] === 'string' &&
    isJsonObject(before) &&
    isJsonObject(after) &&
    (before['kind'] === 'absent' || (isFileState(before) && isCopy(before))) &&
    (after['kind'] === 'absent' || isFileState(after))
  );
}

function isFileState(state: JsonObject): boolean {
  const { kind, size, sha256, mode } = state;
  return kind === 'file' && typeof size === 'number' && typeof sha256 === 'string' && typeof mode === 'number';
}

function isCopy({ copy, uid, gid, atimeNs, mtimeNs }: JsonObject): boolean {
  const isTime = (time: unknown): boolean => typeof time === 'string' && /^-?\d+$/.test(time);
  return (
    typeof copy === 'string' &&
    NAME.test(copy) &&
    typeof uid === 'number' &&
    typeof gid === 'number' &&
    isTime(atimeNs) &&
    isTime(mtimeNs)
  );
}
