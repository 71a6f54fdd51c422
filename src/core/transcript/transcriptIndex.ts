import type { LengthRefusal } from '../providers/claude/format/contextFacts';
import type { SessionTitles } from '../providers/claude/format/sessionMetadata';
import { Column } from '../util/columns';
import type { ByteRows } from './byteRows';
import { type IdTable, NO_ID } from './idTable';
import type { RowTable } from './rowTable';
import type { UncountedRows } from './uncountedRows';
import type { UsageTable } from './usageTable';

/** Which rows from before a compaction stay in the history. */
export type Preserved =
  | { readonly kind: 'none' }
  /** The listed rows, oldest first. */
  | { readonly kind: 'list'; readonly anchor: number; readonly ids: readonly number[] }
  /** The chain from the tail up to the head. */
  | { readonly kind: 'segment'; readonly anchor: number; readonly head: number; readonly tail: number };

/** A `compact_boundary` row. */
export interface CompactBoundary {
  readonly row: number;
  readonly preserved: Preserved;
  /** The row says how the compaction was made. */
  readonly hasMetadata: boolean;
}

export interface UnknownRows {
  readonly type: string;
  count: number;
  /** All of them, in file order. */
  readonly lines: number[];
}

/** Limit of each list of lines that is shown to people. */
export const MAX_LISTED_LINES = 1000;

/** What a transcript contains besides its rows. */
export interface TranscriptNotes {
  /** An older one never replaces it. */
  lastPrompt: LastPrompt | null;
  readonly boundaries: CompactBoundary[];
  readonly lineFaults: LineFaultTable;
  /** In file order. */
  readonly longLines: LongLineNote[];
  readonly unknownTypes: Map<string, UnknownRows>;
  /** `sourceToolAssistantUUID` of rows whose parent is another row. */
  readonly toolSources: Map<number, number>;
  /** Rows that report that a prompt was refused because the history is too long. */
  readonly refusals: Map<number, LengthRefusal>;
  /** Key of `toolUseID` of rows written by hooks. */
  readonly hookCalls: Map<number, number>;
  readonly titles: SessionTitles;
  readonly latest: LatestValues;
  /** Some line, or several together, hold an object that is not empty. The fast scanner counts only the lines that it leaves. */
  hasRow: boolean;
  /** In a file over 5 MiB: a row spans several lines, so the client does not read it. */
  hasUnreadRow: boolean;
  /** The session named by the first row that says it was copied from another session. */
  parentSessionId: string | null;
}

/** A line that is too long to be read as a whole. */
export interface LongLineNote {
  readonly line: number;
  /** Bytes. */
  readonly length: number;
  /** Its outline was read. If not, the file may hold a row of which nothing is known. */
  readonly isKnown: boolean;
}

export function emptyNotes(): TranscriptNotes {
  return {
    lastPrompt: null,
    boundaries: [],
    lineFaults: new LineFaultTable(),
    longLines: [],
    unknownTypes: new Map(),
    toolSources: new Map(),
    refusals: new Map(),
    hookCalls: new Map(),
    titles: { custom: null, ai: null, lastPrompt: null, summary: null, firstPrompt: null },
    latest: { cwd: null, model: null, gitBranch: null, clientVersion: null, messageMs: null },
    hasRow: false,
    hasUnreadRow: false,
    parentSessionId: null,
  };
}

/**
 * The history of a straight transcript: it holds every row from the root on. wasm/assembly/straight.ts defines when a transcript
 * is straight.
 */
export interface StraightHistory {
  /** The last row without a parent. */
  readonly root: number;
  /** The last row. */
  readonly leaf: number;
  /** Number of rows from the leaf to the root along parent links only. */
  readonly depth: number;
}

/** What a scanner counts and stores, besides the notes. */
export interface ScannedTables {
  readonly ids: IdTable;
  readonly rows: RowTable;
  /** Null if the scan did not request it. */
  readonly usage: UsageTable | null;
  /** Message ids and tool-call ids are keys below this number. */
  readonly keyCount: number;
  readonly lineCount: number;
  /** Bytes. */
  readonly fileSize: number;
  /** There is a row, of any type. */
  readonly hasRow: boolean;
  /** The last complete lines are missing: they belong to a row of several lines that is not complete. */
  readonly isOpen: boolean;
  /**
   * True if it is certain that each id that occurs is the id of one chain row, that each parent precedes its children, and that
   * the client sees all rows, as in most transcripts. False means unknown.
   */
  readonly isOrderly: boolean;
  /** Null unless the transcript was proved to be straight. */
  readonly straight: StraightHistory | null;
  /** Two rows may have the same uuid, and the scan did not compute the hashes that tell whether they are copies. */
  readonly lacksHashes: boolean;
  /** Two rows may have the same uuid, and their hashes tell only whether they have the same bytes. */
  readonly hashesBytes: boolean;
  /**
   * What the client's reader for large files sees; null if the scan did not request it, or could not prove it. A function
   * computes it when it is first needed.
   */
  readonly byteRows: ByteRows | null | (() => ByteRows | null);
  /** What the rows weigh that no count of tokens covers; null if the scan did not keep their bytes. */
  readonly uncounted: UncountedRows | null;
}

/**
 * Everything later steps need to know about a transcript. A scanner builds it, and it never changes afterwards. It is a class so
 * that all instances have the same shape and V8 compiles the loops over rows only once.
 */
export class TranscriptIndex implements Omit<ScannedTables, 'byteRows'> {
  readonly ids: IdTable;
  readonly rows: RowTable;
  readonly usage: UsageTable | null;
  readonly keyCount: number;
  readonly lineCount: number;
  readonly fileSize: number;
  readonly hasRow: boolean;
  readonly isOpen: boolean;
  readonly isOrderly: boolean;
  readonly straight: StraightHistory | null;
  readonly lacksHashes: boolean;
  readonly hashesBytes: boolean;
  #byteRows: ByteRows | null | (() => ByteRows | null);
  /** Set by who reads the file if the scan did not keep the bytes and rows have to be weighed. */
  uncounted: UncountedRows | null;
  readonly lastPrompt: LastPrompt | null;
  readonly boundaries: readonly CompactBoundary[];
  readonly lineFaults: LineFaultTable;
  readonly longLines: readonly LongLineNote[];
  readonly unknownTypes: ReadonlyMap<string, UnknownRows>;
  readonly toolSources: ReadonlyMap<number, number>;
  readonly refusals: ReadonlyMap<number, LengthRefusal>;
  readonly hookCalls: ReadonlyMap<number, number>;
  readonly titles: Readonly<SessionTitles>;
  readonly latest: Readonly<LatestValues>;
  readonly parentSessionId: string | null;
  readonly hasUnreadRow: boolean;

  constructor(tables: ScannedTables, notes: TranscriptNotes) {
    this.ids = tables.ids;
    this.rows = tables.rows;
    this.usage = tables.usage;
    this.keyCount = tables.keyCount;
    this.lineCount = tables.lineCount;
    this.fileSize = tables.fileSize;
    this.hasRow = tables.hasRow;
    this.isOpen = tables.isOpen;
    this.isOrderly = tables.isOrderly;
    this.straight = tables.straight;
    this.lacksHashes = tables.lacksHashes;
    this.hashesBytes = tables.hashesBytes;
    this.#byteRows = tables.byteRows;
    this.uncounted = tables.uncounted;
    this.lastPrompt = notes.lastPrompt;
    this.boundaries = notes.boundaries;
    this.lineFaults = notes.lineFaults;
    this.longLines = notes.longLines;
    this.unknownTypes = notes.unknownTypes;
    this.toolSources = notes.toolSources;
    this.refusals = notes.refusals;
    this.hookCalls = notes.hookCalls;
    this.titles = notes.titles;
    this.latest = notes.latest;
    this.parentSessionId = notes.parentSessionId;
    this.hasUnreadRow = notes.hasUnreadRow;
  }

  get byteRows(): ByteRows | null {
    return this.readByteRows();
  }

  /** Computes the byte rows if that was left for later. */
  readByteRows(): ByteRows | null {
    if (typeof this.#byteRows === 'function') this.#byteRows = this.#byteRows();
    return this.#byteRows;
  }
}

export interface LatestValues {
  cwd: string | null;
  model: string | null;
  gitBranch: string | null;
  clientVersion: string | null;
  messageMs: number | null;
}

/** What the newest `last-prompt` row that has any information on the leaf says. (docs/format.md, "Leaf") */
export interface LastPrompt {
  readonly line: number;
  /** Number of stored rows before it in the file. */
  readonly rowsBefore: number;
  /** Id of the row that it names; `NO_ID` if it says that there is none. */
  readonly leaf: number;
  /** Written deliberately, for example by a rewind of the conversation. */
  readonly isExplicit: boolean;
}

/** Maps ids to rows. The code that fills it decides which of several rows an id refers to. */
export class RowIndex {
  readonly #uuid: Int32Array;
  readonly #odd: Int32Array;

  constructor(index: { readonly ids: IdTable }) {
    this.#uuid = new Int32Array(index.ids.uuidCount).fill(NO_ID);
    this.#odd = new Int32Array(index.ids.oddCount).fill(NO_ID);
  }

  /** The row, or `NO_ID`. */
  get(id: number): number {
    if (id === NO_ID) return NO_ID;
    return (id >= 0 ? this.#uuid[id] : this.#odd[-2 - id]) ?? NO_ID;
  }

  set(id: number, row: number): void {
    if (id >= 0) this.#uuid[id] = row;
    else if (id !== NO_ID) this.#odd[-2 - id] = row;
  }
}

export type LineFaultKind =
  /** No complete JSON object. */
  | 'torn'
  /** Several objects, or an object and other bytes, on one line. */
  | 'glued'
  /** NULs before, between or after rows. */
  | 'nul'
  /** A byte order mark. */
  | 'bom'
  /** The first line of a row of several lines, which the client loads. */
  | 'spread';

/** A line whose bytes are not one clean JSON object. */
export interface LineFault {
  readonly kind: LineFaultKind;
  readonly line: number;
  /**
   * The fault prevents a row from loading that would load without it. For `torn`: the value that begins on the line goes on over
   * rows after it.
   */
  readonly hidesRow: boolean;
  /** It is the last line and has no newline. */
  readonly isUnfinished: boolean;
}

const KINDS: readonly LineFaultKind[] = ['torn', 'glued', 'nul', 'bom', 'spread'];
const KIND_MASK = 7;
const HIDES_ROW = 8;
const IS_UNFINISHED = 16;

/** The faulty lines of a transcript in file order, at 8 bytes each, because every line may be faulty. */
class LineFaultTable {
  readonly #line = Column.uint32();
  readonly #state = Column.uint32();
  readonly #counts: Record<LineFaultKind, number> = { torn: 0, glued: 0, nul: 0, bom: 0, spread: 0 };

  add({ kind, line, hidesRow, isUnfinished }: LineFault): void {
    this.#counts[kind]++;
    this.#line.push(line);
    this.#state.push(KINDS.indexOf(kind) | (hidesRow ? HIDES_ROW : 0) | (isUnfinished ? IS_UNFINISHED : 0));
  }

  get isEmpty(): boolean {
    return this.#line.length === 0;
  }

  count(kind: LineFaultKind): number {
    return this.#counts[kind];
  }

  *ofKind(kind: LineFaultKind): Generator<LineFault> {
    const wanted = KINDS.indexOf(kind);
    for (let at = 0; at < this.#line.length; at++) {
      const state = this.#state.get(at);
      if ((state & KIND_MASK) !== wanted) continue;
      yield {
        kind,
        line: this.#line.get(at),
        hidesRow: (state & HIDES_ROW) !== 0,
        isUnfinished: (state & IS_UNFINISHED) !== 0,
      };
    }
  }
}
