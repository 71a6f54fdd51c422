import assert from 'node:assert/strict';
import { LARGE_FILE_BYTES } from '../../rooms/transcript';
import type { ScannedSession } from '../../../src/protocol/session';
import { RULE_VERSIONS } from '../../rooms/loader';
import { diagnosticsFor } from '../../rooms/diagnose';
import { verdictOf } from '../../support/diagnosed';
import { createRandom, type Random } from '../../support/random';
import { randomSession } from '../../support/randomSession';
import { scanBytes } from '../../support/scanBytes';
import { wasmScanners } from '../../support/scannerModule';
import {
  boundary,
  call,
  chainRow,
  lastPrompt,
  prompt,
  reply,
  result,
  type RowFields,
  transcript,
  uuidOf,
} from '../../support/transcriptBuilder';

const SESSIONS = 6000;
const LARGE_SESSIONS = 500;
/** Makes a transcript that is read by the client's reader for large files. */
const PADDING = Buffer.from(`${JSON.stringify({ type: 'queue-operation', content: 'x'.repeat(LARGE_FILE_BYTES) })}\n`);
const START_MS = Date.UTC(2026, 5, 1, 10);

describe('The fast scanner’s verdict, which may rest on a proof that the transcript is straight', () => {
  it(`equals the loader’s verdict on the rows for ${SESSIONS} random sessions`, () => {
    const seen = compare((random) => randomSession(random));
    assert.ok(
      seen.straight > SESSIONS / 60 && seen.corrupted > SESSIONS / 20 && seen.partly > SESSIONS / 10,
      JSON.stringify(seen),
    );
  }).timeout(60_000);

  it(`equals the loader’s verdict on the rows for ${SESSIONS} straight or nearly straight sessions`, () => {
    const seen = compare((random) => transcript(nearlyStraight(random)));
    assert.ok(seen.straight > SESSIONS / 4 && seen.straight < SESSIONS * 0.75, JSON.stringify(seen));
    assert.ok(seen.partly > SESSIONS / 4 && seen.corrupted > SESSIONS / 20, JSON.stringify(seen));
  }).timeout(60_000);

  it('rests on that proof although the newest last-prompt is from before the last compaction', () => {
    const before = [prompt('p1', null), reply('r1', 'p1'), lastPrompt('r1')];
    const after = [boundary('b', null), prompt('p2', 'b'), reply('r2', 'p2')];
    for (const [rows, isStraight] of [
      [[...before, ...after], true],
      [[...after, ...before.slice(2)], false],
    ] as const) {
      const scanner = wasmScanners()();
      const bytes = transcript(rows);
      scanner.push(bytes);
      const [verdict, isProven] = scanner.read((index) => [verdictOf(index), index.straight !== null]);
      assert.equal(isProven, isStraight);
      assert.deepEqual(verdict, verdictOf(scanBytes(bytes)));
    }
  });

  it('does not rest on it if the last message has no readable time, which some clients need', () => {
    const note = chainRow('system', 'n', 'r', { subtype: 'turn_duration' });
    for (const rows of [[], [note]]) {
      const scanner = wasmScanners()();
      const bytes = transcript([prompt('p', null), reply('r', 'p', { timestamp: 'yesterday' }), ...rows]);
      scanner.push(bytes);
      const of = diagnosticsFor('2.1.329');
      const [verdict, isProven] = scanner.read((index) => [verdictOf(index, undefined, of), index.straight !== null]);
      assert.equal(isProven, false);
      assert.deepEqual(verdict, verdictOf(scanBytes(bytes), undefined, of));
      assert.equal(verdict.result.resume.loads, 0);
    }
  });

  it('does not rest on it if a message goes on behind a prompt, or the output of a command', () => {
    const output = { subtype: 'local_command', content: '<local-command-stdout>done</local-command-stdout>' };
    for (const between of [prompt('x', 'o2'), chainRow('system', 'x', 'o2', output)]) {
      const scanner = wasmScanners()();
      const bytes = transcript([
        ...[prompt('p', null), call('a1', 'p', 't1', { message: 'a' })],
        chainRow('attachment', 'n', 'a1', { attachment: { type: 'y' }, rendered: [{ content: 'It rains.' }] }),
        ...[call('a2', 'n', 't2', { message: 'a' }), result('o1', 'a2', 't1'), result('o2', 'o1', 't2'), between],
        ...[call('a3', 'x', 't3', { message: 'a' }), result('o3', 'a3', 't3'), reply('e', 'o3')],
      ]);
      scanner.push(bytes);
      const [verdict, isProven] = scanner.read((index) => [verdictOf(index), index.straight !== null]);
      assert.equal(isProven, false);
      assert.deepEqual(verdict, verdictOf(scanBytes(bytes)));
    }
  });

  it(`is what the loader says of the rows that the reader for large files leaves, for ${LARGE_SESSIONS} large sessions`, () => {
    const createScanner = wasmScanners();
    let straight = 0;
    for (let seed = 1; seed <= LARGE_SESSIONS; seed++) {
      const random = createRandom(seed);
      const rows = random.below(5) === 0 ? randomSession(random) : transcript(nearlyStraight(random));
      const bytes = Buffer.concat([PADDING, rows]);
      const scanner = createScanner();
      scanner.push(bytes);
      const verdict = scanner.read((index) => (index.straight === null ? null : verdictOf(index)));
      if (verdict === null) continue;
      straight++;
      assert.deepEqual(verdict, verdictOf(scanBytes(bytes, createScanner)), `seed ${seed}: ${rows.toString()}`);
    }
    assert.ok(straight > LARGE_SESSIONS / 6 && straight < LARGE_SESSIONS * 0.75, `${straight} straight`);
  }).timeout(60_000);
});

interface Seen {
  straight: number;
  corrupted: number;
  /** A part of it is not loaded. */
  partly: number;
}

/** Compares the verdicts of the fast scanner with those on the plain scanner's rows. */
function compare(make: (random: Random) => Buffer): Seen {
  const createScanner = wasmScanners();
  const seen: Seen = { straight: 0, corrupted: 0, partly: 0 };
  for (let seed = 1; seed <= SESSIONS; seed++) {
    const bytes = make(createRandom(seed));
    // Half of them by the rules of the newest client.
    const diagnostics = diagnosticsFor(seed % 2 === 0 ? undefined : RULE_VERSIONS[(seed >>> 1) % RULE_VERSIONS.length]);
    const scanner = createScanner();
    scanner.push(bytes);
    const verdict = scanner.read((index): ScannedSession => {
      if (index.straight !== null) seen.straight++;
      return verdictOf(index, undefined, diagnostics);
    });
    assert.deepEqual(verdict, verdictOf(scanBytes(bytes), undefined, diagnostics), `seed ${seed}: ${bytes.toString()}`);
    if (verdict.result.status === 'corrupted') seen.corrupted++;
    if (verdict.result.resume.loads < verdict.result.resume.of) seen.partly++;
  }
  return seen;
}

/**
 * Turns with parallel calls, compactions and progress rows, with up to two changes, most of which make it not straight.
 */
function nearlyStraight(random: Random): RowFields[] {
  const rows: RowFields[] = [];
  let last: string | null = null;
  const add = (row: RowFields, name: string): void => {
    rows.push(row);
    last = name;
  };
  const turns = 1 + random.below(4);
  for (let turn = 0; turn < turns; turn++) {
    if (turn > 0 && random.below(4) === 0) add(boundary(`b${turn}`, null), `b${turn}`);
    add(prompt(`p${turn}`, last), `p${turn}`);
    if (random.below(2) === 0) rows.push(lastPrompt(random.below(4) === 0 ? `c${turn}.0` : last));
    const calls = random.below(4);
    for (let at = 0; at < calls; at++) {
      const name = `c${turn}.${at}`;
      add(call(name, last, `t${name}`, { message: `m${turn}` }), name);
    }
    if (calls > 0 && random.below(3) === 0) add(chainRow('progress', `x${turn}`, last), `x${turn}`);
    const order = Array.from({ length: calls }, (_, at) => at);
    if (random.below(3) === 0) order.reverse();
    for (const at of order) add(result(`a${turn}.${at}`, `c${turn}.${at}`, `tc${turn}.${at}`), `a${turn}.${at}`);
    add(reply(`r${turn}`, last), `r${turn}`);
  }
  for (let changes = random.below(3); changes > 0; changes--) change(rows, random);
  return rows;
}

/** Changes one row, or moves it. */
function change(rows: RowFields[], random: Random): void {
  const at = random.below(rows.length);
  const row = rows[at] ?? {};
  const other = rows[random.below(rows.length)] ?? {};
  switch (random.below(14)) {
    case 0:
      rows[at] = { ...row, parentUuid: other['uuid'] ?? null };
      break;
    case 1:
      rows[at] = { ...row, parentUuid: random.below(2) === 0 ? null : uuidOf('lost') };
      break;
    case 2:
      rows.splice(at, 1);
      break;
    case 3:
      rows.splice(at, 0, other);
      break;
    case 4:
      rows[at] = { ...row, isSidechain: true };
      break;
    case 5:
      rows[at] = { ...row, isApiErrorMessage: true, message: { ...(row['message'] ?? {}), model: '<synthetic>' } };
      break;
    case 6:
      rows[at] = { ...row, message: other['message'] };
      break;
    case 7:
      rows.splice(at, 1);
      rows.splice(random.below(rows.length + 1), 0, row);
      break;
    case 8:
      rows.length = Math.max(1, at);
      break;
    case 9:
      rows.splice(at, 0, chainRow('system', 'snapshot', null, { ...row, subtype: 'file_snapshot', type: 'system' }));
      break;
    case 10:
      rows[at] = { ...row, timestamp: random.pick([undefined, START_MS + at * 30_000, 'x']) };
      break;
    case 11: {
      const content = random.pick<unknown>(['said', ' ', [null], ['x', { type: 'text', text: 'y' }], 5]);
      rows[at] = { ...row, message: random.below(4) === 0 ? null : { role: 'assistant', content } };
      break;
    }
    case 12:
      rows.push(lastPrompt(null, { leafUuid: other['uuid'] ?? null, explicit: random.below(2) === 0 }));
      break;
    default: {
      const content = [{ type: 'text', text: 'No response requested.' }];
      rows.splice(at, 0, chainRow('assistant', 'none', null, { message: { role: 'assistant', content } }));
    }
  }
}
