import { Column } from '../util/column';
import { IdTable, NO_ID } from './idTable';
import { hasFlag, kindOf, parentFormOf, type ParentForm, type RowKind } from './rowFlags';

/** What a scanner hands to the table for one stored row. */
export interface RowRecord {
  readonly line: number;
  readonly flags: number;
  readonly uuid: number;
  readonly parent: number;
  /** Milliseconds since the epoch; NaN when the row has no readable timestamp. */
  readonly timestamp: number;
  /** Key of `message.id`, or `NO_ID`. */
  readonly message: number;
  /** Hash of the row's bytes; with its length it tells identical copies from different rows. */
  readonly hash: number;
  readonly toolUses: readonly number[];
  readonly toolResults: readonly number[];
}

/** The chain rows of a transcript (and rows of other types that carry a uuid) in file order, as columns. */
export class RowTable {
  readonly #line = Column.uint32();
  readonly #flags = Column.uint32();
  readonly #uuid = Column.int32();
  readonly #parent = Column.int32();
  readonly #timestamp = Column.float64();
  readonly #message = Column.int32();
  readonly #hash = Column.uint32();
  readonly #toolStart = Column.uint32();
  /** Key of a call × 2, plus 1 when the entry is its result. */
  readonly #tools = Column.uint32();

  get count(): number {
    return this.#line.length;
  }

  add(row: RowRecord): number {
    this.#flags.push(row.flags);
    this.#uuid.push(row.uuid);
    this.#parent.push(row.parent);
    this.#timestamp.push(row.timestamp);
    this.#message.push(row.message);
    this.#hash.push(row.hash);
    this.#toolStart.push(this.#tools.length);
    for (const key of row.toolUses) this.#tools.push(key * 2);
    for (const key of row.toolResults) this.#tools.push(key * 2 + 1);
    return this.#line.push(row.line);
  }

  line(row: number): number {
    return this.#line.get(row);
  }

  flags(row: number): number {
    return this.#flags.get(row);
  }

  kind(row: number): RowKind {
    return kindOf(this.#flags.get(row));
  }

  has(row: number, flag: number): boolean {
    return hasFlag(this.#flags.get(row), flag);
  }

  parentForm(row: number): ParentForm {
    return parentFormOf(this.#flags.get(row));
  }

  uuid(row: number): number {
    return this.#uuid.get(row);
  }

  parent(row: number): number {
    return this.#parent.get(row);
  }

  timestamp(row: number): number {
    return this.#timestamp.get(row);
  }

  message(row: number): number {
    return this.#message.get(row);
  }

  hash(row: number): number {
    return this.#hash.get(row);
  }

  toolUses(row: number): number[] {
    return this.#toolEntries(row, 0);
  }

  toolResults(row: number): number[] {
    return this.#toolEntries(row, 1);
  }

  #toolEntries(row: number, isResult: 0 | 1): number[] {
    const from = this.#toolStart.get(row);
    const to = row + 1 < this.count ? this.#toolStart.get(row + 1) : this.#tools.length;
    const keys: number[] = [];
    for (let at = from; at < to; at++) {
      const entry = this.#tools.get(at);
      if ((entry & 1) === isResult) keys.push(entry >>> 1);
    }
    return keys;
  }
}

/** How `leafUuid` stands in a `last-prompt` row. */
export type LeafForm = 'row' | 'null' | 'absent';

export interface LastPrompt {
  readonly line: number;
  /** Number of stored rows that come before it in the file. */
  readonly rowsBefore: number;
  readonly leafForm: LeafForm;
  /** Id of the leaf, or `NO_ID`. */
  readonly leaf: number;
  readonly isExplicit: boolean;
}

const LEAF_FORMS: readonly LeafForm[] = ['row', 'null', 'absent'];

/** The `last-prompt` rows in file order, as columns: a long session has hundreds of thousands of them. */
export class LastPromptTable {
  readonly #line = Column.uint32();
  readonly #rowsBefore = Column.uint32();
  readonly #leaf = Column.int32();
  readonly #form = Column.uint32();

  get count(): number {
    return this.#line.length;
  }

  add(entry: LastPrompt): void {
    this.#line.push(entry.line);
    this.#rowsBefore.push(entry.rowsBefore);
    this.#leaf.push(entry.leaf);
    this.#form.push(LEAF_FORMS.indexOf(entry.leafForm) * 2 + (entry.isExplicit ? 1 : 0));
  }

  get(at: number): LastPrompt {
    const form = this.#form.get(at);
    return {
      line: this.#line.get(at),
      rowsBefore: this.#rowsBefore.get(at),
      leaf: this.#leaf.get(at),
      leafForm: LEAF_FORMS[form >>> 1] ?? 'absent',
      isExplicit: (form & 1) === 1,
    };
  }
}

/** Which rows from before a compaction stay in the history. */
export type Preserved =
  | { readonly kind: 'none' }
  /** The rows by name, oldest first. */
  | { readonly kind: 'list'; readonly anchor: number; readonly ids: readonly number[] }
  /** The chain from the tail up to the head. */
  | { readonly kind: 'segment'; readonly anchor: number; readonly head: number; readonly tail: number };

/** A `compact_boundary` row. */
export interface CompactBoundary {
  readonly row: number;
  readonly preserved: Preserved;
}

export type LineFaultKind =
  /** No complete JSON object. */
  | 'torn'
  /** Several objects, or an object and a rest, on one line. */
  | 'glued'
  /** NULs before, between or after rows. */
  | 'nul'
  /** A byte order mark. */
  | 'bom';

/** A line whose bytes are not one clean JSON object. */
export interface LineFault {
  readonly kind: LineFaultKind;
  readonly line: number;
  /** The fault keeps a row from being loaded that would load without it. */
  readonly hidesRow: boolean;
  /** It is the last line and has no newline. */
  readonly isUnfinished: boolean;
}

export interface UnknownRows {
  readonly type: string;
  count: number;
  /** The first lines, at most `MAX_LISTED_LINES`. */
  readonly lines: number[];
}

/** Bound of every list of lines that is kept for people. */
export const MAX_LISTED_LINES = 1000;

/** Everything later steps need to know of a transcript. Built by a scanner, not changed after. */
export class TranscriptFacts {
  readonly ids = new IdTable();
  readonly rows = new RowTable();
  readonly lastPrompts = new LastPromptTable();
  readonly boundaries: CompactBoundary[] = [];
  /** At most `MAX_LISTED_LINES` of each kind; `faultCounts` has them all. */
  readonly lineFaults: LineFault[] = [];
  readonly faultCounts: Record<LineFaultKind, number> = { torn: 0, glued: 0, nul: 0, bom: 0 };
  readonly unknownTypes = new Map<string, UnknownRows>();
  /** `sourceToolAssistantUUID` of rows whose parent is another row. */
  readonly toolSources = new Map<number, number>();
  /** Key of `toolUseID` of rows written by hooks. */
  readonly hookCalls = new Map<number, number>();
  readonly titles: TitleFacts = {
    custom: null,
    ai: null,
    lastPrompt: null,
    summary: null,
    firstPrompt: null,
  };
  readonly latest: LatestFacts = { cwd: null, model: null, gitBranch: null, clientVersion: null, messageMs: null };
  lineCount = 0;
  /** Bytes. */
  fileSize = 0;
}

export interface TitleFacts {
  custom: string | null;
  ai: string | null;
  lastPrompt: string | null;
  summary: string | null;
  firstPrompt: string | null;
}

export interface LatestFacts {
  cwd: string | null;
  model: string | null;
  gitBranch: string | null;
  clientVersion: string | null;
  messageMs: number | null;
}

/** id → row, filled by whoever decides which of several rows an id stands for. */
export class RowIndex {
  readonly #uuid: Int32Array;
  readonly #odd: Int32Array;

  constructor(facts: TranscriptFacts) {
    this.#uuid = new Int32Array(facts.ids.uuidCount).fill(NO_ID);
    this.#odd = new Int32Array(facts.ids.oddCount).fill(NO_ID);
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
