import type { Finding } from '../../../protocol/repair';
import type { LoadedTranscript } from '../../providers/claude/loader/loadTranscript';
import { NO_ID } from '../../transcript/idTable';
import { RowKind } from '../../transcript/rowTable';
import { count, type LinkCheck, rowFinding } from '../check';
import { NO_PARENT, type RepairDraft } from '../repairDraft';

/**
 * `progress-fork`: the parent of a stop hook's summary is the progress row of the same hook call, and the conversation
 * continues from the summary. Clients that do not read progress rows end the history there. It is found only if both rows
 * name the same call: any other progress row in a chain is healthy.
 */
export const progressFork: LinkCheck = {
  kind: 'links',
  code: 'progress-fork',
  find(loaded): Finding[] {
    const rows = findForks(loaded);
    if (rows.length === 0) return [];
    const message = `${count(rows.length, 'row')} of a stop hook ${rows.length === 1 ? 'hangs' : 'hang'} from a progress row: some client versions end the history there.`;
    return [rowFinding(loaded.index, rows, { code: 'progress-fork', severity: 'error', action: 'auto', message })];
  },
  fix(draft: RepairDraft): void {
    const { index, view } = draft.loaded;
    for (const row of findForks(draft.loaded)) {
      let parent = view.rowOf(index.rows.parent(row));
      for (let steps = 0; parent !== NO_PARENT && steps < index.rows.count; steps++) {
        if (index.rows.kind(parent) !== RowKind.progress) break;
        parent = draft.parent(parent);
      }
      if (parent === NO_PARENT || draft.descendsFrom(parent, row)) continue;
      draft.setParent(row, parent, 'It hangs from a progress row: the link goes on to the message above.');
    }
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
