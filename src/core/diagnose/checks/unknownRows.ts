import type { Finding } from '../../../protocol/repair';
import { MAX_LISTED_LINES } from '../../transcript/transcriptIndex';
import { countOf } from '../../util/countOf';
import { type IndexCheck } from '../check';

/** `unknown-rows`: a row type that no known client version writes. The rows are kept and shown as they are. */
export const unknownRows: IndexCheck = {
  kind: 'index',
  code: 'unknown-rows',
  find({ index }): Finding[] {
    return Array.from(index.unknownTypes.values(), ({ type, count: amount, lines }) => ({
      code: 'unknown-rows',
      severity: 'info',
      action: 'tell',
      lines: lines.slice(0, MAX_LISTED_LINES),
      uuids: [],
      message: `${countOf(amount, 'line')} of the unknown type ${JSON.stringify(type.slice(0, 60))}, kept as ${amount === 1 ? 'it is' : 'they are'}.`,
    }));
  },
};
