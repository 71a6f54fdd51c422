import { loaderRules, type Resume, simulateResume } from '../../rooms/loader';
import { RowFlag } from '../../rooms/transcript';
import { scanBytes } from '../../support/scanBytes';
import { nameOf, type RowFields, transcript } from '../../support/transcriptBuilder';

export interface NamedResume {
  /** Names of the counted rows that load, in file order. */
  readonly loaded: readonly string[];
  readonly leaf: string | null;
  readonly of: number;
  readonly resume: Resume;
}

/** What the client loads of hand-made rows, by the names that the test gave them. */
export function resumeOf(rows: readonly RowFields[], version?: string): NamedResume {
  return resumeOfBytes(transcript(rows), version);
}

export function resumeOfBytes(bytes: Buffer, version?: string): NamedResume {
  const index = scanBytes(bytes);
  const resume = simulateResume(index, loaderRules(version));
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
