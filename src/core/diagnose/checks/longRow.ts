import type { Finding } from '../../../protocol/repair';
import { MAX_LISTED_LINES, type LongLineNote } from '../../transcript/transcriptIndex';
import { countOf } from '../../util/countOf';
import { type IndexCheck, lineFinding } from '../check';

/**
 * `long-row`: a row that is too long for Rethread to read its texts. Its links are known and count as they stand, and a repair keeps its
 * bytes. If not even they are known, nothing is repaired in the transcript, because rows that seem to have lost their parent
 * may belong to that row.
 */
export const longRow: IndexCheck = {
  kind: 'index',
  code: 'long-row',
  find({ index }): Finding[] {
    if (index.longLines.length === 0) return [];
    const known = index.longLines.filter(({ isKnown }) => isKnown);
    const unknown = index.longLines.filter(({ isKnown }) => !isKnown);
    return [
      ...findingOf(
        unknown,
        `${namesOf(unknown)} too long to be read: what other messages seem to miss may be in it, so nothing is repaired here.`,
      ),
      ...findingOf(
        known,
        `${namesOf(known)} too long to be shown as a whole: only what links it to other messages was read. Claude may be unable to load it.`,
      ),
    ];
  },
};

function findingOf(lines: readonly LongLineNote[], message: string): Finding[] {
  const listed = lines.slice(0, MAX_LISTED_LINES).map(({ line }) => line);
  return lineFinding(
    { total: lines.length, lines: listed },
    { code: 'long-row', severity: 'warning', action: 'tell', message },
  );
}

/** "Line 21 has 600 MB, which is", or "3 lines of up to 600 MB are". */
function namesOf(lines: readonly LongLineNote[]): string {
  const [first] = lines;
  const size = megabytes(Math.max(...lines.map(({ length }) => length)));
  if (first !== undefined && lines.length === 1) return `Line ${first.line} has ${size}, which is`;
  return `${countOf(lines.length, 'line')} of up to ${size} are`;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;
}
