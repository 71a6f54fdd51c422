import { NO_ID } from '../scan/idTable';
import type { LastPrompt } from '../scan/transcriptFacts';
import type { RowGraph } from './rowGraph';

/**
 * The row that a resume starts from, or `NO_ID`. The last tip of the file, unless the newest `last-prompt` names a row
 * that this tip does not descend from: then that row. (docs/format.md, "Leaf")
 */
export function chooseLeaf(graph: RowGraph): number {
  const tip = lastTip(graph);
  const pointer = newestPointer(graph);
  if (pointer === null) return tip;
  if (pointer.leafForm === 'null') return NO_ID;
  const leaf = graph.rowOf(pointer.leaf);
  if (tip === NO_ID) return graph.isSidechain(leaf) ? NO_ID : leaf;
  const isNewer = !pointer.isExplicit || tip >= pointer.rowsBefore;
  return isNewer && descendsFrom(graph, tip, leaf) ? tip : leaf;
}

/** The newest `last-prompt` that counts: its leaf is in the file, or it says that the conversation is empty. */
function newestPointer(graph: RowGraph): LastPrompt | null {
  const { lastPrompts } = graph.facts;
  for (let at = lastPrompts.count - 1; at >= 0; at--) {
    const entry = lastPrompts.get(at);
    if (entry.leafForm === 'row' && graph.rowOf(entry.leaf) !== NO_ID) return entry;
    if (entry.leafForm === 'null' && entry.isExplicit) return entry;
  }
  return null;
}

/** The nearest message of the last main-lane row that no row hangs from. */
function lastTip(graph: RowGraph): number {
  const hasChild = new Uint8Array(graph.size);
  for (let row = 0; row < graph.size; row++) {
    const parent = graph.isHeld(row) ? graph.parent(row) : NO_ID;
    if (parent >= 0) hasChild[parent] = 1;
  }
  for (let row = graph.size - 1; row >= 0; row--) {
    if (!graph.isHeld(row) || hasChild[row] === 1 || graph.isSidechain(row)) continue;
    const message = nearestMessage(graph, row);
    if (message !== NO_ID) return message;
  }
  return NO_ID;
}

function nearestMessage(graph: RowGraph, from: number): number {
  let at = from;
  for (let steps = 0; at >= 0 && steps <= graph.size; steps++) {
    if (graph.isMessage(at)) return at;
    at = graph.parent(at);
  }
  return NO_ID;
}

function descendsFrom(graph: RowGraph, row: number, ancestor: number): boolean {
  let at = row;
  for (let steps = 0; at >= 0 && steps <= graph.size; steps++) {
    if (at === ancestor) return true;
    at = graph.parent(at);
  }
  return false;
}
