import { NO_ID } from '../transcript/idTable';
import type { RowGraph } from './rowGraph';

/** The row, or the nearest one above it, that is a user or assistant row; `NO_ID` when there is none. */
export function nearestMessage(graph: RowGraph, from: number): number {
  let at = from;
  for (let steps = 0; at >= 0 && steps <= graph.size; steps++) {
    if (graph.isMessage(at)) return at;
    at = graph.parent(at);
  }
  return NO_ID;
}
