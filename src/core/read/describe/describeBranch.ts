import type { Branch } from '../../../shared/conversation';
import type { FoundBranch } from '../order/branchTable';
import type { TranscriptRows } from '../rows/transcriptRows';
import { firstWords } from './firstWords';

/** Labels that are kept. */
const MAX_LABELS = 1_000;

/** What a branch is called by, its length, and when it was written to last. */
export function describeBranch({ leaf, opening, rows: count }: FoundBranch, rows: TranscriptRows): Branch {
  return branchOf(leaf, count, labelOf(opening, rows), rows);
}

/** Labels of branches by the offset of the row that opens them. Good while the file grows. */
export class BranchLabels {
  readonly #labels = new Map<number, string>();

  describe({ leaf, opening, rows: count }: FoundBranch, rows: TranscriptRows): Branch {
    const offset = rows.table.offset(opening);
    const label = this.#labels.get(offset) ?? labelOf(opening, rows);
    if (this.#labels.size >= MAX_LABELS) this.#labels.clear();
    this.#labels.set(offset, label);
    return branchOf(leaf, count, label, rows);
  }

  clear(): void {
    this.#labels.clear();
  }
}

function branchOf(leaf: number, count: number, label: string, { table }: TranscriptRows): Branch {
  const time = table.timestamp(leaf);
  return { leafLine: table.line(leaf), rows: count, label, timeMs: Number.isNaN(time) ? null : time };
}

function labelOf(opening: number, rows: TranscriptRows): string {
  const object = rows.object(opening);
  return object === null ? '' : firstWords(object);
}
