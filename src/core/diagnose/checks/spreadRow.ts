import type { Finding } from '../../../protocol/repair';
import { faultyLines, type IndexCheck, inPlaces, lineFinding } from '../check';

/**
 * `spread-row`: a row that another program wrote over several lines. The client loads it while the file has at most 5 MiB. Its
 * lines are named by the first of them. (docs/format.md, "Rows of several lines")
 */
export const spreadRow: IndexCheck = {
  kind: 'index',
  code: 'spread-row',
  find({ index }): Finding[] {
    if (index.lineFaults.isEmpty) return [];
    const rows = faultyLines(index, 'spread');
    return lineFinding(rows, {
      code: 'spread-row',
      severity: 'info',
      action: 'tell',
      message: `${inPlaces(rows.total, 'spans several lines')}: Claude reads such messages only in files up to 5 MiB.`,
    });
  },
};
