import { resolve } from 'node:path';
import type { FileIdentity } from './fileAttributes';
import {
  areNextBytes,
  areNextBytesEqual,
  ByteCursor,
  CHUNK_BYTES,
  type FileRange,
  readChunks,
  readFully,
} from './fileBytes';
import { findBackups } from './backupNames';
import { type LiveGuard, openToRead, type OpenTranscript, withTranscript, type WriteDeps } from './openTranscript';
import { Refusal, type Refused } from './refusal';
import { type Replacement, replaceTranscript } from './rewriteTranscript';
import { closeQuietly, type FileStat, type ReadableFile, removeQuietly } from './writeFs';

export interface UndoRequest {
  readonly filePath: string;
  /** Called at the start and again just before the swap. */
  readonly assertNotLive: LiveGuard;
}

export interface Restored {
  readonly kind: 'restored';
  /** The backup whose bytes the transcript holds; it was removed, so that the next undo uses the one before. */
  readonly backupPath: string;
  readonly identity: FileIdentity;
  /** Number of bytes that were appended since the repair and kept. */
  readonly keptBytes: number;
  /** One sentence to show if rows that arrived during the swap are kept elsewhere; usually null. */
  readonly warning: string | null;
}

export type UndoOutcome = Restored | Refused;

/**
 * Restores the bytes of the newest backup and keeps what was appended since the repair. Refuses if the transcript is
 * anything but the repaired backup with bytes appended. Never rejects.
 */
export async function undoRewrite(request: UndoRequest, deps: WriteDeps): Promise<UndoOutcome> {
  return withTranscript(resolve(request.filePath), request.assertNotLive, deps, async (transcript) => {
    const [path] = await findBackups(transcript.filePath, deps.fs);
    if (path === undefined)
      throw new Refusal('no-backup', 'There is no backup of this session, so there is nothing to undo.');
    const file = await openToRead(path, `The backup ${path}`, deps.fs);
    try {
      return await restore(transcript, { path, file, stat: await file.stat() }, request, deps);
    } finally {
      await closeQuietly(file);
    }
  });
}

interface OpenBackup {
  readonly path: string;
  readonly file: ReadableFile;
  readonly stat: FileStat;
}

async function restore(
  transcript: OpenTranscript,
  backup: OpenBackup,
  request: UndoRequest,
  deps: WriteDeps,
): Promise<Restored> {
  const size = Number(backup.stat.size);
  const trace = await traceRepair(
    { file: backup.file, from: 0, to: size },
    { file: transcript.file, from: 0, to: transcript.identity.size },
  );
  if (trace.kind === 'unexplained') {
    throw new Refusal(
      'changed-since-repair',
      `The session was changed since its repair by more than new rows, so it was left as it is. The version from before the repair is ${backup.path}.`,
    );
  }
  const keptBytes = transcript.identity.size - trace.tailStart;
  if (trace.isUnchanged) {
    await removeQuietly(backup.path, deps.fs);
    return { kind: 'restored', backupPath: backup.path, identity: transcript.identity, keptBytes, warning: null };
  }
  const replacement = await restoredContent(transcript, backup, trace.tailStart);
  const { identity, warning, isDurable } = await replaceTranscript(
    transcript,
    { ...replacement, verify: () => Promise.resolve(true), assertNotLive: request.assertNotLive },
    deps.random(),
    deps,
  );
  // Until the swap is on disk, the backup may be the only copy of these bytes that survives a power failure.
  if (isDurable) await closeQuietly(backup.file).then(() => removeQuietly(backup.path, deps.fs));
  return { kind: 'restored', backupPath: backup.path, identity, keptBytes, warning };
}

/** The backup, followed by what was appended to the transcript. */
async function restoredContent(
  transcript: OpenTranscript,
  backup: OpenBackup,
  tailStart: number,
): Promise<Pick<Replacement, 'write' | 'isAsIntended' | 'times'>> {
  const backupSize = Number(backup.stat.size);
  const { size } = transcript.identity;
  const separator = (await needsNewline(transcript, backup, tailStart)) ? Buffer.from('\n') : Buffer.alloc(0);
  return {
    async write(writer) {
      for await (const chunk of readChunks(backup.file, 0, backupSize)) await writer.write(chunk);
      await writer.write(separator);
      for await (const chunk of readChunks(transcript.file, tailStart, size)) await writer.write(chunk);
    },
    async isAsIntended(written) {
      const tailSize = size - tailStart;
      const meantSize = backupSize + separator.length + tailSize;
      if (Number((await written.stat()).size) !== meantSize) return false;
      const result = new ByteCursor({ file: written, from: 0, to: meantSize });
      return (
        (await areNextBytesEqual(new ByteCursor({ file: backup.file, from: 0, to: backupSize }), result, backupSize)) &&
        (await areNextBytes(result, separator)) &&
        (await areNextBytesEqual(
          new ByteCursor({ file: transcript.file, from: tailStart, to: size }),
          result,
          tailSize,
        ))
      );
    },
    times: tailStart < size ? transcript.stat : backup.stat,
  };
}

/**
 * A row that was appended after a repair must not follow the NULs or the missing newline at the end of the backup,
 * because Claude would not see it. The second part of a row that the client wrote in two parts does not start with a
 * brace.
 */
async function needsNewline(transcript: OpenTranscript, backup: OpenBackup, tailStart: number): Promise<boolean> {
  const last = Buffer.alloc(1);
  const next = Buffer.alloc(1);
  await readFully(backup.file, last, Number(backup.stat.size) - 1);
  const hasTail = tailStart < transcript.identity.size && (await readFully(transcript.file, next, tailStart)) === 1;
  return hasTail && last.toString() !== '\n' && next.toString() === '{';
}

const NUL = 0x00;
const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;
const ENDS: readonly number[] = [QUOTE, CLOSE_BRACE, CLOSE_BRACKET];
/** NUL, tab, vertical tab, form feed, carriage return, space. */
const PADDING = [NUL, 0x09, 0x0b, 0x0c, 0x0d, 0x20];
const BOM = Buffer.from('\uFEFF');

/** How a transcript differs from its backup. */
export type RepairTrace =
  | {
      readonly kind: 'repaired';
      /** Offset in the transcript of the rows that were appended since the repair. */
      readonly tailStart: number;
      /** The transcript is the backup with rows appended, so there is nothing to undo. */
      readonly isUnchanged: boolean;
    }
  | { readonly kind: 'unexplained' };

/**
 * Proves that `current` is `backup` as a repair changes it, with bytes appended. Compares both side by side in bounded
 * memory. Every byte of `current` before the tail is a byte of the backup, belongs to the value of a repaired field of
 * the same row, or is the line feed that separates two rows that were on one line; so restoring the backup loses none.
 * Only padding of the backup (NULs, byte order marks, white space around rows) may be missing.
 */
export async function traceRepair(
  backup: FileRange,
  current: FileRange,
  chunkBytes = CHUNK_BYTES,
): Promise<RepairTrace> {
  const before = new ByteCursor(backup, chunkBytes);
  const after = new ByteCursor(current, chunkBytes);
  const shape = new RowShape();
  let isUnchanged = true;
  for (;;) {
    await stepOverEqualBytes(before, after, shape);
    if (before.isAtEnd) return { kind: 'repaired', tailStart: after.position, isUnchanged };
    isUnchanged = false;
    if (!(await stepOverRepair(before, after, shape))) return { kind: 'unexplained' };
  }
}

/** Stops at the first difference, or at the end of either file. */
async function stepOverEqualBytes(before: ByteCursor, after: ByteCursor, shape: RowShape): Promise<void> {
  for (;;) {
    await before.fill();
    await after.fill();
    const count = Math.min(before.window.length, after.window.length);
    const left = before.window.subarray(0, count);
    const equal = left.equals(after.window.subarray(0, count)) ? count : firstDifference(left, after.window);
    shape.feed(left.subarray(0, equal));
    before.advance(equal);
    after.advance(equal);
    if (count === 0 || equal < count) return;
  }
}

function firstDifference(left: Buffer, right: Buffer): number {
  let at = 0;
  while (left[at] === right[at]) at++;
  return at;
}

/** Steps over one change that a repair makes; false if the difference is not such a change. */
async function stepOverRepair(before: ByteCursor, after: ByteCursor, shape: RowShape): Promise<boolean> {
  await before.fill(BOM.length);
  const next = before.window[0];
  const isCut = after.window[0] === NEWLINE;
  if (shape.isInRepairedValue && next !== NUL && !isCut) {
    const { isInString, isEscaped } = shape;
    shape.endValue();
    // A repair writes an id or null, whatever was there.
    const isScalar = isInString || (after.window[0] !== OPEN_BRACE && after.window[0] !== OPEN_BRACKET);
    return (
      isScalar &&
      (await stepOverValue(before, isInString, isEscaped)) &&
      (await stepOverValue(after, isInString, isEscaped))
    );
  }
  // A NUL is padding even inside a torn row, because JSON contains none.
  const padding = next === NUL || shape.isOutside || isCut ? paddingLength(before.window, after.window[0]) : 0;
  if (padding > 0) {
    before.advance(padding);
    return true;
  }
  // The next row was on the same line as this one, which may be whole or torn.
  if (isCut && next === OPEN_BRACE) {
    after.advance(1);
    shape.reset();
    return true;
  }
  return false;
}

/** Length of the padding that is missing in the repaired file, whose next byte is `next`. */
function paddingLength(bytes: Buffer, next: number | undefined): number {
  let length = 0;
  while (bytes[length] !== next && PADDING.includes(bytes[length] ?? -1)) length++;
  return length === 0 && bytes.subarray(0, BOM.length).equals(BOM) ? BOM.length : length;
}

/**
 * Steps to the end of a value, from its start or from inside it if it is a string, number or literal. False if it has no end on
 * the line.
 */
async function stepOverValue(cursor: ByteCursor, isInString: boolean, isEscaped: boolean): Promise<boolean> {
  let inString = isInString;
  let escaped = isEscaped;
  /** Objects and lists around the next byte. */
  let depth = 0;
  for (;;) {
    await cursor.fill();
    const byte = cursor.window[0];
    if (byte === undefined || byte === NEWLINE) return false;
    if (inString) {
      inString = byte !== QUOTE || escaped;
      escaped = byte === BACKSLASH && !escaped;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (depth > 0) depth -= byte === CLOSE_BRACE || byte === CLOSE_BRACKET ? 1 : 0;
    else if (!isLiteral(byte) && byte !== 0x20) return true;
    cursor.advance(1);
    // A string, an object or a list ends with its own last byte; everything else before the next.
    if (!inString && depth === 0 && ENDS.includes(byte)) return true;
  }
}

/** Bytes of numbers, `true`, `false` and `null`. */
function isLiteral(byte: number): boolean {
  return /[\w+\-.]/.test(String.fromCharCode(byte));
}

/** Fields of a row whose values a repair may change. */
export const REPAIRED_FIELDS: readonly string[] = ['parentUuid', 'uuid', 'sourceToolAssistantUUID'];
const COMMA = 0x2c;
const COLON = 0x3a;

/** Longer names are not stored, because no repaired field has one. */
const MAX_NAME_BYTES = Math.max(...REPAIRED_FIELDS.map((name) => name.length)) + 1;

type Place = 'name' | 'colon' | 'value' | 'behind';

/**
 * The position of the next byte within a row, in the detail that an undo needs. Bounded memory for rows of any length.
 * Accepts torn rows and text that is not JSON: a line feed always starts over.
 */
class RowShape {
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** Within the row's own object: what is expected or being read. */
  #place: Place = 'name';
  #name = '';

  /** Between rows. */
  get isOutside(): boolean {
    return this.#depth === 0;
  }

  /** In the value of a field that a repair may change, or directly before it. */
  get isInRepairedValue(): boolean {
    return this.#depth === 1 && this.#place === 'value' && REPAIRED_FIELDS.includes(this.#name);
  }

  get isInString(): boolean {
    return this.#inString;
  }

  get isEscaped(): boolean {
    return this.#isEscaped;
  }

  /** Call it after stepping over the value. */
  endValue(): void {
    this.#inString = false;
    this.#isEscaped = false;
    this.#place = 'behind';
  }

  reset(): void {
    this.#depth = 0;
    this.#inString = false;
    this.#isEscaped = false;
    this.#place = 'name';
    this.#name = '';
  }

  feed(bytes: Buffer): void {
    // Bytes before the last line feed do not affect the state.
    const newline = bytes.lastIndexOf(NEWLINE);
    if (newline >= 0) this.reset();
    for (let at = newline + 1; at < bytes.length; at++) this.#step(bytes[at] ?? 0);
  }

  #step(byte: number): void {
    if (this.#depth === 0) {
      if (byte !== OPEN_BRACE && byte !== OPEN_BRACKET) return;
      this.#depth = 1;
      this.#place = 'name';
    } else if (this.#inString) this.#stepInString(byte);
    else if (byte === QUOTE) {
      this.#inString = true;
      if (this.#depth === 1 && this.#place === 'name') this.#name = '';
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      this.#depth--;
      if (this.#depth === 0) this.reset();
      else if (this.#depth === 1) this.#place = 'behind';
    } else if (this.#depth === 1) {
      if (byte === COLON && this.#place === 'colon') this.#place = 'value';
      else if (byte === COMMA) this.#place = 'name';
    }
  }

  #stepInString(byte: number): void {
    const isEnd = byte === QUOTE && !this.#isEscaped;
    this.#isEscaped = byte === BACKSLASH && !this.#isEscaped;
    if (isEnd) this.#inString = false;
    if (this.#depth > 1) return;
    if (isEnd) this.#place = this.#place === 'name' ? 'colon' : 'behind';
    else if (this.#place === 'name' && this.#name.length < MAX_NAME_BYTES) this.#name += String.fromCharCode(byte);
  }
}
