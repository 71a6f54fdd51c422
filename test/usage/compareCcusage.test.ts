import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CCUSAGE_VERSIONS, setupCcusage } from '../../scripts/setupCcusage.mjs';
import { FIXTURES } from '../support/fixtures';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';
import { withTemporaryFolder } from '../support/temporaryFolder';
import { writeUsageCorpus } from '../unit/usage/usageCorpus';
import { UsageFolder, answer, type Row } from '../unit/usage/usageFolder';
import { runCcusage, runOurs, type Tallies, type Tally } from './ccusage';
import { printComparison } from './printComparison';

const RECORDINGS = join(FIXTURES, 'recordings');
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'];
const TOKENS = ['input', 'output', 'cacheWrite', 'cacheRead'] as const;

describe(`ccusage ${CCUSAGE_VERSIONS.native}`, () => {
  const lines: string[][] = [];

  before(async function () {
    this.timeout(10 * 60_000);
    await skipWhenUnavailable(this, () => setupCcusage('native'));
  });

  after(() => {
    printComparison(lines);
  });

  async function both(configDir: string, timeZone: string): Promise<{ ours: Tallies; theirs: Tallies }> {
    return withTemporaryFolder(async (home) => ({
      ours: await runOurs(configDir, timeZone),
      theirs: runCcusage(configDir, timeZone, home),
    }));
  }

  /** The same tokens for each day and model. Names of models are not compared for messages that state none. */
  function assertSame({ ours, theirs }: { ours: Tallies; theirs: Tallies }): void {
    const tokens = ({ parts }: Tallies): Record<string, number[]> =>
      Object.fromEntries([...parts].sort().map(([key, tally]) => [key, TOKENS.map((name) => tally[name])]));
    assert.deepEqual(tokens(ours), tokens(theirs));
  }

  /** Only where it has prices. */
  function assertSameCost({ ours, theirs }: { ours: Tallies; theirs: Tallies }): void {
    for (const [key, { usd }] of theirs.parts) {
      if (usd !== null) assert.ok(Math.abs((ours.parts.get(key)?.usd ?? NaN) - usd) < 1e-9, key);
    }
  }

  function note(name: string, { ours, theirs }: { ours: Tallies; theirs: Tallies }, verdict: string): void {
    for (const [who, { total }] of [
      ['ours', ours],
      ['ccusage', theirs],
    ] as const) {
      const figures = TOKENS.map((each) => total[each].toLocaleString('en'));
      lines.push([who === 'ours' ? name : '', who, ...figures, dollars(total), who === 'ours' ? verdict : '']);
    }
  }

  describe('counts the same as ours', () => {
    for (const recording of readdirSync(RECORDINGS)) {
      it(`in the recording ${recording}`, async () => {
        const found = await both(join(RECORDINGS, recording, 'dot-claude'), 'UTC');
        note(recording, found, 'the same tokens');
        assertSame(found);
        assertSameCost(found);
      });
    }

    for (const [seed, zone] of ZONES.entries()) {
      it(`in a corpus of forks, branches and subagents, by the days of ${zone} (seed ${seed})`, () =>
        withTemporaryFolder(async (folder) => {
          writeUsageCorpus(folder, seed, 60, false);
          const found = await both(folder, zone);
          note(`corpus ${seed}, ${zone}`, found, 'the same tokens');
          assertSame(found);
        }));
    }
  });

  describe('counts differently, as docs/tokens.md describes', () => {
    /** The counts of both for transcripts with these rows. */
    async function compare(name: string, ...files: readonly (readonly (Row | string)[])[]) {
      return withTemporaryFolder(async (path) => {
        const folder = new UsageFolder(path);
        for (const [at, rows] of files.entries()) folder.write(folder.path(`s${at}`), rows);
        const found = await both(path, 'UTC');
        note(name, found, 'explained');
        return { ours: found.ours.total, theirs: found.theirs.total };
      });
    }

    const row = (id: unknown, output: number, fields: Row = {}, message: Row = {}): Row =>
      answer(id, output, { requestId: `req_${String(id)}`, ...fields }, message);
    const outputs = ({ ours, theirs }: { ours: Tally; theirs: Tally }): number[] => [ours.output, theirs.output];
    const sonnet = (usage: Row): Row => row('m', 0, {}, { model: 'claude-sonnet-4-5-20250929', usage });

    it('messages whose errors the client wrote itself', async () => {
      const error = row('e', 5, {}, { model: '<synthetic>' });
      assert.deepEqual(outputs(await compare('errors of the client', [row('m', 1), error])), [1, 6]);
    });

    it('a message that was requested twice under one id', async () => {
      const rows = [row('m', 5), row('m', 5, { requestId: 'req_other' })];
      assert.deepEqual(outputs(await compare('one id, two requests', rows)), [5, 10]);
    });

    it('a message without an id that is in two rows with one uuid', async () => {
      const nameless = row(undefined, 5);
      assert.deepEqual(outputs(await compare('no message id', [nameless, nameless])), [5, 10]);
    });

    it('rows of a message where each has more of a different count', async () => {
      const rows = [
        row('m', 0, {}, { usage: { input_tokens: 50, output_tokens: 1 } }),
        row('m', 0, {}, { usage: { input_tokens: 1, output_tokens: 50 } }),
      ];
      assert.deepEqual(outputs(await compare('each row tells more of one count', rows)), [50, 1]);
    });

    it('messages without a usable time', async () => {
      const rows = [row('m', 1), row('n', 5, { timestamp: undefined }), row('o', 7, { timestamp: 'soon' })];
      assert.deepEqual(outputs(await compare('no time', rows)), [13, 1]);
    });

    it('messages inside progress rows that are in the transcript of their subagent, too', async () => {
      const shared = { uuid: 'p', timestamp: '2026-11-21T10:00:00.000Z', sessionId: 's' };
      const progress = { type: 'progress', ...shared, data: { type: 'agent_progress', message: row('n', 9) } };
      assert.deepEqual(outputs(await compare('inside progress rows', [row('m', 1), progress])), [1, 10]);
    });

    it('user rows with a usage', async () => {
      assert.deepEqual(outputs(await compare('user rows', [row('m', 1), { ...row('n', 9), type: 'user' }])), [1, 10]);
    });

    it('rows that share a line, or follow NULs or a byte order mark', async () => {
      const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => JSON.stringify(row(id, 2)));
      const rows = [row('m', 1), `${a}${b}\n`, `\0\0${c}\n`, `\uFEFF${d}\n`];
      assert.deepEqual(outputs(await compare('damaged lines', rows)), [9, 1]);
    });

    it('rows with an invalid or missing count', async () => {
      const rows = [
        row('m', 1),
        row('a', 0, {}, { usage: { input_tokens: -5, output_tokens: 7 } }),
        row('b', 0, {}, { usage: { input_tokens: '5', output_tokens: 7 } }),
        row('c', 0, {}, { usage: { output_tokens: 7 } }),
      ];
      assert.deepEqual(outputs(await compare('counts that are none', rows)), [22, 1]);
    });

    it('counts beyond 32 bits', async () => {
      assert.deepEqual(outputs(await compare('huge counts', [row('m', 1), row('n', 2 ** 32)])), [1, 2 ** 32 + 1]);
    });

    it('cache writes that exceed the sum of their kinds', async () => {
      const cache_creation = { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 };
      const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 1000, cache_creation };
      const { ours, theirs } = await compare('cache writes of unknown kind', [sonnet(usage)]);
      assert.deepEqual([ours.cacheWrite, theirs.cacheWrite], [1000, 300]);
    });

    it('the price of a long prompt: ours is for the whole request, that of ccusage for the excess tokens', async () => {
      const usage = { input_tokens: 150_000, output_tokens: 1000, cache_read_input_tokens: 150_000 };
      const { ours, theirs } = await compare('a prompt of 300,000 tokens', [sonnet(usage)]);
      assert.deepEqual([ours.usd, theirs.usd], [1.0125, 0.51]);
    });

    it('the price of web searches, and of the fast mode', async () => {
      const searches = sonnet({ input_tokens: 0, output_tokens: 0, server_tool_use: { web_search_requests: 100 } });
      const searched = await compare('100 web searches', [searches]);
      assert.deepEqual([searched.ours.usd, searched.theirs.usd], [1, null]);
      const usage = { input_tokens: 1000, output_tokens: 1000, speed: 'fast' };
      const fast = await compare('fast mode', [row('m', 0, {}, { model: 'claude-opus-4-6', usage })]);
      assert.deepEqual([fast.ours.usd, fast.theirs.usd?.toFixed(2)], [0.03, '0.18']);
    });

    it('the price that a row states itself, as clients up to 1.0 wrote it', async () => {
      const { ours, theirs } = await compare('costUSD', [row('m', 5, { costUSD: 3 })]);
      assert.deepEqual([ours.usd, theirs.usd], [0.00014, 3]);
    });

    it('models that are missing from its own price list', async () => {
      const { ours, theirs } = await compare('claude-opus-5-5', [row('m', 5)]);
      assert.deepEqual([ours.usd, theirs.usd], [0.00014, null]);
    });
  });
});

function dollars({ usd }: Tally): string {
  return usd === null ? 'unknown' : `$${usd.toFixed(4)}`;
}
