import { type ScannerFactory } from '../rooms/transcript';
import { compareScanners } from './compareScanners';
import { makeTranscript } from './generate/makeTranscript';
import { shrink } from './shrink';
import { plainScanner } from '../support/plainScanner';

/** The transcripts `from`, `from + step` … below `to` of a seed. */
export interface FuzzPlan {
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

export interface Difference {
  readonly seed: number;
  readonly file: number;
  /** The smallest failing transcript. */
  readonly what: string;
  readonly smallest: Buffer;
}

export interface FuzzCounts {
  readonly files: number;
  readonly lines: number;
  readonly bytes: number;
}

export type FuzzEvent =
  | { readonly kind: 'files'; readonly counts: FuzzCounts }
  | { readonly kind: 'difference'; readonly difference: Difference };

const FILES_AN_EVENT = 200;
const NEWLINE = 10;

/** Compares a scanner with the reference, transcript by transcript. Counts are of the files since the last event. */
export function* fuzz(candidate: ScannerFactory, { seed, from, to, step }: FuzzPlan): Generator<FuzzEvent> {
  let counts = { files: 0, lines: 0, bytes: 0 };
  for (let file = from; file < to; file += step) {
    const bytes = makeTranscript(seed, file);
    counts = { files: counts.files + 1, lines: counts.lines + countLines(bytes), bytes: counts.bytes + bytes.length };
    if (compareScanners(bytes, plainScanner, candidate, file) !== null) {
      yield { kind: 'difference', difference: explain(bytes, candidate, seed, file) };
    }
    if (counts.files < FILES_AN_EVENT && file + step < to) continue;
    yield { kind: 'files', counts };
    counts = { files: 0, lines: 0, bytes: 0 };
  }
}

function explain(bytes: Buffer, candidate: ScannerFactory, seed: number, file: number): Difference {
  const compare = (part: Buffer): string | null => compareScanners(part, plainScanner, candidate, file);
  const smallest = shrink(bytes, (part) => compare(part) !== null);
  return { seed, file, smallest, what: compare(smallest) ?? 'it differs in some runs only' };
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return bytes.length > 0 && bytes.at(-1) !== NEWLINE ? lines + 1 : lines;
}
