import type { Finding } from '../../../protocol/repair';
import { countOf } from '../../util/countOf';
import { faultyLines, type IndexCheck, lineFinding } from '../check';
import type { RepairDraft } from '../repairDraft';

/**
 * `glued-lines`: a newline is missing after a row. The client reads the first row of the line and loses the rest; older
 * clients lose the whole line. (docs/format.md, "Lines")
 */
export const gluedLines: IndexCheck = {
  kind: 'index',
  code: 'glued-lines',
  find({ index }): Finding[] {
    if (index.lineFaults.isEmpty) return [];
    const faults = faultyLines(index, 'glued');
    const { total } = faults;
    const [hold, its] = total === 1 ? ['holds', 'its'] : ['hold', 'their'];
    return lineFinding(faults, {
      code: 'glued-lines',
      severity: 'error',
      action: 'auto',
      message: `${countOf(total, 'line')} ${hold} more than a message: Claude reads at most what is at ${its} start.`,
    });
  },
  fix(draft: RepairDraft): void {
    for (const fault of draft.index.lineFaults.ofKind('glued')) {
      draft.cleanLine(fault.line, 'A newline is missing between messages.');
    }
  },
};
