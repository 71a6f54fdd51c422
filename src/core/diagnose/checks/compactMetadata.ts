import type { Finding } from '../../../protocol/repair';
import type { LoadedTranscript } from '../../providers/claude/loader/loadTranscript';
import { NO_ID } from '../../transcript/idTable';
import type { CompactBoundary } from '../../transcript/transcriptIndex';
import { countOf } from '../../util/countOf';
import { type LinkCheck, rowFinding } from '../check';

const CODE = 'compact-metadata';

/**
 * `compact-metadata`: the last compaction does not say how it was made, or names messages to keep that are not in the file. The client
 * then keeps none of them. What is missing cannot be restored. (docs/format.md, "Compaction")
 */
export const compactMetadata: LinkCheck = {
  kind: 'links',
  code: CODE,
  find(loaded): Finding[] {
    const { index } = loaded;
    const last = index.boundaries.at(-1);
    if (last === undefined) return [];
    const line = index.rows.line(last.row);
    const bare = `The compaction on line ${line} does not say how it was made: Claude resumes the session all the same, but older clients may fail.`;
    const { missing, unloaded } = lostRows(loaded, last);
    const kept =
      `The compaction on line ${line} was to keep messages as they are, but ${countOf(missing, 'line')} of them ${missing === 1 ? 'is' : 'are'} missing: ` +
      'Claude then keeps none of them, and remembers only the summary. ' +
      `What is on ${countOf(unloaded.length, 'line')} of the file is not remembered.`;
    return [
      ...(last.hasMetadata
        ? []
        : [rowFinding(index, [last.row], { code: CODE, severity: 'info', action: 'tell', message: bare })]),
      ...(missing === 0 || unloaded.length === 0
        ? []
        : [rowFinding(index, [last.row], { code: CODE, severity: 'warning', action: 'tell', message: kept })]),
    ];
  },
};

interface LostRows {
  /** Number of the listed rows that are not in the file. */
  readonly missing: number;
  /** Those that are, and do not load because of that. */
  readonly unloaded: readonly number[];
}

function lostRows(loaded: LoadedTranscript, { preserved }: CompactBoundary): LostRows {
  if (preserved.kind !== 'list' || loaded.index.straight !== null) return { missing: 0, unloaded: [] };
  const { view } = loaded;
  const listed = preserved.ids.map((id) => view.rowOf(id));
  const present = listed.filter((row) => row !== NO_ID);
  const unloaded = present.filter((row) => !loaded.isKept(row) && loaded.index.rows.holdsContent(row));
  return { missing: listed.length - present.length, unloaded };
}
