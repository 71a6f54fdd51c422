import type { Finding } from '../../../protocol/repair';
import { count, faultyLines, type IndexCheck, lineFinding } from '../check';
import type { RepairDraft } from '../repairDraft';

/** `bom`: a byte order mark. The client skips one at the start of the file, and loses a row after any other. */
export const bom: IndexCheck = {
  kind: 'index',
  code: 'bom',
  find({ index }): Finding[] {
    if (index.lineFaults.isEmpty) return [];
    const hiding = faultyLines(index, 'bom', (fault) => fault.hidesRow);
    const others = faultyLines(index, 'bom', (fault) => !fault.hidesRow);
    return [
      ...lineFinding(hiding, {
        code: 'bom',
        severity: 'error',
        action: 'auto',
        message: `${count(hiding.total, 'row')} behind a byte order mark ${hiding.total === 1 ? 'is' : 'are'} not read by Claude.`,
      }),
      ...lineFinding(others, {
        code: 'bom',
        severity: 'info',
        action: 'tell',
        message: 'The file starts with a byte order mark; Claude reads past it.',
      }),
    ];
  },
  fix(draft: RepairDraft): void {
    for (const fault of draft.index.lineFaults.ofKind('bom'))
      if (fault.hidesRow) draft.cleanLine(fault.line, 'A byte order mark is stripped.');
  },
};
