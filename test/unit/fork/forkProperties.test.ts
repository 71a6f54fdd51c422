import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describePlain, describeSession } from '../../../src/core/catalog/describeSession';
import { examineFacts } from '../../../src/core/catalog/scanSession';
import type { ForkOutcome } from '../../../src/shared/fork';
import { damage } from '../../support/damage';
import { FIXTURES, listDamageBases } from '../../support/fixtures';
import { createRandom } from '../../support/random';
import { randomSession } from '../../support/randomSession';
import { readRow, splitRows } from '../../support/rowText';
import { scanBytes } from '../../support/scanBytes';
import { cutByPointer } from './cutOracle';
import { chainOf, rowsOf, withForkFixture } from './forkFixture';

void describePlain;

function uuidsOf(bytes: Buffer): string[] {
  const uuids = splitRows(bytes).flatMap((row) => {
    const uuid = readRow(row)?.uuid;
    return typeof uuid === 'string' && uuid !== '' ? [uuid] : [];
  });
  return [...new Set(uuids)];
}

const refusals = new Map<string, number>();
let forked = 0;

function assertHealthy(filePath: string): void {
  const { result } = describeSession(filePath, examineFacts(scanBytes(readFileSync(filePath))));
  assert.equal(result.status, 'healthy');
  assert.deepEqual(result.findings, []);
  assert.equal(result.orphanCount, 0);
}

function assertIsCut(outcome: ForkOutcome, bytes: Buffer, uuid: string): void {
  if (outcome.kind === 'refused') {
    if (outcome.reason === 'not-forkable' && outcome.problem.includes('would not')) console.log('NOT', uuid);
    refusals.set(outcome.problem, (refusals.get(outcome.problem) ?? 0) + 1);
    return;
  }
  forked++;
  const expected = cutByPointer(bytes, uuid);
  if (expected.leaf !== uuid) {
    refusals.set('oracle', (refusals.get('oracle') ?? 0) + 1);
    assertHealthy(outcome.result.filePath);
    return;
  }
  const chain = chainOf(rowsOf(outcome.result.filePath));
  assert.deepEqual(chain.map((row) => row['uuid']).sort(), [...expected.history].sort());
  assertHealthy(outcome.result.filePath);
}

describe('x', function () {
  this.timeout(600000);
  it('random', async () => {
    const from = Number(process.env['FROM'] ?? 1),
      to = Number(process.env['TO'] ?? 150);
    for (let seed = from; seed <= to; seed++) {
      const bytes = process.env['DAMAGE']
        ? damage(readFileSync(join(FIXTURES, listDamageBases()[seed % listDamageBases().length]!)), seed).bytes
        : randomSession(createRandom(seed));
      await withForkFixture(bytes, async (f) => {
        for (const uuid of [...uuidsOf(bytes)]) {
          const o = await f.fork({ at: uuid });
          try {
            assertIsCut(o, bytes, uuid);
          } catch (e) {
            console.log('seed', seed, uuid, (e as Error).message.slice(0, 700));
          }
          if (o.kind === 'forked') rmSync(o.result.filePath);
        }
        assert.ok(readFileSync(f.filePath).equals(bytes));
      });
    }
    console.log(forked, refusals);
  });
});
