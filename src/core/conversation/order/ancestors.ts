import type { LoadedTranscript } from '../../providers/claude/loader/loadTranscript';
import { NO_ID } from '../../transcript/idTable';
import { ParentForm, RowFlag, RowKind } from '../../transcript/rowFlags';
import { BitSet, RowLists } from '../../util/columns';

/** The ancestors of a row, oldest first, and where the chain is broken. */
export interface Ancestors {
  readonly rows: Int32Array;
  /** Rows whose parent is missing; true if the client continues above by time. */
  readonly breaks: ReadonlyMap<number, boolean>;
}

/** Maximum number of rows searched for those that a broken walk left out. */
const MAX_LEFT_OUT = 10_000;
const NO_ROWS: readonly number[] = [];

/** The rows that a resume loads, and the rows before them. */
export function chainAncestors(loaded: LoadedTranscript): Ancestors {
  const { resume } = loaded;
  if (resume.leaf === NO_ID) return ancestorsOf(loaded, lastRow(loaded));
  const walk = new AncestorWalk(loaded);
  for (const row of resume.history) walk.take(row);
  const breaks = new Map<number, boolean>();
  const left = leftOut(loaded, walk, breaks);
  const top = resume.walk.chain[0] ?? NO_ID;
  const earlier = top === NO_ID ? [] : ancestorsFrom(top, walk, breaks);
  const above = earlier.length === 0 ? [] : withParallelRows(loaded, earlier, walk);
  return { rows: joined(above, resume.history, left), breaks };
}

/** The earlier rows and the history, with the rows that were left out of it. */
function joined(
  above: ArrayLike<number>,
  history: Int32Array,
  left: ReadonlyMap<number, readonly number[]>,
): Int32Array {
  let length = above.length + history.length;
  for (const rows of left.values()) length += rows.length;
  const whole = new Int32Array(length);
  whole.set(above);
  let at = above.length;
  for (const row of history) {
    for (const before of left.get(row) ?? NO_ROWS) whole[at++] = before;
    whole[at++] = row;
  }
  return whole;
}

/** The chain that ends with a row. */
export function ancestorsOf(loaded: LoadedTranscript, leaf: number): Ancestors {
  const walk = new AncestorWalk(loaded);
  const breaks = new Map<number, boolean>();
  if (leaf === NO_ID) return { rows: new Int32Array(0), breaks };
  walk.take(leaf);
  const rows = [...ancestorsFrom(leaf, walk, breaks), leaf];
  return { rows: withParallelRows(loaded, rows, walk), breaks };
}

/** All ancestors of a row, oldest first. */
function ancestorsFrom(row: number, walk: AncestorWalk, breaks: Map<number, boolean>): number[] {
  const found: number[] = [];
  for (let at = row; ;) {
    const next = walk.above(at);
    if (walk.isBreak) breaks.set(at, false);
    if (next === NO_ID) return found.reverse();
    walk.take(next);
    found.push(next);
    at = next;
  }
}

/**
 * Rows between two rows of the chain that the client skips: `progress` rows, messages without content,
 * and rows left out where it continued by time. Each list goes before the row that is its key.
 */
function leftOut(
  loaded: LoadedTranscript,
  walk: AncestorWalk,
  breaks: Map<number, boolean>,
): ReadonlyMap<number, readonly number[]> {
  const { index, resume, view } = loaded;
  const { rows } = index;
  const healed = new Set(resume.walk.healed);
  const found = new Map<number, readonly number[]>();
  let previous = NO_ID;
  for (const row of resume.walk.chain) {
    const parent = view.rowOf(rows.parent(row));
    if (previous !== NO_ID && parent !== previous) {
      const between = rowsBetween(loaded, { from: row, to: previous, walk, isHealed: healed.has(row) });
      if (between !== null) {
        found.set(row, between.rows);
        for (const at of between.breaks) breaks.set(at, true);
        for (const at of between.rows) walk.take(at);
      } else if (healed.has(row)) breaks.set(row, true);
    }
    previous = row;
  }
  return found;
}

/** Null if the ancestors do not lead to `to`. */
function rowsBetween(
  loaded: LoadedTranscript,
  { from, to, walk, isHealed }: { from: number; to: number; walk: AncestorWalk; isHealed: boolean },
): { readonly rows: readonly number[]; readonly breaks: readonly number[] } | null {
  const { index, view } = loaded;
  const rows: number[] = [];
  const breaks: number[] = [];
  const seen = new Set<number>();
  for (let at = from; rows.length < MAX_LEFT_OUT;) {
    const linked = view.rowOf(index.rows.parent(at));
    if (linked === to) return { rows: rows.reverse(), breaks };
    if (linked !== NO_ID && !walk.has(linked)) {
      if (seen.has(linked) || !(isHealed || isSkipped(loaded, linked))) return null;
      at = linked;
    } else {
      if (!isHealed) return null;
      breaks.push(at);
      const before = nearestOf(loaded, at, to, walk);
      if (before === to) return { rows: rows.reverse(), breaks };
      if (before === NO_ID || seen.has(before)) return null;
      at = before;
    }
    seen.add(at);
    rows.push(at);
  }
  return null;
}

/** The row before a broken one in the file, in the same chain: one that is not in the view, or `to`. */
function nearestOf({ index }: LoadedTranscript, row: number, to: number, walk: AncestorWalk): number {
  const { rows } = index;
  for (let at = row - 1; at >= 0 && row - at < MAX_LEFT_OUT; at--) {
    const kind = rows.kind(at);
    if (kind === RowKind.other || kind === RowKind.progress) continue;
    if (rows.has(at, RowFlag.sidechain) !== rows.has(row, RowFlag.sidechain)) continue;
    if (at === to) return at;
    // Results that the client placed after `to` are in the view already.
    if (!walk.has(at)) return at;
  }
  return NO_ID;
}

/** Whether the client drops the row and follows its link. */
function isSkipped({ index }: LoadedTranscript, row: number): boolean {
  const kind = index.rows.kind(row);
  return kind === RowKind.progress || !index.rows.has(row, RowFlag.usable);
}

/** The end of a conversation that no client resumes: its last message, of the main chain if there is one. */
function lastRow({ index }: LoadedTranscript): number {
  const { rows } = index;
  let last = NO_ID;
  for (let row = rows.count - 1; row >= 0; row--) {
    const kind = rows.kind(row);
    if (kind === RowKind.other || kind === RowKind.progress) continue;
    if (!rows.has(row, RowFlag.sidechain)) return row;
    if (last === NO_ID) last = row;
  }
  return last;
}

/** Maximum distance, in rows, between a result and its call when a broken link is bridged. */
const MAX_CALL_DISTANCE = 1_000;
/** Search budget, in rows per row of the file, for bridging broken links; beyond it, the chain ends. */
const MAX_LOOKS_PER_ROW = 50;

/**
 * Walks up the conversation as the person experienced it: along the links; over a broken one to the row that a repair
 * would link it to; and over a compaction to the rows before it. No row is visited twice.
 */
class AncestorWalk {
  readonly #loaded: LoadedTranscript;
  readonly #taken: BitSet;
  #looks: number;
  /** The last step bridged a broken link. */
  isBreak = false;

  constructor(loaded: LoadedTranscript) {
    this.#loaded = loaded;
    const { count } = loaded.index.rows;
    this.#taken = new BitSet(count);
    this.#looks = count * MAX_LOOKS_PER_ROW;
  }

  take(row: number): void {
    this.#taken.add(row);
  }

  has(row: number): boolean {
    return this.#taken.has(row);
  }

  /** The next row above that is not taken yet; `NO_ID` at the top. */
  above(row: number): number {
    const { index, view } = this.#loaded;
    const { rows } = index;
    this.isBreak = false;
    const form = rows.parentForm(row);
    const parent = this.#parent(row);
    if (parent !== NO_ID && !this.has(parent)) return parent;
    const isBehindPreserved = parent !== NO_ID && this.#isPreserved(parent);
    if (rows.has(row, RowFlag.compactBoundary) || isBehindPreserved) return this.#nearestBefore(row, 0);
    if (form === ParentForm.absent || form === ParentForm.null) return NO_ID;
    this.isBreak = true;
    const hung = this.#bridge(row);
    if (hung !== NO_ID) return hung;
    const call = this.#callOf(row);
    return call !== NO_ID ? call : this.#nearestBefore(row, row >= view.segmentStart ? view.segmentStart : 0);
  }

  /** Rows preserved by a compaction are below it in the view, so links from above skip them. */
  #parent(row: number): number {
    let parent = this.#link(row);
    while (parent !== NO_ID && this.#isPreserved(parent) && this.#looks > 0) {
      this.#looks--;
      const next = this.#link(parent);
      if (next === NO_ID) break;
      parent = next;
    }
    return parent;
  }

  #link(row: number): number {
    const { index, view } = this.#loaded;
    return index.rows.parentForm(row) === ParentForm.text ? view.rowOf(index.rows.parent(row)) : NO_ID;
  }

  #isPreserved(row: number): boolean {
    return row < this.#loaded.view.segmentStart && this.has(row);
  }

  /** See `RepairDraft.nearestBefore`. */
  #nearestBefore(row: number, first: number): number {
    const { rows } = this.#loaded.index;
    for (let at = row - 1; at >= first && this.#looks > 0; at--, this.#looks--) {
      const kind = rows.kind(at);
      if (kind === RowKind.other || kind === RowKind.progress || this.has(at)) continue;
      if (this.#isSameSidechain(at, row)) return at;
    }
    return NO_ID;
  }

  /** The chain row reached through a parent that is not a chain row. */
  #bridge(row: number): number {
    const { index, view } = this.#loaded;
    for (let id = index.rows.parent(row); id !== NO_ID && this.#looks > 0; this.#looks--) {
      const found = view.rowOf(id);
      if (found !== NO_ID) return this.has(found) ? NO_ID : found;
      const other = view.otherRowOf(id);
      if (other === NO_ID) return NO_ID;
      id = index.rows.parent(other);
    }
    return NO_ID;
  }

  /** The row with the call that a result answers. */
  #callOf(row: number): number {
    const { rows } = this.#loaded.index;
    if (!rows.has(row, RowFlag.hasToolResult)) return NO_ID;
    const call = rows.toolResults(row)[0] ?? NO_ID;
    const first = Math.max(0, row - MAX_CALL_DISTANCE);
    for (let at = row - 1; at >= first && this.#looks > 0; at--, this.#looks--) {
      if (!rows.has(at, RowFlag.hasToolUse) || this.has(at) || !this.#isSameSidechain(at, row)) continue;
      if (rows.toolUses(at).includes(call)) return at;
    }
    return NO_ID;
  }

  #isSameSidechain(row: number, other: number): boolean {
    const { rows } = this.#loaded.index;
    return rows.has(row, RowFlag.sidechain) === rows.has(other, RowFlag.sidechain);
  }
}

/**
 * Adds the rows of parallel calls to rows that no resume loads, as `recoverParallelCalls` does for
 * loaded ones. `walk` must have taken all rows of the view, and takes the added ones.
 */
function withParallelRows(loaded: LoadedTranscript, line: readonly number[], walk: AncestorWalk): Int32Array {
  const { rows, keyCount } = loaded.index;
  const lastOfMessage = new Int32Array(keyCount).fill(NO_ID);
  for (const row of line) {
    const message = rows.message(row);
    if (message !== NO_ID) lastOfMessage[message] = row;
  }
  const siblings = new RowLists(keyCount);
  for (let row = 0; row < rows.count; row++) {
    const message = rows.message(row);
    if (message === NO_ID || lastOfMessage[message] === NO_ID || !isFree(loaded, row, walk)) continue;
    siblings.add(message, row);
  }
  const whole: number[] = [];
  for (const row of line) {
    whole.push(row);
    const message = rows.message(row);
    if (message === NO_ID || lastOfMessage[message] !== row) continue;
    for (const sibling of siblings.take(message)) {
      walk.take(sibling);
      whole.push(sibling);
    }
  }
  return withResults(loaded, whole, walk);
}

function withResults(loaded: LoadedTranscript, line: readonly number[], walk: AncestorWalk): Int32Array {
  const { rows, keyCount } = loaded.index;
  const open = new BitSet(keyCount);
  const answered = new BitSet(keyCount);
  for (const row of line) {
    rows.addToolUses(row, open);
    rows.addToolResults(row, answered);
  }
  open.deleteAll(answered);
  if (open.isEmpty) return new Int32Array(line);
  const results = new RowLists(keyCount);
  for (let row = 0; row < rows.count; row++) {
    if (rows.kind(row) !== RowKind.user || !rows.someToolResult(row, open) || !isFree(loaded, row, walk)) continue;
    const [call] = rows.toolResults(row).filter((key) => open.has(key));
    if (call !== undefined) results.add(call, row);
  }
  const whole: number[] = [];
  for (const row of line) {
    whole.push(row);
    for (const call of rows.toolUses(row)) {
      for (const result of results.take(call)) {
        if (walk.has(result)) continue;
        walk.take(result);
        whole.push(result);
      }
    }
  }
  return new Int32Array(whole);
}

/** Whether the row is neither in the view nor replaced by a later copy. */
function isFree({ index, view }: LoadedTranscript, row: number, walk: AncestorWalk): boolean {
  if (walk.has(row)) return false;
  const uuid = index.rows.uuid(row);
  return index.rows.kind(row) !== RowKind.other && (uuid === NO_ID || view.rowOf(uuid) === row);
}
