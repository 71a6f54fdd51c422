import type { Finding } from '../../../protocol/repair';
import { LARGE_FILE_BYTES } from '../../transcript/byteRows';
import { NO_ID } from '../../transcript/idTable';
import type { LineFault, TranscriptIndex } from '../../transcript/transcriptIndex';
import { rowAtLine } from '../../transcript/transcriptRows';
import { countOf } from '../../util/countOf';
import { faultyLines, type IndexCheck, lineFinding } from '../check';
import type { RepairDraft } from '../repairDraft';

/**
 * `bom`: a byte order mark. The client skips one at the start of a file of up to 5 MiB, and loses a row after any other.
 * (docs/format.md, "Lines")
 */
export const bom: IndexCheck = {
  kind: 'index',
  code: 'bom',
  find({ index }): Finding[] {
    if (index.lineFaults.isEmpty) return [];
    const hiding = faultyLines(index, 'bom', (fault) => hidesRow(index, fault));
    const others = faultyLines(index, 'bom', (fault) => !hidesRow(index, fault));
    return [
      ...lineFinding(hiding, {
        code: 'bom',
        severity: 'error',
        action: 'auto',
        message: `${countOf(hiding.total, 'line')} with a byte order mark in front ${hiding.total === 1 ? 'is' : 'are'} not read by Claude.`,
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
    const { index } = draft;
    for (const fault of index.lineFaults.ofKind('bom'))
      if (hidesRow(index, fault)) draft.cleanLine(fault.line, 'A byte order mark is stripped.');
  },
};

function hidesRow({ fileSize, rows }: TranscriptIndex, { hidesRow: isHidden, line }: LineFault): boolean {
  return isHidden || (fileSize > LARGE_FILE_BYTES && rowAtLine(rows, line) !== NO_ID);
}
