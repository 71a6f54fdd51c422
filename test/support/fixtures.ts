import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fastGlob from 'fast-glob';
import { readCountedRows } from './countedRows';
import { nearVariant } from './nearVariant';

/** Absolute path of `fixtures`. */
export const FIXTURES = join(__dirname, '..', '..', 'fixtures');

/** The recorded main transcripts, sorted, relative to `fixtures`. Those of subagents are not resumable sessions. */
export function listRecordings(): string[] {
  return fastGlob
    .sync('recordings/*/dot-claude/projects/*/*.jsonl', { cwd: FIXTURES, ignore: ['**/agent-*.jsonl'] })
    .sort();
}

/** What the real client loaded, counted like `resume`. Row numbers are those of `CorruptCase.bytes`. */
export interface Verdict {
  readonly loaded: number;
  readonly total: number;
  readonly missingLines: readonly number[];
  readonly exitCode: number;
  /** What it loads after the repair of docs/format.md; absent if no repair restores anything. */
  readonly afterBetterRepair?: { readonly loaded: number; readonly total: number };
}

/** No list if nothing is missing, and for a `near` variant whose verdict is that of the `far` one. */
type StoredVerdict = Omit<Verdict, 'missingLines'> & Partial<Pick<Verdict, 'missingLines'>>;

export interface CorruptCase {
  readonly name: string;
  readonly description: string;
  readonly spacing: 'far' | 'near';
  readonly sessionId: string;
  readonly bytes: Buffer;
  readonly verdict: Verdict;
}

/** The damaged variants in both spacings, with what the real client loaded of each. */
export function listCorruptCases(): CorruptCase[] {
  const corrupt = join(FIXTURES, 'corrupt');
  // SAFETY: a fixture of this repository, written in this shape.
  const { cases } = JSON.parse(readFileSync(join(corrupt, 'verdicts.json'), 'utf8')) as {
    cases: Record<string, { description: string; far: StoredVerdict & { file: string }; near: StoredVerdict }>;
  };
  return Object.entries(cases).flatMap(([name, { description, far, near }]): CorruptCase[] => {
    const bytes = readFileSync(join(corrupt, far.file));
    const nearMissing = near.loaded === near.total ? [] : (far.missingLines ?? []);
    const shared = { name, description, sessionId: basename(far.file, '.jsonl') };
    return [
      { ...shared, spacing: 'far', bytes, verdict: { missingLines: [], ...far } },
      { ...shared, spacing: 'near', bytes: nearVariant(bytes), verdict: { missingLines: nearMissing, ...near } },
    ];
  });
}

export interface HealthyCase {
  /** Relative to `fixtures`. */
  readonly recording: string;
  readonly verdict: Verdict;
}

/** The recordings with what the real client loaded of each. */
export function listHealthyCases(): HealthyCase[] {
  // SAFETY: a fixture of this repository, written in this shape.
  const { healthyRecordings } = JSON.parse(readFileSync(join(FIXTURES, 'corrupt', 'verdicts.json'), 'utf8')) as {
    healthyRecordings: (StoredVerdict & { file: string })[];
  };
  return healthyRecordings.map(({ file, ...verdict }) => ({
    recording: `recordings/${file}`,
    verdict: { missingLines: [], ...verdict },
  }));
}

/**
 * The transcripts that are damaged at random, relative to `fixtures`: the recordings with messages, and the healthy
 * base of the damaged variants.
 */
export function listDamageBases(): string[] {
  const bases = [...listRecordings(), ...fastGlob.sync('corrupt/far/00-healthy/*.jsonl', { cwd: FIXTURES })];
  return bases.filter((file) => readCountedRows(readFileSync(join(FIXTURES, file))).length > 0);
}
