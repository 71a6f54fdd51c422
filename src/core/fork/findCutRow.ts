import type { RowGraph } from '../resume/rowGraph';
import { NO_ID } from '../scan/idTable';
import { RowFlag, RowKind } from '../scan/rowFlags';
import { forkRefusal, type ForkRefusal } from './forkRefusal';

const UNKNOWN = forkRefusal('unknown-row', 'No row of this conversation has this id.');

/**
 * The row that the client has under a uuid. One that it passes over when it loads, such as a `progress` row, stands for the
 * row above it.
 */
export function findCutRow(graph: RowGraph, uuid: string): number | ForkRefusal {
  const { ids, rows } = graph.facts;
  if (uuid === '' || !ids.has(uuid)) return UNKNOWN;
  // It is known, so that nothing is added.
  const id = ids.intern(uuid);
  const held = graph.rowOf(id);
  const row = held === NO_ID ? lastRowWith(graph, id) : held;
  if (row === NO_ID) return UNKNOWN;
  if (graph.isSidechain(row)) {
    return forkRefusal('not-forkable', 'This row belongs to a subagent; only the main conversation can be forked.');
  }
  if (held !== NO_ID) return held;
  if (rows.has(row, RowFlag.hidden) || rows.has(row, RowFlag.nulPrefixed)) {
    return forkRefusal(
      'not-forkable',
      'Claude does not see this row, because its line is damaged. Repair the session first.',
    );
  }
  const above = graph.rowOf(graph.parentId(row));
  if (above !== NO_ID && !graph.isSidechain(above)) return above;
  return forkRefusal('not-forkable', 'Claude does not load this row, and no row that it loads is above it.');
}

/** The last chain row of the file with the id, whether the client sees it or not. */
function lastRowWith({ facts: { rows } }: RowGraph, id: number): number {
  for (let row = rows.count - 1; row >= 0; row--) {
    if (rows.uuid(row) === id && rows.kind(row) !== RowKind.other) return row;
  }
  return NO_ID;
}
