import type { LoadedTranscript } from '../providers/claude/loader/loadTranscript';
import { ParentForm, RowFlag, RowKind } from '../transcript/rowFlags';
import type { TranscriptIndex } from '../transcript/transcriptIndex';

/** The parent of a row without a parent, in a draft. */
export const NO_PARENT = -1;

export interface LinkEdit {
  readonly kind: 'link';
  readonly row: number;
  readonly field: 'parentUuid' | 'sourceToolAssistantUUID';
  /** The row that the field names after the edit, or `NO_PARENT`. */
  readonly to: number;
  readonly why: string;
}

export interface UuidEdit {
  readonly kind: 'uuid';
  readonly row: number;
  readonly why: string;
}

/** The bytes around the rows of a line are cleaned: stray bytes removed, or a newline inserted between objects. */
export interface LineEdit {
  readonly kind: 'line';
  readonly line: number;
  readonly why: string;
}

export type DraftEdit = LinkEdit | UuidEdit | LineEdit;

/**
 * The chain as it will be after the repair; the checks change it step by step. Rows are identified by their index in the
 * table, and a link is the row that it leads to, so a row that gets a fresh uuid keeps its children.
 */
export class RepairDraft {
  /** Row → parent row or `NO_PARENT`, for links that differ from those in the file. */
  readonly #parents = new Map<number, number>();
  readonly #edits = new Map<string, DraftEdit>();
  #hasForwardLinks: boolean;

  /** `cuts`: rows at which a cycle is cut, instead of at its first row in the file. */
  constructor(
    readonly loaded: LoadedTranscript,
    readonly cuts: ReadonlySet<number> = new Set(),
  ) {
    this.#hasForwardLinks = loaded.view.hasForwardLinks;
  }

  /** Whether a link may lead to its own row or a later one. If none does, no row descends from a later one. */
  get hasForwardLinks(): boolean {
    return this.#hasForwardLinks;
  }

  get index(): TranscriptIndex {
    return this.loaded.index;
  }

  /** Keyed by what they change: one edit for each value. */
  get edits(): ReadonlyMap<string, DraftEdit> {
    return this.#edits;
  }

  /** The parent row, or `NO_PARENT`, also if the link leads nowhere. */
  parent(row: number): number {
    const parent = this.#parents.size === 0 ? undefined : this.#parents.get(row);
    if (parent !== undefined) return parent;
    const { rows } = this.index;
    return rows.parentForm(row) === ParentForm.text ? this.loaded.view.rowOf(rows.parent(row)) : NO_PARENT;
  }

  /** Sets where the link leads according to the file; does not count as an edit. */
  assumeParent(row: number, parent: number): void {
    this.#hasForwardLinks ||= parent >= row;
    this.#parents.set(row, parent);
  }

  /** Does nothing if a link cannot name the parent. */
  setParent(row: number, parent: number, why: string): void {
    if (parent !== NO_PARENT && !this.#canBeNamed(parent)) return;
    this.assumeParent(row, parent);
    this.#edits.set(`${row} parentUuid`, { kind: 'link', row, field: 'parentUuid', to: parent, why });
  }

  /** Reverts an edit of the parent link. */
  keepParent(row: number): void {
    this.#edits.delete(`${row} parentUuid`);
  }

  setToolSource(row: number, source: number, why: string): void {
    const edit = { kind: 'link', row, field: 'sourceToolAssistantUUID', to: source, why } as const;
    this.#edits.set(`${row} sourceToolAssistantUUID`, edit);
  }

  giveFreshUuid(row: number, why: string): void {
    this.#edits.set(`${row} uuid`, { kind: 'uuid', row, why });
  }

  cleanLine(line: number, why: string): void {
    this.#edits.set(`line ${line}`, { kind: 'line', line, why });
  }

  /** Whether the row has an id that a repair can write, which is a string. */
  #canBeNamed(row: number): boolean {
    return this.index.ids.isString(this.index.rows.uuid(row));
  }

  /** Whether `row` is on the path from `from` to its root. */
  descendsFrom(from: number, row: number): boolean {
    if (from < row && !this.#hasForwardLinks) return false;
    let at = from;
    for (let steps = 0; at !== NO_PARENT && steps <= this.index.rows.count; steps++) {
      if (at === row) return true;
      at = this.parent(at);
    }
    return false;
  }

  /**
   * The new parent for a row without a valid one: the nearest chain row before it in the file, of the same sidechain state
   * and the same compact segment, that does not descend from the row itself. `NO_PARENT` if there is none.
   */
  nearestBefore(row: number): number {
    const { rows } = this.index;
    const { view } = this.loaded;
    const first = row >= view.segmentStart ? view.segmentStart : 0;
    for (let at = row - 1; at >= first; at--) {
      const kind = rows.kind(at);
      if (kind === RowKind.other || kind === RowKind.progress || !this.#canBeNamed(at)) continue;
      if (rows.has(at, RowFlag.sidechain) !== rows.has(row, RowFlag.sidechain)) continue;
      if (!this.descendsFrom(at, row)) return at;
    }
    return NO_PARENT;
  }
}
