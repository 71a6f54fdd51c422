import type { ScannerFactory, TranscriptScanner } from '../../src/core/scan/scanner';
import { createRandom } from '../support/random';
import { firstDifference } from './firstDifference';
import { scanInAllWays, scanInOnePiece, type Outcome } from './scanInAllWays';

/** Of how many transcripts the judge, too, is asked in all ways: a cut must not matter to it, either. */
const ASK_JUDGE_EVERY = 8;

/**
 * Scans a transcript with both scanners and says where one of the facts differs from what the judge gave for the transcript
 * in one piece, or who threw; null when all is alike. The number of the transcript only decides what is asked of it.
 */
export function compareScanners(
  bytes: Buffer,
  judge: ScannerFactory,
  candidate: ScannerFactory,
  file: number,
): string | null {
  const options = { withUsage: file % 3 > 0 };
  const createJudge = (): TranscriptScanner => judge(options);
  const truth = scanInOnePiece(bytes, createJudge);
  const actual = scanInAllWays(bytes, () => candidate(options), createRandom(file));
  const other = file % ASK_JUDGE_EVERY === 0 ? scanInAllWays(bytes, createJudge, createRandom(file)) : [truth];
  return findDifference('the reference', other, truth) ?? findDifference('the scanner', actual, truth);
}

function findDifference(who: string, outcomes: readonly Outcome[], truth: Outcome): string | null {
  for (const { way, result } of outcomes) {
    if ('thrown' in result) return `${who}, ${way}, throws: ${result.thrown}`;
    const difference = firstDifference(truth.result, result);
    if (difference !== null) return `${who}, ${way}, differs at facts${difference}`;
  }
  return null;
}
