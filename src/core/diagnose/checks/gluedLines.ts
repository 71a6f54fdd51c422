import type { Finding } from '../../../protocol/repair';
import type { LoadedTranscript } from '../../providers/claude/loader/loadTranscript';
import { mustEndLine } from '../../providers/claude/loader/slots';
import type { LineFault } from '../../transcript/transcriptIndex';
import { countOf } from '../../util/countOf';
import { faultyLines, type IndexCheck, lineFinding } from '../check';
import type { RepairDraft } from '../repairDraft';

/**
 * `glued-lines`: a newline is missing after a row. The client reads the first row of the line and loses the rest; older
 * clients lose the whole line. Nothing is lost if the rest is no row. (docs/format.md, "Lines")
 */
export const gluedLines: IndexCheck = {
  kind: 'index',
  code: 'glued-lines',
  find(loaded): Finding[] {
    const { index } = loaded;
    if (index.lineFaults.isEmpty) return [];
    const hiding = faultyLines(index, 'glued', (fault) => hidesRow(loaded, fault));
    const others = faultyLines(index, 'glued', (fault) => !hidesRow(loaded, fault));
    const [hold, its] = hiding.total === 1 ? ['holds', 'its'] : ['hold', 'their'];
    return [
      ...lineFinding(hiding, {
        code: 'glued-lines',
        severity: 'error',
        action: 'auto',
        message: `${countOf(hiding.total, 'line')} ${hold} more than a message: Claude reads at most what is at ${its} start.`,
      }),
      ...lineFinding(others, {
        code: 'glued-lines',
        severity: 'info',
        action: 'tell',
        message: `There is other text behind the message on ${countOf(others.total, 'line')}; Claude reads past it, but an older client would lose that message.`,
      }),
    ];
  },
  fix(draft: RepairDraft): void {
    for (const fault of draft.index.lineFaults.ofKind('glued')) {
      if (hidesRow(draft.loaded, fault)) draft.cleanLine(fault.line, 'A newline is missing between messages.');
    }
  },
};

function hidesRow({ index, rules }: Pick<LoadedTranscript, 'index' | 'rules'>, fault: LineFault): boolean {
  return fault.hidesRow || mustEndLine(index, rules, fault.line);
}
