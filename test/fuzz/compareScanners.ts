import type { ScannerFactory, ScannerOptions, TranscriptScanner } from '../rooms/transcript';
import type { ScannedSession } from '../../src/protocol/session';
import { verdictOf } from '../support/diagnosed';
import { createRandom } from '../support/random';
import { dumpByteRows } from '../unit/transcript/dumpFacts';
import { firstDifference } from './firstDifference';
import { type Outcome, scanInAllWays, scanInOnePiece } from './scanInAllWays';

/** How often the reference, too, is run in all ways: its result must not depend on chunks, either. */
const ASK_JUDGE_EVERY = 8;

/** A transcript, and the expected results for it. */
export interface Trial {
  readonly bytes: Buffer;
  /** Its number, which determines how a scanner is run. */
  readonly file: number;
  readonly options: ScannerOptions;
  readonly truth: Outcome;
  readonly judge: ScannerFactory;
}

/** The expected results: those of the reference for the transcript in one piece. */
export function createTrial(bytes: Buffer, file: number, judge: ScannerFactory): Trial {
  const options = { withUsage: file % 3 > 0, isLarge: file % 4 === 0 };
  return { bytes, file, options, judge, truth: scanInOnePiece(bytes, () => judge(options)) };
}

/**
 * Where a scanner's index differs from the expected one in any way of scanning, or what it threw; null if all are
 * equal.
 */
export function tryScanner(trial: Trial, createScanner: ScannerFactory): string | null {
  const { bytes, file, options, truth } = trial;
  const create = (): TranscriptScanner => createScanner(options);
  for (const { way, result } of scanInAllWays(bytes, create, createRandom(file))) {
    if ('thrown' in result) return `${way}, it throws: ${result.thrown}`;
    const difference = firstDifference(truth.result, result);
    if (difference !== null) return `${way}, it differs at facts${difference}`;
  }
  return (
    tryWithoutHashes(trial, createScanner) ??
    tryMessageHashes(trial, createScanner) ??
    tryVerdict(trial, createScanner) ??
    tryByteRows(trial, createScanner)
  );
}

/** The byte rows that a scanner proves must equal those that the reference reads. */
function tryByteRows({ bytes, judge, truth }: Trial, createScanner: ScannerFactory): string | null {
  if ('thrown' in truth.result) return null;
  const proven = readByteRows(bytes, createScanner({ withHashes: false, withProvenByteRows: true }));
  if (proven === null) return null;
  const difference = firstDifference(readByteRows(bytes, judge({ withByteRows: true })), proven);
  return difference === null ? null : `its byte rows differ at ${difference}`;
}

/** Null if the scanner collected none. */
function readByteRows(bytes: Buffer, scanner: TranscriptScanner): unknown {
  scanner.push(bytes);
  return scanner.read(({ byteRows }) => dumpByteRows(byteRows));
}

/** The verdict on what a scanner reads, possibly from a straight proof, must equal that on what the reference reads. */
function tryVerdict({ bytes, judge, truth }: Trial, createScanner: ScannerFactory): string | null {
  if ('thrown' in truth.result) return null;
  for (const withHashes of [false, true]) {
    const verdict = readVerdict(bytes, createScanner({ withHashes }));
    if (verdict === null) continue;
    const difference = firstDifference(readVerdict(bytes, judge({})), verdict);
    if (difference !== null) return `its verdict differs at ${difference}`;
  }
  return null;
}

/** Null if the scanner states that it needs hashes. */
function readVerdict(bytes: Buffer, scanner: TranscriptScanner): ScannedSession | null {
  scanner.push(bytes);
  return scanner.read((index) => (index.lacksHashes ? null : verdictOf(index)));
}

/** Without duplicate uuids, or if the scanner reports that there may be some, rows need not be compared with copies. */
function tryWithoutHashes({ bytes, options, truth }: Trial, createScanner: ScannerFactory): string | null {
  const { result } = scanInOnePiece(bytes, () => createScanner({ ...options, withHashes: false }));
  if ('thrown' in result) return `without hashes, it throws: ${result.thrown}`;
  const uuids = result.rows.flatMap(({ uuid }) => uuid ?? []);
  const needsHashes = new Set(uuids).size < uuids.length && !result.lacksHashes;
  const seen = (facts: Outcome['result']): unknown => {
    if (needsHashes || 'thrown' in facts) return facts;
    return { ...facts, lacksHashes: false, rows: facts.rows.map((row) => ({ ...row, sameAs: 0 })) };
  };
  const difference = firstDifference(seen(truth.result), seen(result));
  return difference === null ? null : `without hashes, it differs at facts${difference}`;
}

/** Which rows are copies of one message, by whatever a scanner reads, and whatever else it then reads in another way. */
function tryMessageHashes({ bytes, options, judge }: Trial, createScanner: ScannerFactory): string | null {
  const [expected, found] = [judge, createScanner].map(
    (create) => scanInOnePiece(bytes, () => create({ ...options, withMessageHashes: true })).result,
  );
  const difference = firstDifference(expected, found);
  return difference === null ? null : `with hashes of messages, it differs at facts${difference}`;
}

/** Compares a scanner with the reference, and occasionally the reference with itself. */
export function compareScanners(
  bytes: Buffer,
  judge: ScannerFactory,
  candidate: ScannerFactory,
  file: number,
): string | null {
  const trial = createTrial(bytes, file, judge);
  if ('thrown' in trial.truth.result) return `the reference throws: ${trial.truth.result.thrown}`;
  const fault = file % ASK_JUDGE_EVERY === 0 ? tryScanner(trial, judge) : null;
  return fault === null ? tryScanner(trial, candidate) : `of the reference: ${fault}`;
}
