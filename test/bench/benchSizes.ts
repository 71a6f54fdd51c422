import type { CorpusPlan } from './corpus';

/** The corpora of one run. */
export interface BenchSizes {
  /** Sessions as after a busy year: scans and token counts are timed on them. */
  readonly mixed: CorpusPlan;
  /** The largest reported collection. */
  readonly largest: CorpusPlan;
  readonly oneFile: CorpusPlan;
  /** Rows of 200 bytes, each with a unique id. */
  readonly manyIds: CorpusPlan;
  /** Rows of the longest session. */
  readonly mostRows: number;
  /** A hundred thousand short sessions at full size. */
  readonly manySessions: CorpusPlan;
  /** So many files that checking each takes most of the time. */
  readonly manyFiles: CorpusPlan;
  /** A tenth of them, in a tenth of the folders. */
  readonly fewerFiles: CorpusPlan;
  readonly tenth: CorpusPlan;
  /** The sessions of `tenth`, ten times over. */
  readonly tenfold: CorpusPlan;
  /** One of 50 MB, to append to. */
  readonly tail: CorpusPlan;
  readonly rounds: number;
  /** For contenders that take half a minute. */
  readonly slowRounds: number;
}

const SEED = 1;
const FOLDERS = 37;

/** As large as the largest reported collection of sessions; its bytes are stored once for eight names. */
export const LARGEST = { files: 8206, bytes: 6.6e9, seed: 3, folders: 120, links: 8, rows: 'real' } as const;

/** The corpus that the targets are for. */
export const FULL_FILES = 1000;
export const FULL_BYTES = 1.233e9;

/** `files` and `bytes` are those of the corpus for scans; the other corpora shrink in proportion. */
export function benchSizes(files: number, bytes: number, seed = SEED): BenchSizes {
  const share = Math.min(1, bytes / FULL_BYTES);
  const base = { seed, folders: FOLDERS, links: 1, rows: 'real' } as const;
  const tenth = { ...base, files: Math.ceil(files / 10), bytes: bytes / 10 };
  const manyFiles = { ...base, files: Math.ceil(10_000 * share), bytes: 20e6 * share, folders: 120 };
  return {
    mixed: { ...base, files, bytes },
    largest: { ...LARGEST, files: Math.ceil(LARGEST.files * share), bytes: LARGEST.bytes * share },
    oneFile: { ...base, files: 1, bytes: 1.2e9 * share },
    manyIds: { ...base, files: 1, bytes: 535e6 * share, rows: 'tiny' },
    mostRows: Math.ceil(1_000_000 * share),
    manySessions: { ...base, files: Math.ceil(100_000 * share), bytes: 200e6 * share, folders: 200 },
    manyFiles,
    fewerFiles: { ...manyFiles, files: Math.ceil(manyFiles.files / 10), bytes: manyFiles.bytes / 10, folders: 12 },
    tenth,
    tenfold: { ...tenth, files: tenth.files * 10, bytes: tenth.bytes * 10, links: 10 },
    tail: { ...base, files: 1, bytes: 50e6 * share },
    rounds: share === 1 ? 5 : 3,
    slowRounds: share === 1 ? 2 : 1,
  };
}
