import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastGlob from 'fast-glob';

const FIXTURES = join(__dirname, '..', '..', 'fixtures');

/** The recorded main transcripts, sorted; subagents' are not resumable sessions. */
export async function listRecordings(): Promise<string[]> {
  const files = await fastGlob('recordings/*/dot-claude/projects/*/*.jsonl', {
    cwd: FIXTURES,
    ignore: ['**/agent-*.jsonl'],
  });
  return files.sort().map((file) => join(FIXTURES, file));
}

export interface Verdict {
  /** Relative to `fixtures/corrupt`. */
  readonly file: string;
  readonly loaded: number;
  readonly total: number;
  readonly missingLines?: readonly number[];
  readonly exitCode: number;
  readonly afterBetterRepair?: { readonly loaded: number; readonly total: number };
}

export interface CorruptCase {
  readonly name: string;
  readonly description: string;
  readonly spacing: 'far' | 'near';
  readonly filePath: string;
  readonly verdict: Verdict;
}

/**
 * The damaged variants with what the real client loaded of them. Where the verdict of a `near` variant is that of the
 * `far` one, only the latter is stored; it stands for both.
 */
export async function listCorruptCases(): Promise<CorruptCase[]> {
  const corrupt = join(FIXTURES, 'corrupt');
  // SAFETY: a fixture of this repository, written in this shape.
  const { cases } = JSON.parse(await readFile(join(corrupt, 'verdicts.json'), 'utf8')) as {
    cases: Record<string, { description: string; far: Verdict; near: Verdict }>;
  };
  return Object.entries(cases).flatMap(([name, { description, far, near }]) =>
    (
      [
        ['far', far],
        ['near', near],
      ] as const
    ).map(([spacing, verdict]) => {
      const file = verdict.file.endsWith('.jsonl') ? verdict.file : far.file;
      return { name, description, spacing, filePath: join(corrupt, file), verdict };
    }),
  );
}

/** What random damage starts from: every recording, and the healthy base of the damaged variants. */
export async function listDamageBases(): Promise<string[]> {
  const cases = await listCorruptCases();
  const healthy = cases.find(({ name, spacing }) => name === '00-healthy' && spacing === 'far');
  return [...(await listRecordings()), ...(healthy === undefined ? [] : [healthy.filePath])];
}
