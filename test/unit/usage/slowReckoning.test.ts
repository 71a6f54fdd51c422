import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  addDays,
  type ConfigDirUsage,
  describeOverview,
  describeSpending,
  LocalDays,
  PriceBook,
} from '../../rooms/usage';
import { FIXTURES } from '../../support/fixtures';
import { wasmScanners } from '../../support/scannerModule';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { countAll, plain, report, roundedSum } from './createCounter';
import { reckonSlowly, sessionKey, type SlowReckoning, type SlowSum } from './slowReckoning';
import { writeUsageCorpus } from './usageCorpus';
import { plainScanner } from '../../support/plainScanner';

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
  assertSameOverview(usage, slow, zone);
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

/** The calendar and the figures of the cache, as of noon on a day in the middle of the corpus. */
function assertSameOverview(usage: ConfigDirUsage, slow: SlowReckoning, zone: string): void {
  const known = Object.keys(slow.days).filter((day) => day !== 'unknown');
  const today = known.sort()[known.length >> 1] ?? '2026-11-22';
  const { calendar, ranges } = describeOverview(usage.index, {
    timeZone: zone,
    calendar: new LocalDays(zone),
    prices: new PriceBook({}),
    nowMs: Date.parse(`${today}T12:00:00Z`),
    cwdOf: () => null,
  });
  assert.equal(calendar.firstDay, addDays(today, -370));
  const expected = Array.from({ length: 371 }, (_, at) => slow.days[addDays(today, at - 370)]);
  assert.deepEqual(
    calendar.messages,
    expected.map((sum) => sum?.messages ?? 0),
  );
  assert.deepEqual(
    calendar.tokens,
    expected.map((sum) => (sum === undefined ? 0 : sum.input + sum.output + sum.writes + sum.reads)),
  );
  for (const [at, usd] of calendar.usd.entries()) assertSameUsd(usd, expected[at]?.usd ?? 0);
  const caches = ranges.find(({ range }) => range === 'all')?.cache ?? [];
  assert.deepEqual(
    Object.fromEntries(
      caches.map(({ model, promptTokens, readTokens }) => [model ?? 'unknown', [promptTokens, readTokens]]),
    ),
    Object.fromEntries(Object.entries(slow.caches).map(([model, { prompt, read }]) => [model, [prompt, read]])),
  );
  for (const { model, savedUsd, writeExtraUsd } of caches) {
    const { saved = NaN, extra = NaN } = slow.caches[model ?? 'unknown'] ?? {};
    assertSameUsd(savedUsd, saved);
    assertSameUsd(writeExtraUsd, extra);
  }
}

/** The reference adds up fractions, so its sums are not exact. */
function assertSameUsd(found: number | null, expected: number): void {
  assert.ok(Math.abs((found ?? 0) - expected) < 1e-6, `${String(found)} in place of ${expected}`);
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
