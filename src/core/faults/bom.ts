import type { Finding } from '../../protocol/repair';
import { count, type LineFaultClass } from './faultClass';
import { faultyLines, lineFinding } from './lineFinding';
import type { RepairDraft } from './repairDraft';

/** `bom`: a byte order mark. The client reads past one at the start of the file, and loses a row behind any other. */
export const bom: LineFaultClass = {
  code: 'bom',
  find({ facts }): Finding[] {
    const hiding = faultyLines(facts, 'bom', (fault) => fault.hidesRow);
    return [
      ...lineFinding({
        code: 'bom',
        severity: 'error',
        action: 'auto',
        faults: hiding,
        message: `${count(hiding.total, 'row')} behind a byte order mark ${hiding.total === 1 ? 'is' : 'are'} not read by Claude.`,
      }),
      ...lineFinding({
        code: 'bom',
        severity: 'info',
        action: 'auto',
        faults: faultyLines(facts, 'bom', (fault) => !fault.hidesRow),
        message: 'The file starts with a byte order mark; Claude reads past it.',
      }),
    ];
  },
  mend(draft: RepairDraft): void {
    for (const fault of draft.facts.lineFaults.ofKind('bom'))
      draft.cleanLine(fault.line, 'A byte order mark is stripped.');
  },
};
