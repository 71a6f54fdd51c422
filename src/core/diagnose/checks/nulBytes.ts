import type { Finding } from '../../../protocol/repair';
import { LARGE_FILE_BYTES } from '../../transcript/byteRows';
import { countOf } from '../../util/countOf';
import { faultyLines, type IndexCheck, lineFinding } from '../check';
import type { RepairDraft } from '../repairDraft';

/**
 * `nul-bytes`: runs of 0x00 around rows, typically left by a power failure. In a file of up to 5 MiB, a row after NULs is
 * lost; NULs after the last row swallow the next row that an older client writes. (docs/format.md, "Lines")
 */
export const nulBytes: IndexCheck = {
  kind: 'index',
  code: 'nul-bytes',
  find({ index }): Finding[] {
    if (index.lineFaults.isEmpty) return [];
    const hiding = faultyLines(index, 'nul', (fault) => fault.hidesRow);
    const others = faultyLines(index, 'nul', (fault) => !fault.hidesRow);
    const isRead = index.fileSize > LARGE_FILE_BYTES;
    const lost = `${countOf(hiding.total, 'line')} with NUL bytes in front ${hiding.total === 1 ? 'is' : 'are'} not read`;
    return [
      ...lineFinding(hiding, {
        code: 'nul-bytes',
        severity: isRead ? 'info' : 'error',
        action: isRead ? 'tell' : 'auto',
        message: isRead ? `${lost} once the file is smaller than 5 MiB, nor by older clients.` : `${lost} by Claude.`,
      }),
      ...lineFinding(others, {
        code: 'nul-bytes',
        severity: 'info',
        action: 'tell',
        message: `There are NUL bytes on ${countOf(others.total, 'line')}; an older client would lose the message that it writes next.`,
      }),
    ];
  },
  fix(draft: RepairDraft): void {
    const { index } = draft;
    if (index.fileSize > LARGE_FILE_BYTES) return;
    for (const fault of index.lineFaults.ofKind('nul')) {
      if (fault.hidesRow) draft.cleanLine(fault.line, 'NUL bytes are stripped.');
    }
  },
};
