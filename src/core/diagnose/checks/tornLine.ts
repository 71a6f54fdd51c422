import type { Finding } from '../../../protocol/repair';
import type { LineFault } from '../../transcript/transcriptIndex';
import { count, faultyLines, type IndexCheck, lineFinding } from '../check';

/**
 * `torn-line`: a line without a complete row. Its text is lost, so the line is reported and kept as it is; its children
 * are reported as `dangling-parent`. A torn last line is left by a client that was killed while it wrote.
 */
export const tornLine: IndexCheck = {
  kind: 'index',
  code: 'torn-line',
  find({ index }): Finding[] {
    if (index.lineFaults.isEmpty) return [];
    const isLast = (fault: LineFault): boolean => fault.isUnfinished || fault.line === index.lineCount;
    const last = faultyLines(index, 'torn', isLast);
    const inside = faultyLines(index, 'torn', (fault) => !isLast(fault));
    const { total } = inside;
    return [
      ...lineFinding(inside, {
        code: 'torn-line',
        severity: 'warning',
        action: 'tell',
        message: `${count(total, 'line')} ${total === 1 ? 'holds' : 'hold'} no complete row: what stood there is lost.`,
      }),
      ...lineFinding(last, {
        code: 'torn-line',
        severity: 'info',
        action: 'tell',
        message: 'The last line was cut off while it was written; Claude goes on after it.',
      }),
    ];
  },
};
