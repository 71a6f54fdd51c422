import { clientRules, SIMULATED_CLIENT } from '../../src/core/resume/clientRules';
import { describePlain, describeSession } from '../../src/core/sessions/describeSession';
import { examineFacts } from '../../src/core/sessions/scanSession';
import type { PlainTranscript } from '../../src/core/transcript/plainTranscript';
import type { ScannerFactory, ScannerOptions, TranscriptScanner } from '../../src/core/transcript/scanner';
import type { TranscriptFacts } from '../../src/core/transcript/transcriptIndex';
import { createRandom } from '../support/random';
import { firstDifference } from './firstDifference';
import { type Outcome, scanInAllWays, scanInOnePiece } from './scanInAllWays';

/** Of how many transcripts the judge, too, is asked in all ways: a cut must not matter to it, either. */
const ASK_JUDGE_EVERY = 8;

/** A transcript, and what is true of it. */
export interface Trial {
  readonly bytes: Buffer;
  /** Its number; it decides what is asked of a scanner. */
  readonly file: number;
  readonly options: ScannerOptions;
  readonly truth: Outcome;
  readonly judge: ScannerFactory;
}

/** Asks the judge for the truth: what it says of the transcript in one piece. */
export function createTrial(bytes: Buffer, file: number, judge: ScannerFactory): Trial {
  const options = { withUsage: file % 3 > 0 };
  return { bytes, file, options, judge, truth: scanInOnePiece(bytes, () => judge(options)) };
}

/** Where one of a scanner's facts differs from the truth in any of the ways of scanning, or what it threw; null when all is alike. */
export function tryScanner(trial: Trial, createScanner: ScannerFactory): string | null {
  const { bytes, file, options, truth } = trial;
  const create = (): TranscriptScanner => createScanner(options);
  for (const { way, result } of scanInAllWays(bytes, create, createRandom(file))) {
    if ('thrown' in result) return `${way}, it throws: ${result.thrown}`;
    const difference = firstDifference(truth.result, result);
    if (difference !== null) return `${way}, it differs at facts${difference}`;
  }
  return tryWithoutHashes(trial, createScanner) ?? tryPlain(trial, createScanner);
}

/** What a scanner says of a plain transcript is what is said of the facts. */
function tryPlain({ bytes, judge, truth }: Trial, createScanner: ScannerFactory): string | null {
  if ('thrown' in truth.result) return null;
  for (const withHashes of [false, true]) {
    const plain = scanPlain(bytes, createScanner({ withHashes }));
    if (plain === null) continue;
    const facts = scanWith(bytes, judge({}));
    const difference = firstDifference(describeSession(FILE, examineFacts(facts)), describePlain(FILE, plain));
    if (difference !== null) return `as a plain transcript, its verdict differs at ${difference}`;
  }
  return null;
}

const FILE = '/p/s.jsonl';
const { selfHealMs } = clientRules(SIMULATED_CLIENT);

function scanPlain(bytes: Buffer, scanner: TranscriptScanner): PlainTranscript | null {
  scanner.push(bytes);
  const plain = scanner.endPlain?.(selfHealMs) ?? null;
  // An instance that is not given back would be made anew for each transcript.
  if (plain === null) scanner.end();
  return plain;
}

function scanWith(bytes: Buffer, scanner: TranscriptScanner): TranscriptFacts {
  scanner.push(bytes);
  return scanner.end();
}

/** Where no two rows have one uuid, or the scanner says that they may, rows need not be told from their copies. */
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

/** Holds a scanner against the judge, and now and then the judge against itself. */
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
