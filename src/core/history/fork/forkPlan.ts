import { NO_ID } from '../../transcript/idTable';
import { ParentForm, RowKind } from '../../transcript/rowFlags';
import { RowIndex, type TranscriptIndex } from '../../transcript/transcriptIndex';
import type { CutHistory } from './cutHistory';

/** How a row's `parentUuid` is written. */
export type ForkLink =
  | { readonly kind: 'kept' }
  /** Null for the first row. */
  | { readonly kind: 'set'; readonly parent: string | null };

/** One row of the fork. */
export interface ForkRow {
  /** Bytes from the start of the source. */
  readonly offset: number;
  readonly link: ForkLink;
  /** Set if the row has no uuid, so that the next row can refer to it. */
  readonly freshUuid: string | null;
  readonly isOnMainChain: boolean;
}

/** The rows of a fork in order, each after its parent; the last one is the leaf. */
export interface ForkPlan {
  readonly cut: CutHistory;
  readonly length: number;
  row(at: number): ForkRow;
  /** uuid of the row in the fork. */
  uuid(at: number): string;
}

/**
 * `linked`: a link that points to an earlier row of the fork is kept. `linear`: the parent of each row is the previous
 * row, as in forks that the client's own /branch writes.
 */
export type ForkShape = 'linked' | 'linear';

/**
 * Plans the rows of a fork. With `linked`, a link that does not point to an earlier row of the fork is replaced: for a
 * row on the chain, by a link to the previous row of the chain; for another row, by a link to the call that it answers,
 * or else to the previous row of the fork.
 */
export function forkPlan(cut: CutHistory, shape: ForkShape, random: () => string): ForkPlan {
  const { index, ordered } = cut;
  const names = nameRows(index, ordered, random);
  const parents = shape === 'linear' ? null : parentsOf(cut);
  return {
    cut,
    length: ordered.length,
    row(at) {
      const row = ordered[at] ?? 0;
      const parent = parents === null ? at - 1 : (parents[at] ?? KEPT);
      return {
        offset: index.rows.offset(row),
        link: linkTo(index, row, parent, at === 0, names),
        freshUuid: index.rows.uuid(row) === NO_ID ? names(at) : null,
        isOnMainChain: shape === 'linear',
      };
    },
    uuid: names,
  };
}

/** The link already points to the parent. */
const KEPT = -2;

function linkTo(
  { rows }: TranscriptIndex,
  row: number,
  parent: number,
  isFirst: boolean,
  names: (at: number) => string,
): ForkLink {
  if (parent === KEPT) return { kind: 'kept' };
  if (!isFirst) return { kind: 'set', parent: names(parent) };
  const form = rows.parentForm(row);
  return form === ParentForm.null || form === ParentForm.absent ? { kind: 'kept' } : { kind: 'set', parent: null };
}

/**
 * For each row, its parent's position in the fork. `KEPT` if its link points to an earlier row, -1 for the first row.
 */
function parentsOf({ index, chain, ordered }: CutHistory): Int32Array {
  const { rows } = index;
  /** uuid → position in the fork, for the rows so far. */
  const places = new RowIndex(index);
  const calls = new Int32Array(index.keyCount).fill(NO_ID);
  const parents = new Int32Array(ordered.length);
  let onChain = 0;
  let lastOnChain = -1;
  for (const [at, row] of ordered.entries()) {
    const isOnChain = chain[onChain] === row;
    const named = rows.parentForm(row) === ParentForm.text ? places.get(rows.parent(row)) : NO_ID;
    if (isOnChain) parents[at] = named !== NO_ID ? KEPT : lastOnChain;
    else if (named !== NO_ID) parents[at] = KEPT;
    else parents[at] = callAnswered(index, row, calls) ?? at - 1;
    if (isOnChain) {
      onChain++;
      lastOnChain = at;
    }
    places.set(rows.uuid(row), at);
    for (const call of rows.toolUses(row)) calls[call] = at;
  }
  return parents;
}

function callAnswered({ rows }: TranscriptIndex, row: number, calls: Int32Array): number | null {
  if (rows.kind(row) !== RowKind.user) return null;
  const [call] = rows.toolResults(row);
  const at = call === undefined ? NO_ID : (calls[call] ?? NO_ID);
  return at === NO_ID ? null : at;
}

function nameRows(index: TranscriptIndex, ordered: Int32Array, random: () => string): (at: number) => string {
  const fresh = new Map<number, string>();
  for (const row of ordered) if (index.rows.uuid(row) === NO_ID) fresh.set(row, random());
  return (at) => {
    const row = ordered[at] ?? 0;
    return fresh.get(row) ?? index.ids.text(index.rows.uuid(row)) ?? '';
  };
}
