import { readLastPrompt } from '../providers/claude/format/chainRow';
import { Column } from '../util/columns';
import { isJsonObject, type JsonObject } from '../util/json';
import { type Boundary, type BoundaryForm, readBoundary } from './byteBoundary';
import { readByteFields } from './byteFields';
import { dissectLine } from './dissectLine';
import { IdTable, NO_ID } from './idTable';
import type { LineSink, LongLine } from './lineSplitter';

/** The client reads larger files (strictly) by another reader, which drops rows. (docs/format.md, "Files over 5 MiB") */
export const LARGE_FILE_BYTES = 5 * 1024 * 1024;

/** Only shorter lines (strictly) are taken for a `last-prompt`. */
const LAST_PROMPT_LIMIT_BYTES = 1024;
/** The type of a `last-prompt` that does not start with it is searched in this many bytes. */
const LAST_PROMPT_WINDOW_BYTES = 64;

const ATTRIBUTION_START = Buffer.from('{"type":"attribution-snapshot"');
const LEDGER_START = Buffer.from('{"type":"artifact-autoreact-ledger"');
const LAST_PROMPT_START = Buffer.from('{"type":"last-prompt"');
const LAST_PROMPT_TYPE = Buffer.from('"type":"last-prompt"');
const LAST_PROMPT_NAME = Buffer.from('last-prompt');
const LEAF_KEY = Buffer.from('"leafUuid":');
const PARENT_START = Buffer.from('{"parentUuid":');
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** How the reader takes a line whose first value is a `last-prompt`, or that looks like one. */
export const PromptForm = {
  none: 0,
  /** It starts with its type: it may be dropped before a compaction. */
  first: 1 << 8,
  /** Its type comes later. */
  other: 2 << 8,
  /** It looks like `other`, but the line is not one JSON value: it is dropped. */
  dropped: 3 << 8,
  /** It is metadata to the reader, which ignores what it names. The loader does not. */
  ignored: 4 << 8,
} as const;
export type PromptForm = (typeof PromptForm)[keyof typeof PromptForm];
const PROMPT_MASK = 7 << 8;

const BOUNDARY_MASK = 3 << 11;

export const ByteFlag = {
  /** The reader treats the line as a row with a place in the tree. */
  linked: 1 << 0,
  hasUuid: 1 << 1,
  /** The row names a parent by a string. */
  hasParent: 1 << 2,
  /** The parent is neither a string nor null. */
  oddParent: 1 << 3,
  sidechain: 1 << 4,
  startsWithParent: 1 << 5,
  /** The row has no parent, and its line holds no object or a file snapshot: the conversation does not end there. */
  noLeaf: 1 << 6,
  /** A `last-prompt` with a `leafUuid` that is not empty. */
  namesLeaf: 1 << 13,
  /** A `last-prompt` with any `leafUuid`, also null. */
  hasLeaf: 1 << 14,
  /** A `last-prompt` that names a row, or says that there is none. */
  saysLeaf: 1 << 15,
  /** A `last-prompt` that was written on purpose. */
  explicit: 1 << 16,
  /** A `last-prompt` that is not alone on its line. */
  sharesLine: 1 << 17,
  /** A compaction behind NULs. */
  behindNuls: 1 << 18,
  /** A compaction whose subtype comes late in the line. */
  late: 1 << 19,
  /** `"isSidechain":true` is at the start of the line, nested or not. */
  startsSidechain: 1 << 20,
} as const;

export interface KeptList {
  readonly anchor: number;
  readonly ids: readonly number[];
}

/** The columns of a table, as they are read with `lineOf`, `flags`, `uuid`, `named` and `listOf`. */
export interface ByteColumns {
  readonly line: Column<Uint32Array>;
  readonly flags: Column<Uint32Array>;
  readonly uuid: Column<Int32Array>;
  readonly named: Column<Int32Array>;
  readonly lists: Map<number, KeptList>;
  readonly startsWithBom: boolean;
}

function emptyColumns(): ByteColumns {
  return {
    line: Column.uint32(),
    flags: Column.uint32(),
    uuid: Column.int32(),
    named: Column.int32(),
    lists: new Map(),
    startsWithBom: false,
  };
}

/**
 * What the client's reader for large files sees of the lines by their bytes: the rows that it links, compactions and
 * `last-prompt` rows, in file order. Other lines are metadata to it, and are not stored. Memory: 16 bytes per row, and its own
 * ids.
 */
export class ByteRows implements LineSink {
  readonly #line: Column<Uint32Array>;
  readonly #flags: Column<Uint32Array>;
  readonly #uuid: Column<Int32Array>;
  readonly #named: Column<Int32Array>;
  readonly #lists: Map<number, KeptList>;
  #lines = 0;
  #startsWithBom: boolean;

  /** With columns: a table that is already filled. */
  constructor(
    readonly ids = new IdTable(),
    columns: ByteColumns = emptyColumns(),
  ) {
    this.#line = columns.line;
    this.#flags = columns.flags;
    this.#uuid = columns.uuid;
    this.#named = columns.named;
    this.#lists = columns.lists;
    this.#startsWithBom = columns.startsWithBom;
  }

  get count(): number {
    return this.#line.length;
  }

  /** The file starts with a byte order mark, which hides its first line from this reader. */
  get startsWithBom(): boolean {
    return this.#startsWithBom;
  }

  lineOf(row: number): number {
    return this.#line.get(row);
  }

  flags(row: number): number {
    return this.#flags.get(row);
  }

  has(row: number, flag: number): boolean {
    return (this.#flags.get(row) & flag) !== 0;
  }

  promptForm(row: number): PromptForm {
    return this.#flags.get(row) & PROMPT_MASK;
  }

  boundaryForm(row: number): BoundaryForm {
    return this.#flags.get(row) & BOUNDARY_MASK;
  }

  /** The id of the row, or `NO_ID`. */
  uuid(row: number): number {
    return this.#uuid.get(row);
  }

  /** The id that the row names as its parent, or as the leaf if it is a `last-prompt`; `NO_ID` if it names none. */
  named(row: number): number {
    return this.#named.get(row);
  }

  /** The rows that a compaction keeps, if its form is `listed`. */
  listOf(row: number): KeptList | null {
    return this.#lists.get(row) ?? null;
  }

  /** The linked row on a line, or `NO_ID`. */
  linkedAt(line: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.lineOf(middle) < line) low = middle + 1;
      else high = middle;
    }
    for (; low < this.count && this.lineOf(low) === line; low++) if (this.has(low, ByteFlag.linked)) return low;
    return NO_ID;
  }

  /** Nothing that is left out of the outline matters: it holds no quote, so it can hold no key. */
  longLine({ row }: LongLine): void {
    if (row.kind === 'row') this.line(row.bytes);
    else this.#lines++;
  }

  /** Like `line`, for a caller that passes only some of the lines. */
  lineAt(line: number, bytes: Buffer): void {
    this.#lines = line - 1;
    this.line(bytes);
  }

  line(bytes: Buffer): void {
    this.#lines++;
    if (this.#lines === 1) this.#startsWithBom = startsWith(bytes, BYTE_ORDER_MARK);
    if (bytes.length === 0 || startsWith(bytes, ATTRIBUTION_START)) return;
    const body = bytes.subarray(countNuls(bytes));
    if (startsWith(body, LEDGER_START)) return;
    if (!this.#addLastPrompt(bytes)) this.#addRow(bytes, body);
  }

  /** Returns whether the reader takes the line for nothing else. */
  #addLastPrompt(bytes: Buffer): boolean {
    const isShort = bytes.length < LAST_PROMPT_LIMIT_BYTES;
    if (isShort && startsWith(bytes, LAST_PROMPT_START) && bytes.length > LAST_PROMPT_START.length) {
      const isAlone = parseWhole(bytes) !== undefined;
      this.#addPrompt(PromptForm.first, firstObject(bytes), { isAlone, hasKey: bytes.includes(LEAF_KEY) });
      return true;
    }
    if (isShort && bytes.subarray(0, LAST_PROMPT_WINDOW_BYTES).includes(LAST_PROMPT_TYPE)) {
      const value = parseWhole(bytes);
      if (value === undefined) this.#addPrompt(PromptForm.dropped, null, { isAlone: false, hasKey: false });
      else if (isLastPrompt(value)) this.#addPrompt(PromptForm.other, value, { isAlone: true, hasKey: true });
      return value === undefined || isLastPrompt(value);
    }
    if (!startsWith(bytes, PARENT_START) && bytes.includes(LAST_PROMPT_NAME)) {
      const object = firstObject(bytes);
      const isAlone = isLastPrompt(object) && parseWhole(bytes.subarray(countNuls(bytes))) !== undefined;
      if (isLastPrompt(object)) this.#addPrompt(PromptForm.ignored, object, { isAlone, hasKey: false });
    }
    return false;
  }

  /** `object` is null if the loader finds none on the line. */
  #addPrompt(
    form: PromptForm,
    object: JsonObject | null,
    { isAlone, hasKey }: { readonly isAlone: boolean; readonly hasKey: boolean },
  ): void {
    const leaf = object?.['leafUuid'];
    const read = object === null ? null : readLastPrompt(object);
    const flags =
      form |
      (isAlone ? 0 : ByteFlag.sharesLine) |
      (leaf ? ByteFlag.namesLeaf : 0) |
      (leaf !== undefined && hasKey ? ByteFlag.hasLeaf : 0) |
      (read !== null && read.leafForm !== 'absent' ? ByteFlag.saysLeaf : 0) |
      (read?.isExplicit === true ? ByteFlag.explicit : 0);
    this.#push(flags, NO_ID, typeof leaf === 'string' && leaf !== '' ? this.ids.intern(leaf) : NO_ID);
  }

  #addRow(bytes: Buffer, body: Buffer): void {
    const boundary = readBoundary(body);
    const boundaryFlags =
      boundary === null
        ? 0
        : boundary.form |
          (boundary.isLate ? ByteFlag.late : 0) |
          (body.length < bytes.length ? ByteFlag.behindNuls : 0);
    const fields = readByteFields(bytes);
    const isLinked = fields !== null && (fields.startsWithParent || fields.uuid !== null);
    if (!isLinked) {
      if (boundary !== null) this.#pushRow(boundaryFlags, NO_ID, NO_ID, boundary.kept);
      return;
    }
    const { parent, uuid } = fields;
    const flags =
      boundaryFlags |
      ByteFlag.linked |
      (uuid === null ? 0 : ByteFlag.hasUuid) |
      (typeof parent === 'string' ? ByteFlag.hasParent : 0) |
      (parent === undefined ? ByteFlag.oddParent : 0) |
      (fields.isSidechain ? ByteFlag.sidechain : 0) |
      (fields.startsSidechain ? ByteFlag.startsSidechain : 0) |
      (fields.startsWithParent ? ByteFlag.startsWithParent : 0) |
      (parent === null && !mayBeLeaf(body) ? ByteFlag.noLeaf : 0);
    const parentId = typeof parent === 'string' ? this.ids.intern(parent) : NO_ID;
    const id = uuid === null ? NO_ID : this.ids.intern(uuid);
    this.#pushRow(flags, id, parentId, boundary?.kept ?? null);
  }

  #pushRow(flags: number, uuid: number, parent: number, kept: Boundary['kept']): void {
    const row = this.#push(flags, uuid, parent);
    if (kept === null) return;
    this.#lists.set(row, {
      anchor: this.ids.intern(kept.anchor),
      ids: kept.uuids.map((uuid) => this.ids.intern(uuid)),
    });
  }

  #push(flags: number, uuid: number, named: number): number {
    this.#flags.push(flags);
    this.#uuid.push(uuid);
    this.#named.push(named);
    return this.#line.push(this.#lines);
  }
}

/** Whether the conversation may end at a row without a parent. */
function mayBeLeaf(body: Buffer): boolean {
  const object = firstObject(body);
  return object !== null && !(object['type'] === 'system' && object['subtype'] === 'file_snapshot');
}

function isLastPrompt(value: unknown): value is JsonObject {
  return isJsonObject(value) && value['type'] === 'last-prompt';
}

/** The object that the loader reads from the line: its first value, if that is an object. */
function firstObject(bytes: Buffer): JsonObject | null {
  const [first] = dissectLine(bytes, false).objects;
  return first === undefined || first.visibility === 'never' ? null : first.object;
}

/** Undefined if the bytes are not exactly one JSON value. */
function parseWhole(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  if (bytes[0] !== start[0] || bytes.length < start.length) return false;
  return bytes.compare(start, 0, start.length, 0, start.length) === 0;
}

function countNuls(bytes: Buffer): number {
  let count = 0;
  while (bytes[count] === 0) count++;
  return count;
}
