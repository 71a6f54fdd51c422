import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConversationOrder, TranscriptState } from '../rooms/conversation';
import { NO_ID, ReferenceScanner, type ScannerFactory } from '../rooms/transcript';
import type { ConversationView } from '../../src/protocol/conversation';
import { damage } from '../support/damage';
import { FIXTURES, listRecordings } from '../support/fixtures';
import { createRandom } from '../support/random';
import { randomSession } from '../support/randomSession';
import { scanBytes } from '../support/scanBytes';
import { wasmScanners } from '../support/scannerModule';
import { boundary, call, prompt, result, transcript, uuidOf } from '../support/transcriptBuilder';
import { CHAIN, FILE } from '../unit/conversation/readView';
import { plainScanner } from '../support/plainScanner';

const NEWLINE = 10;
const RECORDINGS = listRecordings().map((file) => readFileSync(join(FIXTURES, file)));
const DAMAGES_OF_EACH = 8;
const RANDOM_SESSIONS = 150;

interface Growth {
  grown: number;
  steps: number;
}

/** All that an order contains, row by row, whatever the capacity of its arrays. */
function reported(order: ConversationOrder, rowCount: number): unknown {
  const rows = Array.from({ length: rowCount }, (_, row) => row);
  return {
    kinds: [...order.kinds],
    values: [...order.values],
    count: order.count,
    items: rows.map((row) => order.itemOfRow[row] ?? NO_ID),
    calls: rows.map((row) => order.pairs.callOf(row)),
    results: rows.map((row) => order.pairs.resultsOf(row)),
    branches: [...order.branches],
  };
}

/** The chain view, the file view, and a view for each branch of the chain. */
function viewsOf(state: TranscriptState): ConversationView[] {
  const leaves = [...state.order(CHAIN).branches.values()].flat().map(({ leaf }) => leaf);
  const branches = leaves.map((leaf) => ({ kind: 'branch' as const, leafLine: state.index.rows.line(leaf) }));
  return [CHAIN, FILE, ...branches.slice(0, 3)];
}

function compare(state: TranscriptState, whole: TranscriptState, what: string): void {
  assert.deepEqual(state.session, whole.session, what);
  const { count } = whole.index.rows;
  for (let row = 0; row < count; row++) {
    assert.equal(state.isLoaded(row), whole.isLoaded(row), `${what}: row ${row} is loaded`);
    assert.equal(state.pathPrefix(row), whole.pathPrefix(row), `${what}: paths of row ${row}`);
  }
  for (const view of viewsOf(whole)) {
    assert.deepEqual(
      reported(state.order(view), count),
      reported(whole.order(view), count),
      `${what}: ${JSON.stringify(view)}`,
    );
  }
}

/** Lets a transcript grow by some lines at a time, and compares each state with that of the whole. */
function grow(bytes: Buffer, createScanner: ScannerFactory, linesAtOnce: number, what: string, growth: Growth): void {
  const scanner = createScanner();
  const other = new ReferenceScanner();
  let state = null as TranscriptState | null;
  let from = 0;
  let lines = 0;
  for (let end = bytes.indexOf(NEWLINE) + 1; end > 0; end = bytes.indexOf(NEWLINE, end) + 1) {
    if (++lines % linesAtOnce !== 0) continue;
    state?.prepareToGrow();
    scanner.push(bytes.subarray(from, end));
    other.push(bytes.subarray(from, end));
    from = end;
    const index = scanner.index();
    // A transcript that is followed is then read again.
    if (index.isOpen) continue;
    const grown = state?.grow(lines, index) ?? null;
    state = grown ?? new TranscriptState(lines, '/p/s.jsonl', index);
    growth.steps++;
    if (grown === null) {
      // The views that a panel requests are already in use when the next rows arrive.
      for (const view of viewsOf(state)) state.order(view);
      continue;
    }
    growth.grown++;
    // Both read line by line; now and then, the file is read at once.
    const whole = new TranscriptState(
      lines,
      '/p/s.jsonl',
      growth.grown % 8 === 0 ? scanBytes(bytes.subarray(0, end)) : other.index(),
    );
    compare(grown, whole, `${what}, up to byte ${end}`);
  }
}

for (const [name, createScanner] of [
  ['ReferenceScanner', plainScanner],
  ['WasmScanner', wasmScanners()],
] as const) {
  describe(`The state of a growing transcript (${name})`, () => {
    it('equals the state of the whole, after each line of the recordings', () => {
      const growth: Growth = { grown: 0, steps: 0 };
      for (const [at, bytes] of RECORDINGS.entries()) grow(bytes, createScanner, 1, `recording ${at}`, growth);
      assert.ok(growth.steps > 300, `${growth.steps} steps`);
      // It must not load the whole transcript each time.
      assert.ok(growth.grown / growth.steps > 0.5, `${growth.grown} of ${growth.steps}`);
    }).timeout(120_000);

    it('equals the state of the whole for damaged transcripts', () => {
      const growth: Growth = { grown: 0, steps: 0 };
      for (const [at, bytes] of RECORDINGS.entries()) {
        for (let seed = 1; seed <= DAMAGES_OF_EACH; seed++) {
          const { bytes: damaged, operations } = damage(bytes, seed * 1000 + at);
          grow(damaged, createScanner, 1 + (seed % 3), `recording ${at}, ${operations.join('; ')}`, growth);
        }
      }
      assert.ok(growth.grown > 500, `${growth.grown} steps`);
    }).timeout(120_000);

    it('equals the state of the whole for random sessions', () => {
      const growth: Growth = { grown: 0, steps: 0 };
      for (let seed = 1; seed <= RANDOM_SESSIONS; seed++) {
        grow(randomSession(createRandom(seed)), createScanner, 1 + (seed % 2), `seed ${seed}`, growth);
      }
      assert.ok(growth.grown > 100, `${growth.grown} steps`);
    }).timeout(120_000);

    it('equals the state of the whole when a result replaces one from before the call', () => {
      const rows = [
        prompt('p1', null),
        result('early', 'p1', 'a'),
        // Nothing before it is loaded.
        boundary('b', null, { preservedMessages: { anchorUuid: uuidOf('b'), uuids: [] } }),
        prompt('p2', 'b'),
        call('c', 'p2', 'a'),
        result('t', 'c', 'a'),
      ];
      const growth: Growth = { grown: 0, steps: 0 };
      grow(transcript(rows), createScanner, 1, 'an early result', growth);
      assert.ok(growth.grown > 0);
    });
  });
}
