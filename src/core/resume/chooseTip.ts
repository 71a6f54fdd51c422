import { NO_ID } from '../transcript/idTable';
import { BitSet } from '../util/columns';
import { nearestMessage } from './nearestMessage';
import type { RowGraph } from './rowGraph';

/**
 * Where a resume starts when neither the row that is named nor the last row does: among the tips, messages without a
 * message below them to which a row leads that nothing hangs from. Of several the one that `choose` takes, else the
 * newest in time; without any the newest main-lane row. `end` stands for the tip that it leads to. (docs/format.md, "Leaf")
 */
export function chooseTip(graph: RowGraph, end: number, choose: (tips: BitSet) => number): number {
  const tips = findTips(graph);
  const rows = rowsInOrder(graph, (row) => tips.has(row));
  if (rows.length === 0)
    return newestOf(
      graph,
      rowsInOrder(graph, (row) => !graph.isSidechain(row)),
    );
  const chosen = rows.length > 1 ? choose(tips) : NO_ID;
  if (chosen !== NO_ID) return chosen;
  const newest = newestOf(graph, rows);
  return nearestMessage(graph, end) === newest ? end : newest;
}

function findTips(graph: RowGraph): BitSet {
  const isParent = new BitSet(graph.size);
  const isParentOfMessage = new BitSet(graph.size);
  for (let row = 0; row < graph.size; row++) {
    const parent = graph.isHeld(row) ? graph.parent(row) : NO_ID;
    if (parent < 0) continue;
    isParent.add(parent);
    if (graph.isMessage(row)) isParentOfMessage.add(parent);
  }
  const tips = new BitSet(graph.size);
  // A row above which no message is, or that another tip leads through.
  const isDone = new BitSet(graph.size);
  for (let row = 0; row < graph.size; row++) {
    if (!graph.isHeld(row) || isParent.has(row)) continue;
    let at = row;
    while (at >= 0 && !graph.isMessage(at) && !isDone.has(at)) {
      isDone.add(at);
      at = graph.parent(at);
    }
    if (at >= 0 && graph.isMessage(at) && !isParentOfMessage.has(at)) tips.add(at);
  }
  return tips;
}

/** Held rows in the loader's order. The few that are wanted are chosen before they are sorted. */
function rowsInOrder(graph: RowGraph, isWanted: (row: number) => boolean): number[] {
  const wanted: number[] = [];
  for (let row = 0; row < graph.size; row++) if (graph.isHeld(row) && isWanted(row)) wanted.push(row);
  return wanted.sort((x, y) => graph.placeOf(x) - graph.placeOf(y));
}

/** The first of the newest; where none has a time, the last. `NO_ID` when there are none. */
function newestOf(graph: RowGraph, rows: readonly number[]): number {
  let newest = NO_ID;
  let newestMs = -Infinity;
  for (const row of rows) {
    const time = graph.facts.rows.timestamp(row);
    const ms = Number.isNaN(time) ? -Infinity : time;
    if (ms <= newestMs && newestMs !== -Infinity) continue;
    newest = row;
    newestMs = ms;
  }
  return newest;
}
