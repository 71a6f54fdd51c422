import type { Finding } from '../../../protocol/repair';
import type { LoadedTranscript } from '../../providers/claude/loader/loadTranscript';
import { NO_ID } from '../../transcript/idTable';
import { RowKind } from '../../transcript/rowFlags';
import { countOf } from '../../util/countOf';
import { type LinkCheck, rowFinding } from '../check';

/**
 * `progress-fork`: the parent of a stop hook's summary is the progress row of the same hook call, and the conversation
 * continues from the summary. Clients up to 2.1.50 write it, and every client that was measured loads all of it, so there
 * is nothing to fix. It is found only if both rows name the same call. (docs/format.md, "Progress rows")
 */
export const progressFork: LinkCheck = {
  kind: 'links',
  code: 'progress-fork',
  find(loaded): Finding[] {
    const rows = findForks(loaded);
    if (rows.length === 0) return [];
    const message = `The conversation continues from the progress of a stop hook in ${countOf(rows.length, 'place')}. Claude loads it as a whole.`;
    return [rowFinding(loaded.index, rows, { code: 'progress-fork', severity: 'info', action: 'tell', message })];
  },
};

function findForks(loaded: LoadedTranscript): number[] {
  const { index } = loaded;
  if (index.hookCalls.size === 0) return [];
  const { view } = loaded;
  const forks: number[] = [];
  for (const [row, call] of index.hookCalls) {
    if (index.rows.kind(row) !== RowKind.system || view.isBreakHarmless(row)) continue;
    const parent = view.rowOf(index.rows.parent(row));
    if (parent === NO_ID || index.rows.kind(parent) !== RowKind.progress) continue;
    if (index.hookCalls.get(parent) === call) forks.push(row);
  }
  return forks;
}
