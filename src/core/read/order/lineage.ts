import type { Examination } from '../../faults/examination';
import { NO_ID } from '../../scan/idTable';
import { RowFlag, RowKind } from '../../scan/rowFlags';
import { Climb } from './climb';
import { withParallelRows } from './withParallelRows';

/** Rows of one line of the conversation, oldest first, and where it is broken. */
export interface Lineage {
  readonly rows: Int32Array;
  /** Rows whose link leads nowhere; true where the client goes on above by time. */
  readonly breaks: ReadonlyMap<number, boolean>;
}

/** Rows that a broken walk left out and that are looked for. */
const MAX_LEFT_OUT = 10_000;
const NO_ROWS: readonly number[] = [];

/** What a resume loads, and what came before it. */
export function chainLineage(examination: Examination): Lineage {
  const { resume } = examination;
  if (resume.leaf === NO_ID) return lineageOf(examination, lastRow(examination));
  const climb = new Climb(examination);
  for (const row of resume.history) climb.take(row);
  const breaks = new Map<number, boolean>();
  const left = leftOut(examination, climb, breaks);
  const top = resume.walk.chain[0] ?? NO_ID;
  const earlier = top === NO_ID ? [] : climbFrom(top, climb, breaks);
  const above = earlier.length === 0 ? [] : withParallelRows(examination, earlier, climb);
  return { rows: joined(above, resume.history, left), breaks };
}

/** What came before, and the history, with the rows that were left out in it. */
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

/** The line that ends with a row. */
export function lineageOf(examination: Examination, leaf: number): Lineage {
  const climb = new Climb(examination);
  const breaks = new Map<number, boolean>();
  if (leaf === NO_ID) return { rows: new Int32Array(0), breaks };
  climb.take(leaf);
  const rows = [...climbFrom(leaf, climb, breaks), leaf];
  return { rows: withParallelRows(examination, rows, climb), breaks };
}

/** All that stands above a row, oldest first. */
function climbFrom(row: number, climb: Climb, breaks: Map<number, boolean>): number[] {
  const found: number[] = [];
  for (let at = row; ;) {
    const next = climb.above(at);
    if (climb.isBreak) breaks.set(at, false);
    if (next === NO_ID) return found.reverse();
    climb.take(next);
    found.push(next);
    at = next;
  }
}

/**
 * Rows that stand between two rows of the chain and that the client passes by: `progress` rows, messages without content,
 * and what it left out where it went on by time. Each list is put before the row it is of.
 */
function leftOut(
  examination: Examination,
  climb: Climb,
  breaks: Map<number, boolean>,
): ReadonlyMap<number, readonly number[]> {
  const { facts, resume, view } = examination;
  const { rows } = facts;
  const healed = new Set(resume.walk.healed);
  const found = new Map<number, readonly number[]>();
  let previous = NO_ID;
  for (const row of resume.walk.chain) {
    const parent = view.rowOf(rows.parent(row));
    if (previous !== NO_ID && parent !== previous) {
      const between = rowsBetween(examination, { from: row, to: previous, climb, isHealed: healed.has(row) });
      if (between !== null) {
        found.set(row, between.rows);
        for (const at of between.breaks) breaks.set(at, true);
        for (const at of between.rows) climb.take(at);
      } else if (healed.has(row)) breaks.set(row, true);
    }
    previous = row;
  }
  return found;
}

/** Null when the way up does not lead to `to`. */
function rowsBetween(
  examination: Examination,
  { from, to, climb, isHealed }: { from: number; to: number; climb: Climb; isHealed: boolean },
): { readonly rows: readonly number[]; readonly breaks: readonly number[] } | null {
  const { facts, view } = examination;
  const rows: number[] = [];
  const breaks: number[] = [];
  const seen = new Set<number>();
  for (let at = from; rows.length < MAX_LEFT_OUT;) {
    const linked = view.rowOf(facts.rows.parent(at));
    if (linked === to) return { rows: rows.reverse(), breaks };
    if (linked !== NO_ID && !climb.has(linked)) {
      if (seen.has(linked) || !(isHealed || isPassedBy(examination, linked))) return null;
      at = linked;
    } else {
      if (!isHealed) return null;
      breaks.push(at);
      const before = nearestOf(examination, at, to, climb);
      if (before === to) return { rows: rows.reverse(), breaks };
      if (before === NO_ID || seen.has(before)) return null;
      at = before;
    }
    seen.add(at);
    rows.push(at);
  }
  return null;
}

/** The row before a broken one in the file, of its lane: one that is not in the view, or `to`. */
function nearestOf({ facts }: Examination, row: number, to: number, climb: Climb): number {
  const { rows } = facts;
  for (let at = row - 1; at >= 0 && row - at < MAX_LEFT_OUT; at--) {
    const kind = rows.kind(at);
    if (kind === RowKind.other || kind === RowKind.progress) continue;
    if (rows.has(at, RowFlag.sidechain) !== rows.has(row, RowFlag.sidechain)) continue;
    if (at === to) return at;
    // What the client put behind `to` for its calls is in the view already.
    if (!climb.has(at)) return at;
  }
  return NO_ID;
}

/** The client does not keep the row, and hands its link on. */
function isPassedBy({ facts }: Examination, row: number): boolean {
  const kind = facts.rows.kind(row);
  return kind === RowKind.progress || !facts.rows.has(row, RowFlag.usable);
}

/** Where a conversation that no client resumes ends: its last message, of the main lane if there is one. */
function lastRow({ facts }: Examination): number {
  const { rows } = facts;
  let last = NO_ID;
  for (let row = rows.count - 1; row >= 0; row--) {
    const kind = rows.kind(row);
    if (kind === RowKind.other || kind === RowKind.progress) continue;
    if (!rows.has(row, RowFlag.sidechain)) return row;
    if (last === NO_ID) last = row;
  }
  return last;
}
