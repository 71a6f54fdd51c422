import type { Finding } from '../../protocol/repair';
import { count, type LineFaultClass } from './faultClass';
import { faultyLines, lineFinding } from './lineFinding';
import type { RepairDraft } from './repairDraft';

/**
 * `glued-lines`: a newline is missing behind a row. The client reads the first row of the line and loses the rest; older
 * clients lose the whole line. (docs/format.md, "Lines")
 */
export const gluedLines: LineFaultClass = {
  code: 'glued-lines',
  find({ facts }): Finding[] {
    const faults = faultyLines(facts, 'glued');
    const { total } = faults;
    return lineFinding({
      code: 'glued-lines',
      severity: 'error',
      action: 'auto',
      faults,
      message: `${count(total, 'line')} ${total === 1 ? 'holds' : 'hold'} more than one row: Claude reads only the first.`,
    });
  },
  mend(draft: RepairDraft): void {
    for (const fault of draft.facts.lineFaults.ofKind('glued')) {
      draft.cleanLine(fault.line, 'A newline is missing between rows.');
    }
  },
};
