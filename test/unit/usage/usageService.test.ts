import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { nodeWriteFs } from '../../rooms/storage';
import { UsageService, type UsageServiceDeps } from '../../rooms/usage';
import { totalTokens, type UsageOverview } from '../../../src/protocol/usage';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { FakeClock } from '../sessions/fakes';
import { createTranscripts } from './createCounter';
import { answer, type Row, type UsageFolder, withUsageFolder } from './usageFolder';
import { plainScanner } from '../../support/plainScanner';

const VIEW = { timeZone: 'Europe/Berlin', priceOverrides: {} };
const WRITE = { fs: nodeWriteFs, random: randomUUID };
const NOW = Date.parse('2026-11-22T09:00:00.000Z');

/** A clock that stands still at the given time. */
function clockAt(ms: number): FakeClock {
  const clock = new FakeClock();
  clock.advance(ms - clock.now());
  return clock;
}

describe('The token usage that the worker sends', () => {
  interface Place {
    readonly folder: UsageFolder;
    readonly service: UsageService;
    readonly clock: FakeClock;
    readonly live: Set<string>;
    readonly reported: UsageOverview[];
    /** Advances the time until the figures are as expected. */
    readonly until: (isReached: (last: UsageOverview) => boolean) => Promise<UsageOverview>;
  }

  function withService(use: (place: Place) => Promise<void>, parts: Partial<UsageServiceDeps> = {}): Promise<void> {
    return withUsageFolder(async (folder) => {
      const clock = clockAt(NOW);
      const reported: UsageOverview[] = [];
      const live = new Set<string>();
      const service = new UsageService({
        configDir: () => folder.configDir,
        openCache: () => null,
        openToolCache: () => null,
        createScanner: plainScanner,
        transcripts: createTranscripts(plainScanner, clock),
        liveSessions: () => Promise.resolve(live),
        isBusy: () => false,
        write: WRITE,
        clock,
        events: { usageChanged: (overview) => void reported.push(overview) },
        ...parts,
      });
      const until: Place['until'] = async (isReached) => {
        for (let step = 0; step < 3000; step++) {
          const last = reported.at(-1);
          if (last !== undefined && isReached(last)) return last;
          await new Promise((resolve) => setTimeout(resolve, 1));
          clock.advance(100);
        }
        throw new Error(`It is not told: ${JSON.stringify(reported.at(-1))}`);
      };
      try {
        await use({ folder, service, clock, live, reported, until });
      } finally {
        await service.close();
      }
    });
  }

  it('is what is known at once, and the complete usage later', () =>
    withService(async ({ folder, service, until }) => {
      folder.write(folder.path('s'), [
        answer('a', 1, { timestamp: '2026-11-21T22:59:59.000Z' }),
        answer('b', 2, { timestamp: '2026-11-21T23:00:00.000Z' }),
        answer('c', 4, { timestamp: '2026-11-15T23:00:00.000Z' }),
        answer('d', 8, { timestamp: '2026-11-15T22:59:59.000Z' }),
        answer('e', 16, { timestamp: '2026-10-23T22:00:00.000Z' }),
        answer('f', 32, { timestamp: '2026-10-23T21:59:59.000Z' }),
        answer('g', 64, { timestamp: '2026-11-23T00:00:00.000Z' }),
        answer('h', 128, { timestamp: undefined }),
      ]);
      const first = await service.watchUsage(VIEW);
      assert.deepEqual(first?.files, { total: 0, waiting: 0, isListing: true });
      const { days, otherDays, calendar, ranges, files, problem } = await until(
        ({ files: { total, waiting } }) => total === 1 && waiting === 0,
      );
      assert.deepEqual([files.isListing, problem], [false, null]);
      assert.deepEqual(
        ranges.map(({ range, total }) => [range, total.counts.output]),
        [
          ['today', 2],
          ['week', 7],
          ['month', 31],
          ['all', 255],
        ],
      );
      assert.equal(days.length, 30);
      assert.deepEqual([days[0]?.day, days[29]?.day], ['2026-10-24', '2026-11-22']);
      assert.deepEqual(
        days.filter(({ messages }) => messages > 0).map(({ day, counts }) => [day, counts.output]),
        [
          ['2026-10-24', 16],
          ['2026-11-15', 8],
          ['2026-11-16', 4],
          ['2026-11-21', 1],
          ['2026-11-22', 2],
        ],
      );
      assert.equal(otherDays.counts.output, 32 + 64 + 128);
      // Not the message in the future, and not the one without a time.
      assert.deepEqual([calendar.firstDay, calendar.messages.length], ['2025-11-17', 371]);
      assert.deepEqual(calendar.messages.slice(339, 342), [0, 1, 1]);
      assert.equal(
        calendar.messages.reduce((sum, messages) => sum + messages, 0),
        6,
      );
      assert.deepEqual(
        ranges[3]?.models.map(({ model, hasPrice, counts }) => [model, hasPrice, counts.output]),
        [['claude-opus-5-5', true, 255]],
      );
    }));

  it('follows a running session, and starts a new day', () =>
    withService(async ({ folder, service, clock, live, until }) => {
      const path = folder.write(folder.path('s'), [answer('a', 1)]);
      live.add('s');
      await service.watchUsage(VIEW);
      await until(({ ranges }) => ranges[3]?.total.counts.output === 1);
      folder.append(path, [answer('a', 5), answer('b', 100, { timestamp: '2026-11-22T08:59:00.000Z' })]);
      const grown = await until(({ ranges }) => ranges[3]?.total.counts.output === 105);
      assert.equal(grown.ranges[0]?.total.counts.output, 100);
      clock.advance(24 * 3_600_000);
      const next = await until(({ days }) => days[29]?.day === '2026-11-23');
      assert.equal(next.ranges[0]?.total.counts.output, 0);
    }));

  it('lists the sessions that cost most to resume, as their own figures say, and no more than 20', () =>
    withService(async ({ folder, service, until }) => {
      for (let at = 0; at < 40; at++) {
        const timestamp = at % 4 === 3 ? '2026-10-01T08:00:00.000Z' : '2026-11-20T08:00:00.000Z';
        folder.write(folder.path(`s${at}`), [
          answer(`a${at}`, 1, { timestamp }),
          answer(`b${at}`, at * 7, { timestamp }),
        ]);
      }
      folder.write(folder.path('future'), [answer('f', 9000, { timestamp: '2027-11-20T08:00:00.000Z' })]);
      folder.write(folder.path('timeless'), [answer('t', 9000, { timestamp: undefined })]);
      await service.watchUsage(VIEW);
      await until(({ files: { total, waiting } }) => total === 42 && waiting === 0);
      const listed = await service.resumeCosts(VIEW);
      const expected: { filePath: string; usd: number }[] = [];
      for (let at = 0; at < 40; at++) {
        if (at % 4 === 3) continue;
        const usage = await service.sessionUsage(folder.path(`s${at}`), VIEW);
        expected.push({ filePath: folder.path(`s${at}`), usd: usage?.resumeCost?.usd ?? NaN });
      }
      assert.deepEqual(
        listed.map(({ filePath, resumeCost }) => ({ filePath, usd: resumeCost.usd })),
        expected.sort((a, b) => b.usd - a.usd).slice(0, 20),
      );
    }));

  it('leaves out of that list what cannot be read any more', () =>
    withService(async ({ folder, service, until }) => {
      for (const name of ['here', 'gone'])
        folder.write(folder.path(name), [answer(name, 5, { timestamp: '2026-11-20T08:00:00.000Z' })]);
      await service.watchUsage(VIEW);
      await until(({ files: { total, waiting } }) => total === 2 && waiting === 0);
      renameSync(folder.path('gone'), `${folder.path('gone')}.away`);
      assert.deepEqual(
        (await service.resumeCosts(VIEW)).map(({ filePath }) => filePath),
        [folder.path('here')],
      );
    }));

  it('includes newly created sessions, and drops deleted ones', () =>
    withService(async ({ folder, service, live, until }) => {
      await service.watchUsage(VIEW);
      await until(({ files }) => files.isListing === false);
      folder.write(folder.path('s'), [answer('a', 1)]);
      live.add('s');
      await until(({ ranges }) => ranges[3]?.total.messages === 1);
    }));

  it('counts a running session again after its file was missing for a while', () =>
    withService(async ({ folder, service, clock, live, until }) => {
      const path = folder.write(folder.path('s'), [answer('a', 1)]);
      live.add('s');
      await service.watchUsage(VIEW);
      await until(({ ranges }) => ranges[3]?.total.messages === 1);
      folder.append(path, [answer('b', 2)]);
      await until(({ ranges }) => ranges[3]?.total.messages === 2);
      renameSync(path, `${path}.away`);
      clock.advance(60_000);
      await until(({ ranges }) => ranges[3]?.total.messages === 0);
      renameSync(`${path}.away`, path);
      clock.advance(60_000);
      await until(({ ranges }) => ranges[3]?.total.messages === 2);
    }));

  it('is no longer updated when the watch ends', () =>
    withService(async ({ folder, service, clock, reported, until }) => {
      await service.watchUsage(VIEW);
      await until(({ files }) => files.isListing === false);
      assert.equal(await service.watchUsage(null), null);
      const before = reported.length;
      folder.write(folder.path('s'), [answer('a', 1)]);
      for (let step = 0; step < 30; step++) {
        clock.advance(10_000);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      assert.equal(reported.length, before);
    }));

  describe('of sessions that the list found changed', () => {
    /** Advances the time in small steps; returns how long the figures took to become as expected, in milliseconds. */
    async function timeUntil(
      { clock, reported }: Place,
      isReached: (last: UsageOverview) => boolean,
      limitMs: number,
    ): Promise<number> {
      const startMs = clock.now();
      while (clock.now() - startMs < limitMs) {
        const last = reported.at(-1);
        if (last !== undefined && isReached(last)) return clock.now() - startMs;
        await new Promise((resolve) => setTimeout(resolve, 2));
        clock.advance(50);
      }
      throw new Error(`Not within ${limitMs} ms: ${JSON.stringify(reported.at(-1)?.files)}`);
    }

    it('includes the first session of an empty folder within two seconds', () =>
      withService(async (place) => {
        const { folder, service, until } = place;
        await service.watchUsage(VIEW);
        await until(({ files }) => files.isListing === false);
        service.sessionsChanged([folder.write(folder.path('s'), [answer('a', 1)])]);
        await timeUntil(place, ({ ranges, files }) => files.total === 1 && ranges[3]?.total.messages === 1, 2000);
      }));

    it('includes what was added to one that no client runs, and drops a deleted one', () =>
      withService(async (place) => {
        const { folder, service, until } = place;
        const [path, other] = [folder.path('s'), folder.path('t')];
        for (const each of [path, other]) folder.write(each, [answer(each, 1)]);
        await service.watchUsage(VIEW);
        await until(({ files }) => files.total === 2 && files.waiting === 0);
        folder.append(path, [answer('b', 4)]);
        service.sessionsChanged([path, other]);
        await timeUntil(place, ({ ranges }) => ranges[3]?.total.counts.output === 6, 2000);
        renameSync(other, `${other}.away`);
        service.sessionsChanged([other]);
        await timeUntil(place, ({ files, ranges }) => files.total === 1 && ranges[3]?.total.messages === 2, 6000);
      }));

    it('rests after a count for ten times as long as it took, and for three seconds at least', async () => {
      for (const [tookMs, fromMs, toMs] of [
        [0, 3000, 4500],
        [1000, 10_000, 12_000],
      ] as const) {
        let onScan = (): void => undefined;
        await withService(
          async (place) => {
            const { folder, service, clock, until } = place;
            const path = folder.write(folder.path('s'), [answer('a', 1)]);
            await service.watchUsage(VIEW);
            await until(({ files }) => files.total === 1 && files.waiting === 0);
            onScan = () => {
              clock.advance(tookMs);
              onScan = () => undefined;
            };
            folder.append(path, [answer('b', 2)]);
            service.sessionsChanged([path]);
            await timeUntil(place, ({ ranges }) => ranges[3]?.total.messages === 2, 2000 + tookMs);
            folder.append(path, [answer('c', 4)]);
            service.sessionsChanged([path]);
            const waitedMs = await timeUntil(place, ({ ranges }) => ranges[3]?.total.messages === 3, 70_000);
            assert.ok(waitedMs >= fromMs - 500 && waitedMs <= toMs, `${tookMs}: ${waitedMs}`);
          },
          {
            createScanner: (options) => {
              onScan();
              return plainScanner(options);
            },
          },
        );
      }
    });

    it('reads and sends nothing if their transcripts are as they were counted', () => {
      let scans = 0;
      return withService(
        async ({ folder, service, clock, reported, until }) => {
          const path = folder.write(folder.path('s'), [answer('a', 1)]);
          await service.watchUsage(VIEW);
          await until(({ files }) => files.total === 1 && files.waiting === 0);
          for (let step = 0; step < 20; step++) {
            clock.advance(100);
            await new Promise((resolve) => setTimeout(resolve, 1));
          }
          const before = [scans, reported.length];
          for (let step = 0; step < 100; step++) {
            service.sessionsChanged([path, folder.path('unknown')]);
            clock.advance(100);
            await new Promise((resolve) => setTimeout(resolve, 1));
          }
          assert.deepEqual([scans, reported.length], before);
        },
        {
          createScanner: (options) => {
            scans++;
            return plainScanner(options);
          },
        },
      );
    });

    it('waits for more important work, and for the first count', () => {
      let isBusy = true;
      return withService(
        async ({ folder, service, clock, reported, until }) => {
          const path = folder.write(folder.path('s'), [answer('a', 1)]);
          await service.watchUsage(VIEW);
          await until(({ files }) => files.waiting === 1);
          for (let step = 0; step < 60; step++) {
            service.sessionsChanged([path]);
            clock.advance(100);
            await new Promise((resolve) => setTimeout(resolve, 1));
          }
          assert.deepEqual(reported.at(-1)?.files, { total: 1, waiting: 1, isListing: false });
          isBusy = false;
          await until(({ files }) => files.waiting === 0);
        },
        { isBusy: () => isBusy },
      );
    });
  });

  it('waits while more important work is running', () => {
    let isBusy = true;
    return withService(
      async ({ folder, service, reported, until }) => {
        folder.write(folder.path('s'), [answer('a', 1)]);
        await service.watchUsage(VIEW);
        await until(({ files }) => files.waiting === 1);
        assert.deepEqual(reported.at(-1)?.files, { total: 1, waiting: 1, isListing: false });
        isBusy = false;
        await until(({ files }) => files.waiting === 0);
      },
      { isBusy: () => isBusy },
    );
  });

  it('includes the tools of counted transcripts, by the days of the time zone', () =>
    withService(async ({ folder, service, until }) => {
      const call = (id: string, timestamp: string): Row =>
        answer(id, 1, { timestamp }, { content: [{ type: 'tool_use', id, name: 'Read', input: {} }] });
      folder.write(folder.path('s'), [call('a', '2026-11-21T22:59:59.000Z'), call('b', '2026-11-21T23:00:00.000Z')]);
      const before = await service.toolUsage(VIEW);
      assert.deepEqual(before.files, { total: 0, waiting: 0, unreadable: 0 });
      await service.watchUsage(VIEW);
      await until(({ files }) => files.total === 1 && files.waiting === 0);
      const { ranges, files } = await service.toolUsage(VIEW);
      assert.deepEqual(files, { total: 1, waiting: 0, unreadable: 0 });
      assert.deepEqual(
        ranges.map(({ range, tools }) => [range, tools[0]?.calls]),
        [
          ['today', 1],
          ['week', 2],
          ['month', 2],
          ['all', 2],
        ],
      );
      const utc = await service.toolUsage({ ...VIEW, timeZone: 'UTC' });
      assert.equal(utc.ranges[0]?.tools.length, 0);
    }));

  it('is null for a missing session, and an error while the folder is unknown', () =>
    withService(async ({ folder, service }) => {
      assert.equal(await service.sessionUsage(folder.path('none'), VIEW), null);
      const lost = new UsageService({
        configDir: () => null,
        openCache: () => null,
        openToolCache: () => null,
        createScanner: plainScanner,
        transcripts: createTranscripts(plainScanner, clockAt(NOW)),
        liveSessions: () => Promise.resolve(new Set()),
        isBusy: () => false,
        write: WRITE,
        clock: clockAt(NOW),
        events: { usageChanged: () => undefined },
      });
      await assert.rejects(lost.watchUsage(VIEW), /config folder is not known/u);
      await assert.rejects(service.watchUsage({ ...VIEW, timeZone: 'Europe/Atlantis' }), RangeError);
    }));

  it('uses the price settings of the caller', () =>
    withService(async ({ folder, service }) => {
      folder.write(folder.path('s'), [answer('a', 1_000_000, {}, { model: 'my-model-1' })]);
      const usd = async (priceOverrides = {}) =>
        (await service.usageReport('model', { ...VIEW, priceOverrides })).totals.cost.usd;
      assert.equal(await usd(), null);
      assert.equal(await usd({ 'my-model': { input: 0, output: 3 } }), 3);
      assert.equal(await usd({ my: { input: 0, output: 4 } }), 4);
    }));

  it('knows the tokens of each session, by the path of its transcript', () =>
    withService(async ({ folder, service }) => {
      const path = folder.path('s');
      folder.write(path, [answer('a', 300), answer('b', 40)]);
      const [[filePath, tokens] = [], ...others] = await service.sessionTokens(VIEW);
      assert.deepEqual([filePath, others], [path, []]);
      const used = await service.sessionUsage(path, VIEW);
      assert.ok(used !== null && totalTokens(used.total.counts) >= 340);
      assert.equal(tokens, totalTokens(used.total.counts));
    }));

  it('can be written as a table, or comes with the reason why there is none', () =>
    withService(async ({ folder, service }) => {
      folder.write(folder.path('s'), [answer('a', 5)]);
      await withTemporaryFolder(async (other) => {
        const target = join(other, 'tokens.csv');
        assert.deepEqual(await service.exportUsage('model', VIEW, target), { problem: null });
        const [head = '', ...rows] = readFileSync(target, 'utf8').trimEnd().split('\r\n');
        assert.ok(head.startsWith('model,messages,total_tokens,input_tokens'));
        assert.equal(rows.length, 1);
        const { problem } = await service.exportUsage('model', VIEW, other);
        assert.equal(problem, 'There is a folder of this name.');
      });
      const inside = await service.exportUsage('model', VIEW, join(folder.configDir, 'tokens.csv'));
      assert.equal(inside.problem, 'Nothing can be exported to the folder of Claude Code.');
    }));

  describe('for one session', () => {
    const at = (seconds: number): string => new Date(NOW - 3_600_000 + seconds * 1000).toISOString();
    const used = (input: number, output: number, cache = {}) => ({
      usage: { input_tokens: input, output_tokens: output, ...cache },
    });

    it('contains the context of the newest reply in the chain, not of the last row in the file', () =>
      withService(async ({ folder, service }) => {
        const uuid = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`;
        const chain = (n: number, parent: number | null, seconds: number) => ({
          uuid: uuid(n),
          parentUuid: parent === null ? null : uuid(parent),
          timestamp: at(seconds),
          isSidechain: false,
        });
        const prompt = (n: number, parent: number | null, seconds: number) => ({
          type: 'user',
          sessionId: 's',
          message: { role: 'user', content: 'x' },
          ...chain(n, parent, seconds),
        });
        const cache = { cache_creation_input_tokens: 100, cache_read_input_tokens: 1000 };
        const path = folder.write(folder.path('s'), [
          prompt(1, null, 0),
          answer('a', 0, chain(2, 1, 1), used(1, 20, cache)),
          answer('b', 0, chain(3, 1, 2), used(9, 9999)),
          { type: 'last-prompt', lastPrompt: 'x', leafUuid: uuid(2), sessionId: 's' },
        ]);
        const usage = await service.sessionUsage(path, VIEW);
        assert.deepEqual(usage?.context, { tokens: 1121, model: 'claude-opus-5-5', window: 1_000_000 });
        assert.deepEqual(usage.resumeCost, { usd: (1121 * 5) / 1e6, unpricedTokens: 0 });
        const kept = { cache_creation_input_tokens: 100, cache_creation: { ephemeral_1h_input_tokens: 100 } };
        folder.append(path, [prompt(4, 2, 3), answer('c', 0, chain(5, 4, 4), used(7, 3, kept))]);
        const grown = await service.sessionUsage(path, VIEW);
        assert.deepEqual([grown?.context?.tokens, grown?.resumeCost?.usd], [110, (110 * 8) / 1e6]);
        assert.equal(grown?.total.counts.output, 20 + 9999 + 3);
      }));

    it('contains no context before the first reply, and a resume price only with one', () =>
      withService(async ({ folder, service }) => {
        const path = folder.write(folder.path('s'), [{ type: 'user', uuid: 'u', message: { content: 'x' } }]);
        const empty = await service.sessionUsage(path, VIEW);
        assert.deepEqual([empty?.context, empty?.resumeCost, empty?.clientTally], [null, null, null]);
        assert.deepEqual([empty?.total.messages, empty?.total.cost.usd], [0, 0]);
        folder.append(path, [answer('a', 5, { parentUuid: 'u' }, { model: 'claude-tomorrow' })]);
        const answered = await service.sessionUsage(path, VIEW);
        assert.deepEqual(answered?.context, { tokens: 15, model: 'claude-tomorrow', window: null });
        assert.deepEqual(answered.resumeCost, { usd: null, unpricedTokens: 15 });
      }));

    it('skips errors that the client wrote itself when it looks for the newest reply', () =>
      withService(async ({ folder, service }) => {
        const rows = [
          { type: 'user', uuid: 'u', message: { content: 'x' }, timestamp: at(0) },
          answer('a', 5, { parentUuid: 'u', uuid: 'a', timestamp: at(1) }),
          answer(
            'e',
            900,
            { parentUuid: 'a', uuid: 'e', timestamp: at(2), isApiErrorMessage: true },
            { model: '<synthetic>' },
          ),
        ];
        const usage = await service.sessionUsage(folder.write(folder.path('s'), rows), VIEW);
        assert.equal(usage?.context?.tokens, 15);
      }));

    it('contains no context between a compaction and the next reply, even if replies are preserved', () =>
      withService(async ({ folder, service }) => {
        const uuid = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`;
        const row = (n: number, parent: number | null, type: string, fields: object) => ({
          parentUuid: parent === null ? null : uuid(parent),
          isSidechain: false,
          type,
          uuid: uuid(n),
          timestamp: at(n),
          sessionId: 's',
          ...fields,
        });
        const preservedMessages = { anchorUuid: uuid(4), uuids: [uuid(2)], allUuids: [uuid(2)] };
        const path = folder.write(folder.path('s'), [
          row(1, null, 'user', { message: { role: 'user', content: 'x' } }),
          answer('a', 5, { parentUuid: uuid(1), uuid: uuid(2), timestamp: at(2), isSidechain: false }),
          row(3, null, 'system', {
            subtype: 'compact_boundary',
            compactMetadata: { trigger: 'manual', preservedMessages },
          }),
          row(4, 3, 'user', { isCompactSummary: true, message: { role: 'user', content: 'so far' } }),
          row(5, 2, 'user', { message: { role: 'user', content: 'y' } }),
        ]);
        assert.equal((await service.sessionUsage(path, VIEW))?.context, null);
        folder.append(path, [
          answer('b', 9, { parentUuid: uuid(5), uuid: uuid(6), timestamp: at(6), isSidechain: false }),
        ]);
        assert.equal((await service.sessionUsage(path, VIEW))?.context?.tokens, 19);
      }));

    it('contains the client’s own last counts, also after newer ones are added', () =>
      withService(async ({ folder, service }) => {
        const note = (totalCostUSD: unknown, inputTokens: number) => ({
          type: 'cost-state',
          totalCostUSD,
          modelUsage: {
            m: {
              inputTokens,
              outputTokens: 2,
              cacheReadInputTokens: 3,
              cacheCreationInputTokens: 9,
              cacheCreationEphemeral1hInputTokens: 4,
              webSearchRequests: 1,
            },
            n: { inputTokens: -5 },
          },
          hasUnknownModelCost: true,
        });
        const path = folder.write(folder.path('s'), [
          answer('a', 5),
          note(1, 1),
          note('no', 7),
          '{"type":"cost-state"\n',
        ]);
        const tally = async () => (await service.sessionUsage(path, VIEW))?.clientTally ?? null;
        assert.deepEqual(await tally(), {
          usd: 1,
          counts: {
            input: 1,
            output: 2,
            cacheWrite5m: 5,
            cacheWrite1h: 4,
            cacheRead: 3,
            webSearches: 1,
            webFetches: 0,
          },
          isPartlyUnknown: true,
        });
        const line = `${JSON.stringify(note(2, 8))}\n`;
        folder.append(path, [line.slice(0, 30)]);
        assert.equal((await tally())?.usd, 1);
        folder.append(path, [line.slice(30)]);
        assert.deepEqual([(await tally())?.usd, (await tally())?.counts.input], [2, 8]);
      }));
  });
});
