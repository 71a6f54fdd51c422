import type { Finding } from '../../../protocol/repair';
import { LARGE_FILE_BYTES } from '../../transcript/byteRows';
import type { LineFault } from '../../transcript/transcriptIndex';
import { countOf } from '../../util/countOf';
import { faultyLines, type IndexCheck, lineFinding } from '../check';

/**
 * `torn-line`: a line without a complete row. Its text is lost, so the line is reported and kept as it is; its children
 * are reported as `dangling-parent`. A torn last line is left by a client that was killed while it wrote. In files up to 5 MiB, a
 * torn line can swallow the rows after it until more rows follow. (docs/format.md, "Rows of several lines")
 */
export const tornLine: IndexCheck = {
  kind: 'index',
  code: 'torn-line',
  find({ index }): Finding[] {
    if (index.lineFaults.isEmpty) return [];
    const isSwallowing = (fault: LineFault): boolean => fault.hidesRow && index.fileSize <= LARGE_FILE_BYTES;
    const isLast = (fault: LineFault): boolean => fault.isUnfinished || fault.line === index.lineCount;
    const last = faultyLines(index, 'torn', (fault) => isLast(fault) && !isSwallowing(fault));
    const swallowing = faultyLines(index, 'torn', isSwallowing);
    const inside = faultyLines(index, 'torn', (fault) => !isLast(fault) && !isSwallowing(fault));
    const { total } = inside;
    return [
      ...lineFinding(swallowing, {
        code: 'torn-line',
        severity: 'error',
        action: 'tell',
        message: `${countOf(swallowing.total, 'line')} ${swallowing.total === 1 ? 'begins' : 'begin'} a list or a message that goes on over the messages after it: Claude does not load those.`,
      }),
      ...lineFinding(inside, {
        code: 'torn-line',
        severity: 'warning',
        action: 'tell',
        message: `${countOf(total, 'line')} ${total === 1 ? 'contains' : 'contain'} no complete message: what was there is lost.`,
      }),
      ...lineFinding(last, {
        code: 'torn-line',
        severity: 'info',
        action: 'tell',
        message: 'The last line was cut off while it was written; Claude continues after it.',
      }),
    ];
  },
};
