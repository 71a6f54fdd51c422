import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigDirUsage, describeSpending, PriceBook } from '../../rooms/usage';
import { FIXTURES } from '../../support/fixtures';
import { wasmScanners } from '../../support/scannerModule';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { countAll, plain, plainScanner, report, roundedSum } from './createCounter';
import { reckonSlowly, sessionKey, type SlowReckoning, type SlowSum } from './slowReckoning';
import { writeUsageCorpus } from './usageCorpus';

const SEEDS = 25;
const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'];

describe('The token usage equals that of a slow reference implementation', () => {
  for (const [name, createScanner] of [
    ['the plain scanner', plainScanner],
    ['the fast scanner', wasmScanners()],
  ] as const) {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const zone = ZONES[seed % ZONES.length] ?? 'UTC';
      it(`for a random corpus, with ${name}, in ${zone} (seed ${seed})`, () =>
        withTemporaryFolder(async (folder) => {
          writeUsageCorpus(folder, seed);
          const usage = await countAll(folder, { createScanner });
          assertSame(usage, reckonSlowly(join(folder, 'projects'), zone), zone);
        }));
    }
    it(`for all recordings, with ${name}`, async () => {
      const recordings = join(FIXTURES, 'recordings');
      for (const recording of readdirSync(recordings)) {
        const configDir = join(recordings, recording, 'dot-claude');
        const usage = await countAll(configDir, { createScanner });
        const slow = reckonSlowly(join(configDir, 'projects'), 'Asia/Kathmandu');
        assert.ok(slow.total.messages > 0, recording);
        assertSame(usage, slow, 'Asia/Kathmandu');
      }
    });
  }
});

function assertSame(usage: ConfigDirUsage, slow: SlowReckoning, zone: string): void {
  for (const by of ['day', 'model', 'project'] as const) {
    const { rows, totals } = report(usage, by, zone);
    assert.deepEqual(plain(totals), roundedSum(slow.total));
    const expected = slow[`${by}s`];
    const found = Object.fromEntries(
      rows.map((row) => [by === 'project' ? (row.filePath ?? '') : row.key, plain(row)]),
    );
    assert.deepEqual(found, allRounded(expected), by);
  }
  const sessions = Object.fromEntries(
    [...usage.index.sessions]
      .map((session) => {
        const { own, subagents, total, shared } = describeSpending(usage.index, session, new PriceBook({}));
        const key = sessionKey({ project: session.project, session: session.sessionId });
        return [key, allPlain({ own, subagents, total, shared })] as const;
      })
      .filter(([, { total }]) => total.messages > 0),
  );
  const expected = Object.entries(slow.sessions).map(([key, session]) => [key, allRounded({ ...session })]);
  assert.deepEqual(sessions, Object.fromEntries(expected));
}

function allRounded<K extends string>(sums: Readonly<Record<K, SlowSum>>): Record<K, SlowSum> {
  // SAFETY: the same keys.
  return Object.fromEntries(Object.entries<SlowSum>(sums).map(([key, sum]) => [key, roundedSum(sum)])) as Record<
    K,
    SlowSum
  >;
}

function allPlain<K extends string>(spendings: Readonly<Record<K, Parameters<typeof plain>[0]>>): Record<K, SlowSum> {
  // SAFETY: the same keys.
  return Object.fromEntries(
    Object.entries<Parameters<typeof plain>[0]>(spendings).map(([key, each]) => [key, plain(each)]),
  ) as Record<K, SlowSum>;
}
