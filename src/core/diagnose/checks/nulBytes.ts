import type { Finding } from '../../../protocol/repair';
import { mustEndLine } from '../../providers/claude/loader/slots';
import { LARGE_FILE_BYTES } from '../../transcript/byteRows';
import type { LineFault } from '../../transcript/transcriptIndex';
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
  find({ index, rules }): Finding[] {
    if (index.lineFaults.isEmpty) return [];
    const isCut = (fault: LineFault): boolean => !fault.hidesRow && mustEndLine(index, rules, fault.line);
    const hiding = faultyLines(index, 'nul', (fault) => fault.hidesRow);
    const cut = faultyLines(index, 'nul', isCut);
    const others = faultyLines(index, 'nul', (fault) => !fault.hidesRow && !isCut(fault));
    const isRead = index.fileSize > LARGE_FILE_BYTES;
    const lost = `${countOf(hiding.total, 'line')} with NUL bytes in front ${hiding.total === 1 ? 'is' : 'are'} not read`;
    return [
      ...lineFinding(hiding, {
        code: 'nul-bytes',
        severity: isRead ? 'info' : 'error',
        action: isRead ? 'tell' : 'auto',
        message: isRead ? `${lost} once the file is smaller than 5 MiB, nor by older clients.` : `${lost} by Claude.`,
      }),
      ...lineFinding(cut, {
        code: 'nul-bytes',
        severity: 'error',
        action: 'auto',
        message: `NUL bytes at the end of ${countOf(cut.total, 'line')} cost messages that Claude would load without them.`,
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
    const { index, loaded } = draft;
    const isRead = index.fileSize > LARGE_FILE_BYTES;
    for (const fault of index.lineFaults.ofKind('nul')) {
      const costs = fault.hidesRow ? !isRead : mustEndLine(index, loaded.rules, fault.line);
      if (costs) draft.cleanLine(fault.line, 'NUL bytes are stripped.');
    }
  },
};
