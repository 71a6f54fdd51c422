import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ForkOutcome } from '../../../../src/protocol/history';
import { damage } from '../../../support/damage';
import { verdictOf } from '../../../support/diagnosed';
import { FIXTURES, listDamageBases } from '../../../support/fixtures';
import { createRandom, type Random } from '../../../support/random';
import { randomSession } from '../../../support/randomSession';
import { readRow, splitRows } from '../../../support/rowText';
import { scanBytes } from '../../../support/scanBytes';
import { cutByPointer, loadedNow } from './cutOracle';
import { chainOf, type ForkFixture, rowsOf, withForkFixture } from './forkFixture';

const SESSIONS = 40;
const DAMAGED = 12;
/** Number of forks of each transcript. */
const CUTS = 3;

describe('A fork of a random transcript', function () {
  this.timeout(60_000);

  it(`holds what Claude would load with its last row as the leaf, and is healthy: ${SESSIONS} sessions`, async () => {
    const seen = await forkAll(SESSIONS, (seed) => randomSession(createRandom(seed)));
    assert.ok(seen.compared > SESSIONS * 2 && seen.before > SESSIONS / 2, JSON.stringify(seen));
    assert.ok(seen.refused < seen.compared / 2, JSON.stringify(seen));
  });

  it(`does so for damaged recordings, too: ${DAMAGED} of them`, async () => {
    const bases = listDamageBases().map((file) => readFileSync(join(FIXTURES, file)));
    const damaged = (seed: number): Buffer => damage(bases[seed % bases.length] ?? Buffer.alloc(0), seed).bytes;
    const seen = await forkAll(DAMAGED, damaged);
    assert.ok(seen.compared > DAMAGED * 2, JSON.stringify(seen));
    assert.ok(seen.refused < seen.compared / 4, JSON.stringify(seen));
  });
});

interface Seen {
  compared: number;
  before: number;
  refused: number;
}

async function forkAll(count: number, transcriptOf: (seed: number) => Buffer): Promise<Seen> {
  const seen = { compared: 0, before: 0, refused: 0 };
  for (let seed = 1; seed <= count; seed++) {
    const bytes = transcriptOf(seed);
    await withForkFixture(bytes, async (fixture) => {
      for (const uuid of someUuids(bytes, createRandom(seed))) {
        await assertIsCut(fixture, bytes, uuid, seen).catch((error: unknown) => {
          throw new Error(`seed ${seed}, row ${uuid}`, { cause: error });
        });
        assert.ok(readFileSync(fixture.filePath).equals(bytes));
      }
    });
  }
  return seen;
}

async function assertIsCut(fixture: ForkFixture, bytes: Buffer, uuid: string, seen: Seen): Promise<void> {
  const outcome = await fixture.fork({ at: uuid });
  const above = await fixture.fork({ at: uuid, isBefore: true });
  for (const each of [outcome, above]) if (each.kind === 'forked') assertHealthy(each);
  if (outcome.kind === 'refused') {
    seen.refused++;
    return;
  }
  const now = loadedNow(bytes);
  const expected = now.leaf === uuid ? now : cutByPointer(bytes, uuid);
  // A row that Claude does not load stands for its parent, which is not true of the pointer.
  if (expected.leaf !== uuid) return;
  seen.compared++;
  assert.deepEqual(uuidsIn(outcome).sort(), [...expected.history].sort());
  const loaded = loadedNow(readFileSync(outcome.result.filePath));
  assert.deepEqual([...loaded.sent].sort(), [...expected.sent].sort());
  if (above.kind === 'forked') {
    seen.before++;
    assert.ok(!uuidsIn(above).includes(uuid));
  }
  for (const { result } of [outcome, above].filter((each) => each.kind === 'forked')) rmSync(result.filePath);
}

function uuidsIn(outcome: ForkOutcome & { kind: 'forked' }): string[] {
  return chainOf(rowsOf(outcome.result.filePath)).map((row) => String(row['uuid']));
}

function assertHealthy({ result, loads, of }: ForkOutcome & { kind: 'forked' }): void {
  const scanned = verdictOf(scanBytes(readFileSync(result.filePath))).result;
  assert.deepEqual([scanned.status, scanned.findings, scanned.orphanCount], ['healthy', [], 0]);
  assert.deepEqual([scanned.resume.loads, scanned.resume.of], [loads, of]);
}

function someUuids(bytes: Buffer, random: Random): string[] {
  const all = splitRows(bytes).flatMap((row) => {
    const uuid = readRow(row)?.uuid;
    return typeof uuid === 'string' && uuid !== '' ? [uuid] : [];
  });
  const [first, ...others] = new Set(all);
  return first === undefined ? [] : Array.from({ length: CUTS }, () => random.pick([first, ...others]));
}
