import { loaderRules, type Resume, simulateResume } from '../../rooms/loader';
import { LARGE_FILE_BYTES, RowFlag } from '../../rooms/transcript';
import { scanBytes } from '../../support/scanBytes';
import { lines, nameOf, type RowFields, transcript } from '../../support/transcriptBuilder';

export interface NamedResume {
  /** Names of the counted rows that load, in file order. */
  readonly loaded: readonly string[];
  readonly leaf: string | null;
  readonly of: number;
  readonly resume: Resume;
}

/** What the client loads of hand-made rows, by the names that the test gave them. */
export function resumeOf(rows: readonly RowFields[], version?: string, nowMs?: number): NamedResume {
  return resumeOfBytes(transcript(rows), version, nowMs);
}

export type Edit = (line: string) => string;

/** The last line of a file of more than 5 MiB; nothing hangs from it. */
const PADDING = `${JSON.stringify({ type: 'queue-operation', content: 'x'.repeat(LARGE_FILE_BYTES) })}\n`;

/** What the client loads of the rows in a file of more than 5 MiB. `edits`: the text of lines, counted from 1. */
export function largeResumeOf(
  rows: readonly RowFields[],
  edits: Readonly<Record<number, Edit>> = {},
  version?: string,
): NamedResume {
  const texts = lines(rows).map((line, at) => edits[at + 1]?.(line) ?? line);
  return resumeOfBytes(Buffer.from(`${texts.join('\n')}\n${PADDING}`), version);
}

export function resumeOfBytes(bytes: Buffer, version?: string, nowMs?: number): NamedResume {
  const index = scanBytes(bytes);
  const resume = simulateResume(index, loaderRules(version, nowMs));
  const { summary } = resume;
  const isMissing = new Set(summary.missingLines);
  const loaded: string[] = [];
  for (let row = 0; row < index.rows.count; row++) {
    const isCounted = resumeCounts(resume, row);
    if (isCounted && !isMissing.has(index.rows.line(row))) {
      loaded.push(nameOf(index.ids.text(index.rows.uuid(row))) ?? `line ${index.rows.line(row)}`);
    }
  }
  return { loaded, leaf: nameOf(summary.leafUuid), of: summary.of, resume };
}

function resumeCounts({ graph }: Resume, row: number): boolean {
  return graph.index.rows.has(row, RowFlag.counted) && !graph.isSidechain(row);
}
