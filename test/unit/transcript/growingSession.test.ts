import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Diagnostics, diagnosticsFor, GrowingSession } from '../../rooms/diagnose';
import { RULE_VERSIONS } from '../../rooms/loader';
import { LARGE_FILE_BYTES, needsMessageHashes, ReferenceScanner, type TranscriptIndex } from '../../rooms/transcript';
import type { ScannedSession } from '../../../src/protocol/session';
import { damage } from '../../support/damage';
import { DIAGNOSTICS, loaded, verdictOf } from '../../support/diagnosed';
import { FIXTURES, listRecordings } from '../../support/fixtures';
import { createRandom } from '../../support/random';
import { randomCalls } from '../../support/randomCalls';
import { randomSession } from '../../support/randomSession';
import { scanBytes } from '../../support/scanBytes';
import { assistant, call, prompt, result, transcript } from '../../support/transcriptBuilder';

const NEWLINE = 10;
const RECORDINGS = listRecordings().map((file) => readFileSync(join(FIXTURES, file)));
const DAMAGES_OF_EACH = 12;
const SESSIONS = 1500;
const DISORDERS = 300;

interface Growth {
  /** Steps that added complete lines and were answered incrementally. */
  readonly grown: number;
  readonly steps: number;
}

/** Before the rows of a large transcript. */
const PADDING = Buffer.from(`${JSON.stringify({ type: 'queue-operation', content: 'x'.repeat(LARGE_FILE_BYTES) })}\n`);

/**
 * Lets a transcript grow line by line, and compares each verdict with that of a full load. One scanner reads it line after line; the
 * last index must be worth as much as that of a scan of the whole.
 */
function growLineByLine(
  bytes: Buffer,
  what: string,
  diagnostics: Diagnostics = DIAGNOSTICS,
  { isLarge }: { readonly isLarge: boolean } = { isLarge: false },
): Growth {
  const padding = isLarge ? PADDING : Buffer.alloc(0);
  const scanUpTo = (end: number): TranscriptIndex => scanBytes(Buffer.concat([padding, bytes.subarray(0, end)]));
  const scannerOf = (withMessageHashes: boolean): ReferenceScanner => {
    const created = new ReferenceScanner({ withByteRows: isLarge, withMessageHashes });
    created.push(padding);
    return created;
  };
  let scanner = scannerOf(false);
  let isHashed = false;
  let growing = null as GrowingSession | null;
  let last = null as ScannedSession | null;
  let grown = 0;
  let steps = 0;
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE) + 1; end > 0; end = bytes.indexOf(NEWLINE, end) + 1) {
    scanner.push(bytes.subarray(start, end));
    start = end;
    if (!isHashed && needsMessageHashes(scanner.index())) {
      // A transcript that is followed is then read again, and on from there.
      isHashed = true;
      scanner = scannerOf(true);
      scanner.push(bytes.subarray(0, end));
    }
    const live = scanner.index();
    const index = live.isOpen ? scanUpTo(end) : live;
    last = verdictOf(index, undefined, diagnostics);
    const reported = growing?.grow(index) ?? null;
    if (reported === null) growing = GrowingSession.from(last, loaded(index, diagnostics), diagnostics.checks);
    else {
      assert.deepEqual(reported, last, `${what}, up to byte ${end}`);
      grown++;
    }
    steps++;
  }
  // Reading the padding again takes longer than all the rest.
  if (!isLarge && steps > 0) assert.deepEqual(last, verdictOf(scanUpTo(start), undefined, diagnostics), what);
  return { grown, steps };
}

describe('A growing session', () => {
  it('gives the verdict of a full load after each line of the recordings', () => {
    let grown = 0;
    let steps = 0;
    for (const [at, bytes] of RECORDINGS.entries()) {
      const growth = growLineByLine(bytes, `recording ${at}`);
      grown += growth.grown;
      steps += growth.steps;
    }
    assert.ok(steps > 300, `${steps} steps`);
    // It must not load the whole transcript each time.
    assert.ok(grown / steps > 0.5, `${grown} of ${steps}`);
  });

  it('gives the verdict of a full load for damaged transcripts', () => {
    let grown = 0;
    for (const [at, bytes] of RECORDINGS.entries()) {
      for (let seed = 1; seed <= DAMAGES_OF_EACH; seed++) {
        const damaged = damage(bytes, seed * 1000 + at);
        grown += growLineByLine(damaged.bytes, `recording ${at}, ${damaged.operations.join('; ')}`).grown;
      }
    }
    assert.ok(grown > 1000, `${grown} steps`);
  }).timeout(180_000);

  it('equals a full load if the file has more than 5 MiB, whole or damaged', () => {
    let grown = 0;
    let steps = 0;
    let damagedGrown = 0;
    for (const [at, bytes] of RECORDINGS.entries()) {
      const growth = growLineByLine(bytes, `large recording ${at}`, DIAGNOSTICS, { isLarge: true });
      grown += growth.grown;
      steps += growth.steps;
      for (let seed = 1; seed <= DAMAGES_OF_EACH; seed++) {
        const damaged = damage(bytes, seed * 1000 + at);
        // Half of them by the rules of the newest client.
        const version = seed % 2 === 0 ? undefined : RULE_VERSIONS[(at + (seed >>> 1)) % RULE_VERSIONS.length];
        const what = `large recording ${at}, ${version ?? 'newest'}, ${damaged.operations.join('; ')}`;
        damagedGrown += growLineByLine(damaged.bytes, what, diagnosticsFor(version), { isLarge: true }).grown;
      }
    }
    assert.ok(grown / steps > 0.4, `${grown} of ${steps}`);
    assert.ok(damagedGrown > 1000, `${damagedGrown} steps`);
  }).timeout(180_000);

  it('equals a full load if a result that was found by the id of its call is behind a message that goes on', () => {
    const rows = [
      prompt('p', null),
      call('c1', 'p', 't1', { message: 'm' }),
      prompt('x', 'c1'),
      result('o1', 'x', 't1'),
      call('c2', 'c1', 't2', { message: 'm' }),
      assistant('r', 'c2', [{ type: 'text', text: 'said' }], {}, 'm'),
    ];
    growLineByLine(Buffer.from(transcript(rows)), 'a message that goes on');
  });

  it('equals a full load for calls and results in any order', () => {
    let grown = 0;
    for (let seed = 1; seed <= DISORDERS; seed++) {
      const bytes = Buffer.from(transcript(randomCalls(createRandom(seed))));
      const version = RULE_VERSIONS[seed % RULE_VERSIONS.length] ?? '';
      grown += growLineByLine(bytes, `seed ${seed}, ${version}`, diagnosticsFor(version)).grown;
    }
    assert.ok(grown > DISORDERS, `${grown} steps`);
  });

  it('equals a full load by the rules of every client version', () => {
    let grown = 0;
    for (let seed = 1; seed <= SESSIONS; seed++) {
      const random = createRandom(seed);
      const bytes = randomSession(random);
      const version = RULE_VERSIONS[seed % RULE_VERSIONS.length] ?? '';
      grown += growLineByLine(bytes, `seed ${seed}, ${version}`, diagnosticsFor(version)).grown;
    }
    for (const [at, bytes] of RECORDINGS.entries()) {
      const version = RULE_VERSIONS[at % RULE_VERSIONS.length] ?? '';
      const damaged = damage(bytes, at);
      const what = `recording ${at}, ${version}, ${damaged.operations.join('; ')}`;
      grown += growLineByLine(damaged.bytes, what, diagnosticsFor(version)).grown;
    }
    assert.ok(grown > SESSIONS, `${grown} steps`);
  }).timeout(180_000);
});
