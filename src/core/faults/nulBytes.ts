import type { Finding } from '../../protocol/repair';
import { LARGE_FILE_BYTES } from '../resume/rowGraph';
import { count, type LineFaultClass } from './faultClass';
import { faultyLines, lineFinding } from './lineFinding';
import type { RepairDraft } from './repairDraft';

/**
 * `nul-bytes`: runs of 0x00 around rows, as a power cut leaves them. A row behind NULs is lost in a file of up to 5 MiB;
 * NULs behind the last row swallow the next one that an older client writes. (docs/format.md, "Lines")
 */
export const nulBytes: LineFaultClass = {
  code: 'nul-bytes',
  find({ facts }): Finding[] {
    const hiding = faultyLines(facts, 'nul', (fault) => fault.hidesRow);
    const others = faultyLines(facts, 'nul', (fault) => !fault.hidesRow);
    const isRead = facts.fileSize > LARGE_FILE_BYTES;
    const lost = `${count(hiding.total, 'row')} behind NUL bytes ${hiding.total === 1 ? 'is' : 'are'} not read`;
    return [
      ...lineFinding({
        code: 'nul-bytes',
        severity: 'error',
        action: 'auto',
        faults: hiding,
        message: isRead ? `${lost} once the file is smaller than 5 MiB, nor by older clients.` : `${lost} by Claude.`,
      }),
      ...lineFinding({
        code: 'nul-bytes',
        severity: 'warning',
        action: 'auto',
        faults: others,
        message: `NUL bytes stand on ${count(others.total, 'line')}; an older client would lose the row it writes next.`,
      }),
    ];
  },
  mend(draft: RepairDraft): void {
    for (const fault of draft.facts.lineFaults.ofKind('nul')) draft.cleanLine(fault.line, 'NUL bytes are stripped.');
  },
};
