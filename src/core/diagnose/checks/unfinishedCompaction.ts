import type { Finding } from '../../../protocol/repair';
import type { LoadedTranscript } from '../../providers/claude/loader/loadTranscript';
import { LARGE_FILE_BYTES } from '../../transcript/byteRows';
import { NO_ID } from '../../transcript/idTable';
import { ParentForm, RowFlag, RowKind } from '../../transcript/rowFlags';
import type { RowTable } from '../../transcript/rowTable';
import { type LinkCheck, rowFinding } from '../check';
import { NO_PARENT } from '../repairDraft';

const CODE = 'unfinished-compaction';

/**
 * `unfinished-compaction`: the session ended after the boundary of a compaction was written, and before its summary was. The
 * client loads nothing if the boundary has a parent, or the file is large. (docs/format.md, "Compaction")
 */
export const unfinishedCompaction: LinkCheck = {
  kind: 'links',
  code: CODE,
  weighsCost: true,
  find(loaded, cost): Finding[] {
    const found = findUnfinished(loaded);
    if (found === null) return [];
    const { index } = loaded;
    const [last, boundary] = [found.last, found.boundary].map((row) => index.rows.line(row));
    const what =
      `The session ended while it was being compacted: the summary that belongs below line ${boundary} is missing, and ` +
      'Claude loads nothing of what came before.';
    const parts = cost.losesRows
      ? ({ action: 'auto', message: what } as const)
      : ({ action: 'tell', message: `${what} Fork the session at the message on line ${last} to continue.` } as const);
    return [rowFinding(index, [found.last, found.boundary], { code: CODE, severity: 'error', ...parts })];
  },
  fix(draft): void {
    const found = findUnfinished(draft.loaded);
    if (found === null) return;
    draft.setParent(found.boundary, NO_PARENT, 'Its compaction was not finished: without a parent, it hides nothing.');
  },
};

interface UnfinishedCompaction {
  readonly boundary: number;
  /** The last message before it. */
  readonly last: number;
}

/** Null if there is none, or if something is loaded. */
function findUnfinished({ index, summary }: LoadedTranscript): UnfinishedCompaction | null {
  const { boundaries, fileSize, rows } = index;
  const boundary = boundaries.at(-1)?.row;
  if (boundary === undefined || summary.loads > 0 || summary.of === 0) return null;
  if (fileSize <= LARGE_FILE_BYTES && rows.parentForm(boundary) !== ParentForm.text) return null;
  const last = lastMessage(rows, boundary);
  return last === NO_ID || lastMessage(rows, rows.count) > boundary ? null : { boundary, last };
}

/** The last user or assistant row of the main chain before `end`, or `NO_ID`. */
function lastMessage(rows: RowTable, end: number): number {
  for (let row = end - 1; row >= 0; row--) {
    const kind = rows.kind(row);
    if ((kind === RowKind.user || kind === RowKind.assistant) && !rows.has(row, RowFlag.sidechain)) return row;
  }
  return NO_ID;
}
