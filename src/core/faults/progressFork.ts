import type { Finding } from '../../protocol/repair';
import { NO_ID } from '../transcript/idTable';
import { RowKind } from '../transcript/rowTable';
import type { Examination } from './examination';
import { count, type FaultClass, rowFinding } from './faultClass';
import { NO_PARENT, type RepairDraft } from './repairDraft';

/**
 * `progress-fork`: a stop hook's summary hangs from the progress row of the same hook call, and the conversation from the
 * summary. Clients that do not read progress rows end the history there. Only when both rows name the same call: any
 * other progress row in a chain is healthy.
 */
export const progressFork: FaultClass = {
  code: 'progress-fork',
  find(examination): Finding[] {
    const rows = findForks(examination);
    if (rows.length === 0) return [];
    const message = `${count(rows.length, 'row')} of a stop hook ${rows.length === 1 ? 'hangs' : 'hang'} from a progress row: some client versions end the history there.`;
    return [rowFinding(examination.facts, { code: 'progress-fork', severity: 'error', action: 'auto', rows, message })];
  },
  mend(draft: RepairDraft): void {
    const { facts, view } = draft.examination;
    for (const row of findForks(draft.examination)) {
      let parent = view.rowOf(facts.rows.parent(row));
      for (let steps = 0; parent !== NO_PARENT && steps < facts.rows.count; steps++) {
        if (facts.rows.kind(parent) !== RowKind.progress) break;
        parent = draft.parent(parent);
      }
      if (parent === NO_PARENT || draft.descendsFrom(parent, row)) continue;
      draft.setParent(row, parent, 'It hangs from a progress row: the link goes on to the message above.');
    }
  },
};

function findForks({ facts, view }: Examination): number[] {
  const forks: number[] = [];
  for (const [row, call] of facts.hookCalls) {
    if (facts.rows.kind(row) !== RowKind.system || view.isBreakHarmless(row)) continue;
    const parent = view.rowOf(facts.rows.parent(row));
    if (parent === NO_ID || facts.rows.kind(parent) !== RowKind.progress) continue;
    if (facts.hookCalls.get(parent) === call) forks.push(row);
  }
  return forks;
}
