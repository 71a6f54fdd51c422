import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ToolCache, ToolCounter, type ToolCounterDeps, LocalDays } from '../../rooms/usage';
import type { ToolRange, ToolUsage, UsageRange } from '../../../src/protocol/usage';
import { FIXTURES } from '../../support/fixtures';
import { createRandom } from '../../support/random';
import { wasmScanners } from '../../support/scannerModule';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { FakeClock } from '../sessions/fakes';
import { countAll } from './createCounter';
import { countToolsSlowly, type SlowTools } from './slowTools';
import { type Row, UsageFolder, withUsageFolder } from './usageFolder';
import { plainScanner } from '../../support/plainScanner';

const NOW = Date.parse('2026-11-22T09:00:00.000Z');
const QUESTION = { calendar: new LocalDays('UTC'), nowMs: NOW };
const ALWAYS = 1_000_000;

function call(id: unknown, name: unknown, fields: Row = {}, type = 'tool_use'): Row {
  return {
    type: 'assistant',
    uuid: `uuid of ${JSON.stringify([id, name])}`,
    timestamp: '2026-11-21T10:00:00.000Z',
    sessionId: 's',
    message: { role: 'assistant', content: [{ type, id, name, input: {} }] },
    ...fields,
  };
}

function result(id: unknown, content: unknown, isError: unknown = false): Row {
  return {
    type: 'user',
    uuid: `result of ${String(id)}`,
    timestamp: '2026-11-21T10:01:00.000Z',
    sessionId: 's',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, is_error: isError }] },
  };
}

function createToolCounter(parts: Partial<ToolCounterDeps> = {}): ToolCounter {
  return new ToolCounter({
    createScanner: plainScanner,
    cache: null,
    isBusy: () => false,
    clock: new FakeClock(),
    ...parts,
  });
}

async function count(configDir: string, parts: Partial<ToolCounterDeps> = {}): Promise<ToolUsage> {
  const { files } = await countAll(configDir);
  return createToolCounter(parts).count(files, QUESTION, ALWAYS);
}

function rangeOf({ ranges }: ToolUsage, range: UsageRange): ToolRange {
  const found = ranges.find((each) => each.range === range);
  assert.ok(found !== undefined);
  return found;
}

/** In the terms of the reference implementation. */
function plain(usage: ToolUsage, range: UsageRange = 'all'): SlowTools {
  const { tools, others } = rangeOf(usage, range);
  const all = [...tools, ...(others === null ? [] : [{ name: '(others)', ...others }])];
  return Object.fromEntries(all.map((each) => [each.name, [each.calls, each.failed, each.resultCharacters]]));
}

describe('The calls of tools', () => {
  for (const [name, createScanner] of [
    ['the plain scanner', plainScanner],
    ['the fast scanner', wasmScanners()],
  ] as const) {
    it(`equal those of a slow implementation on all recordings, with ${name}`, async () => {
      let calls = 0;
      for (const recording of readdirSync(join(FIXTURES, 'recordings'))) {
        const configDir = join(FIXTURES, 'recordings', recording, 'dot-claude');
        const slow = countToolsSlowly(join(configDir, 'projects'));
        assert.deepEqual(plain(await count(configDir, { createScanner })), slow, recording);
        calls += Object.values(slow).reduce((sum, [each]) => sum + each, 0);
      }
      assert.ok(calls > 50, String(calls));
    });

    for (let seed = 1; seed <= 20; seed++) {
      it(`equal those of a slow implementation on random transcripts, with ${name} (seed ${seed})`, () =>
        withUsageFolder(async (folder) => {
          writeRandomCalls(folder, seed);
          const usage = await count(folder.configDir, { createScanner });
          const projects = join(folder.configDir, 'projects');
          assert.deepEqual(plain(usage), countToolsSlowly(projects));
          const day = 24 * 3600_000;
          const midnight = Date.parse('2026-11-22');
          for (const [range, days] of [
            ['today', 0],
            ['week', 6],
            ['month', 29],
          ] as const) {
            const isCounted = (ms: number): boolean => ms >= midnight - days * day && ms < midnight + day;
            assert.deepEqual(plain(usage, range), countToolsSlowly(projects, isCounted), range);
          }
        }));
    }
  }

  it('count once across forks, whichever transcript is read first', () =>
    withUsageFolder(async (folder) => {
      const early = { timestamp: '2026-10-01T10:00:00.000Z' };
      folder.write(folder.path('a'), [call('1', 'Read', early), result('1', 'abcd'), call('2', 'Read')]);
      // The fork was made before the result of its last call was there.
      folder.write(folder.path('b'), [call('1', 'Read'), call('2', 'Read'), result('2', 'no', true)]);
      for (const [first, second] of [
        ['a', 'b'],
        ['b', 'a'],
      ] as const) {
        utimesSync(folder.path(first), 2e9, 2e9);
        utimesSync(folder.path(second), 1e9, 1e9);
        const usage = await count(folder.configDir);
        assert.deepEqual(plain(usage), { Read: [2, 1, 6] });
        assert.deepEqual(plain(usage, 'week'), { Read: [1, 1, 2] });
      }
    }));

  it('count each on its own if they have no id', () =>
    withUsageFolder(async (folder) => {
      folder.write(folder.path('s'), [call(null, 'Read'), call(7, 'Read'), call('', 'Read'), result('', 'x')]);
      assert.deepEqual(plain(await count(folder.configDir)), { Read: [3, 0, 0] });
    }));

  it('include those that ran on a server, under the names that the client would give them', () =>
    withUsageFolder(async (folder) => {
      const found = [
        { type: 'web_search_tool_result', tool_use_id: '1', content: { type: 'web_search_tool_result_error' } },
      ];
      folder.write(folder.path('s'), [
        call('1', 'web_search', {}, 'server_tool_use'),
        { ...call('x', 'y'), message: { role: 'assistant', content: found } },
        {
          ...call('2', 'z'),
          message: { content: [{ type: 'mcp_tool_use', id: '2', name: 'lookup', server_name: 'almanac' }] },
        },
      ]);
      assert.deepEqual(plain(await count(folder.configDir)), {
        web_search: [1, 1, 0],
        mcp__almanac__lookup: [1, 0, 0],
      });
    }));

  it('are found whatever else a transcript contains', () =>
    withUsageFolder(async (folder) => {
      const text = JSON.stringify;
      folder.write(folder.path('s'), [
        result('1', 'before its call'),
        result('gone', 'without a call'),
        '\0\0\0',
        call('1', 'Read'),
        `${text(call('2', 'Read'))}${text(call('3', 'Read'))}\n`,
        '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"torn"\n',
        call('4', 'Read', { timestamp: 'yesterday' }),
        call('4', 'Read', { uuid: 'again', timestamp: undefined }),
        call('5', 'Read', { type: 'user' }),
        call('6', 'Read', { message: { content: [null, 7, [], { type: 7 }, { type: 'tool_use' }] } }),
        call('7', 'Read', { message: { content: 'tool_use' } }),
        call('8', 'Read', { message: null }),
      ]);
      const usage = await count(folder.configDir);
      assert.deepEqual(plain(usage), { Read: [4, 0, 15], '(others)': [1, 0, 0] });
      assert.deepEqual(plain(usage, 'month'), { Read: [3, 0, 15], '(others)': [1, 0, 0] });
    }));

  it('count only text as the length of a result', () =>
    withUsageFolder(async (folder) => {
      const image = { type: 'image', source: { type: 'base64', data: 'x'.repeat(5000) } };
      folder.write(folder.path('s'), [
        call('1', 'Read'),
        result('1', [{ type: 'text', text: '12345' }, image, { type: 'text' }, { type: 'text', text: 7 }]),
        call('2', 'Bash'),
        result('2', { text: 'no list' }, 'true'),
      ]);
      assert.deepEqual(plain(await count(folder.configDir)), { Read: [1, 0, 5], Bash: [1, 0, 0] });
    }));

  it('are among the others if their names cannot be shown', () =>
    withUsageFolder(async (folder) => {
      const odd = [7, null, '', ' \n', '\u202E\u0007', 'x'.repeat(10_000), { toString: 'x' }];
      const shown = ['<b>bold</b>', '\u202Egnp.elif', 'two\nlines', '__proto__'];
      folder.write(
        folder.path('s'),
        [...odd, ...shown].map((name, at) => call(`${at}`, name)),
      );
      const { tools, others } = rangeOf(await count(folder.configDir), 'all');
      assert.deepEqual(tools.map(({ name }) => name).sort(), shown.sort());
      assert.equal(others?.calls, odd.length);
    }));

  it('list twenty tools, those with the most calls first, and add up the others', () =>
    withUsageFolder(async (folder) => {
      const names = Array.from({ length: 5000 }, (_, at) => (at < 60 ? `Tool ${at % 25}` : `Once ${at}`));
      folder.write(
        folder.path('s'),
        names.map((name, at) => call(`${at}`, name)),
      );
      const { tools, others } = rangeOf(await count(folder.configDir), 'all');
      assert.deepEqual([tools.length, tools[0]?.name, tools[0]?.calls], [20, 'Tool 0', 3]);
      assert.equal(
        tools.reduce((sum, { calls }) => sum + calls, others?.calls ?? 0),
        5000,
      );
    }));

  it('are counted for a while at each request, the latest transcripts first', () =>
    withUsageFolder(async (folder) => {
      for (const name of ['old', 'middle', 'late']) folder.write(folder.path(name), [call(name, name)]);
      const clock = new FakeClock();
      const createScanner: ToolCounterDeps['createScanner'] = (options) => {
        clock.advance(1000);
        return plainScanner(options);
      };
      const { files } = await countAll(folder.configDir);
      const counter = createToolCounter({ clock, createScanner });
      const first = await counter.count(files, QUESTION, 1500);
      assert.deepEqual([Object.keys(plain(first)).sort(), first.files.waiting], [['late', 'middle'], 1]);
      const second = await counter.count(files, QUESTION, 1500);
      assert.deepEqual([Object.keys(plain(second)).length, second.files.waiting], [3, 0]);
    }));

  it('wait while more important work is running', () =>
    withUsageFolder(async (folder) => {
      folder.write(folder.path('s'), [call('1', 'Read')]);
      const clock = new FakeClock();
      const { files } = await countAll(folder.configDir);
      const counter = createToolCounter({ clock, isBusy: () => true });
      const counted = counter.count(files, QUESTION, 1000);
      for (let step = 0; step < 10; step++) {
        clock.advance(200);
        await new Promise(setImmediate);
      }
      assert.deepEqual((await counted).files, { total: 1, waiting: 1, unreadable: 0 });
    }));

  it('of a long transcript that grows are read again only after a while', () =>
    withUsageFolder(async (folder) => {
      const clock = new FakeClock();
      const counter = createToolCounter({ clock });
      const path = folder.write(folder.path('s'), [call('1', 'Read'), result('1', 'x'.repeat(3 * 1024 * 1024))]);
      const calls = async (): Promise<number | undefined> => {
        const { files } = await countAll(folder.configDir);
        return rangeOf(await counter.count(files, QUESTION, ALWAYS), 'all').tools[0]?.calls;
      };
      assert.equal(await calls(), 1);
      folder.append(path, [call('2', 'Read')]);
      assert.equal(await calls(), 1);
      clock.advance(4000);
      assert.equal(await calls(), 2);
    }));

  it('of a transcript that vanished or cannot be read are missing, and nothing else is', () =>
    withUsageFolder(async (folder) => {
      const gone = folder.write(folder.path('gone'), [call('1', 'Read')]);
      folder.write(folder.path('s'), [call('2', 'Bash')]);
      const { files } = await countAll(folder.configDir);
      rmSync(gone);
      const counter = createToolCounter();
      const usage = await counter.count(files, QUESTION, ALWAYS);
      assert.deepEqual([plain(usage), usage.files], [{ Bash: [1, 0, 0] }, { total: 2, waiting: 0, unreadable: 1 }]);
      rmSync(folder.path('s'));
      const after = await counter.count((await countAll(folder.configDir)).files, QUESTION, ALWAYS);
      assert.deepEqual([plain(after), after.files], [{}, { total: 0, waiting: 0, unreadable: 0 }]);
    }));

  it('are not read any more after the counter was closed', () =>
    withUsageFolder(async (folder) => {
      folder.write(folder.path('s'), [call('1', 'Read')]);
      const { files } = await countAll(folder.configDir);
      const counter = createToolCounter();
      counter.close();
      await assert.rejects(counter.count(files, QUESTION, ALWAYS), { name: 'AbortError' });
    }));
});

describe('The cache of the calls of tools', () => {
  interface Place {
    readonly folder: UsageFolder;
    readonly warnings: string[];
    readonly open: () => ToolCache;
    /** Path of the file. */
    readonly file: () => string;
    /** Counts with a counter of its own; returns the figures and the number of transcripts that were read. */
    readonly count: () => Promise<{ tools: SlowTools; scans: number }>;
  }

  function withPlace(use: (place: Place) => Promise<void>): Promise<void> {
    return withTemporaryFolder(async (path) => {
      const folder = new UsageFolder(join(path, 'config'));
      const cacheDir = join(path, 'cache');
      const warnings: string[] = [];
      const open = (): ToolCache =>
        new ToolCache({ folder: cacheDir, configDir: folder.configDir, warn: (message) => warnings.push(message) });
      await use({
        folder,
        warnings,
        open,
        file: () => join(cacheDir, readdirSync(cacheDir).find((name) => name.endsWith('.cache')) ?? ''),
        count: async () => {
          let scans = 0;
          const createScanner: ToolCounterDeps['createScanner'] = (options) => {
            scans++;
            return plainScanner(options);
          };
          return { tools: plain(await count(folder.configDir, { cache: open(), createScanner })), scans };
        },
      });
    });
  }

  it('restores everything, and no transcript is read again', () =>
    withPlace(async ({ folder, count: countTools }) => {
      writeRandomCalls(folder, 99);
      const first = await countTools();
      assert.ok(first.scans > 2);
      assert.deepEqual(await countTools(), { tools: first.tools, scans: 0 });
    }));

  it('requires reading only what changed, appeared or vanished', () =>
    withPlace(async ({ folder, count: countTools }) => {
      const one = folder.write(folder.path('one'), [call('1', 'Read')]);
      folder.write(folder.path('two'), [call('2', 'Bash')]);
      folder.write(folder.path('three'), [call('3', 'Grep')]);
      await countTools();
      folder.append(one, [call('4', 'Write')]);
      rmSync(folder.path('two'));
      const tools = { Read: [1, 0, 0], Grep: [1, 0, 0], Write: [1, 0, 0] };
      assert.deepEqual(await countTools(), { tools, scans: 1 });
      assert.deepEqual(await countTools(), { tools, scans: 0 });
    }));

  it('is readable by its owner only', function () {
    if (process.platform === 'win32') this.skip();
    return withPlace(async ({ folder, count: countTools, file }) => {
      folder.write(folder.path('s'), [call('1', 'Read')]);
      await countTools();
      assert.equal(statSync(file()).mode & 0o777, 0o600);
    });
  });

  it('is begun anew if it is damaged or truncated', () =>
    withPlace(async ({ folder, count: countTools, file, open }) => {
      writeRandomCalls(folder, 98);
      const { tools } = await countTools();
      const bytes = readFileSync(file());
      for (let at = 0; at < bytes.length; at += 61) {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ 0x10;
        writeFileSync(file(), damaged);
        assert.equal(open().load(), null, String(at));
      }
      writeFileSync(file(), bytes);
      truncateSync(file(), bytes.length - 3);
      assert.equal(open().load(), null);
      writeFileSync(file(), '');
      assert.deepEqual((await countTools()).tools, tools);
      assert.notEqual(open().load(), null);
    }));

  it('of a later version is left alone', () =>
    withPlace(async ({ folder, count: countTools, file, warnings }) => {
      folder.write(folder.path('s'), [call('1', 'Read')]);
      await countTools();
      const later = readFileSync(file());
      later.writeUInt32LE(later.readUInt32LE(8) + 1, 8);
      writeFileSync(file(), later);
      assert.deepEqual(await countTools(), { tools: { Read: [1, 0, 0] }, scans: 1 });
      assert.deepEqual([readFileSync(file()), warnings], [later, []]);
    }));

  it('is shared by windows: each keeps what another one read later', () =>
    withPlace(async ({ folder, open }) => {
      const path = folder.write(folder.path('s'), [call('1', 'Read')]);
      const clock = new FakeClock();
      clock.advance(1000);
      folder.append(path, [call('2', 'Bash')]);
      folder.write(folder.path('t'), [call('3', 'Grep')]);
      const late = createToolCounter({ clock, cache: open() });
      await late.count((await countAll(folder.configDir)).files, QUESTION, ALWAYS);
      // A window that has read less, and whose names have other positions.
      const less = createToolCounter({
        clock: new FakeClock(),
        cache: { load: () => null, save: (...it) => open().save(...it) },
      });
      rmSync(folder.path('t'));
      const { files } = await countAll(folder.configDir);
      folder.write(folder.path('t'), [call('3', 'Grep')]);
      await less.count(files, QUESTION, ALWAYS);
      const stored = open().load();
      assert.deepEqual([...(stored?.files.keys() ?? [])].sort(), [path, folder.path('t')]);
      assert.deepEqual([...(stored?.names ?? [])].sort(), ['Bash', 'Grep', 'Read']);
    }));

  it('is reported once if it cannot be written, and nothing is lost', () =>
    withPlace(async ({ folder, count: countTools, warnings }) => {
      folder.write(folder.path('s'), [call('1', 'Read')]);
      writeFileSync(join(folder.configDir, '..', 'cache'), 'a file in its place');
      assert.deepEqual((await countTools()).tools, { Read: [1, 0, 0] });
      assert.equal(warnings.length, 1);
    }));
});

/** Transcripts that share calls, with repeated ids, missing times, results in every form, and some other rows. */
function writeRandomCalls(folder: UsageFolder, seed: number): void {
  const random = createRandom(seed);
  const names = ['Read', 'Bash', 'Edit', 'mcp__almanac__lookup', '', 'x'.repeat(300), 7];
  const times = [
    '2026-11-22T00:00:00.000Z',
    '2026-11-21T23:59:59.999Z',
    '2026-11-16T00:00:00.000Z',
    '2026-10-24T00:00:00.000Z',
    '2026-10-23T23:59:00.000Z',
    '2027-01-01T00:00:00.000Z',
    undefined,
  ];
  for (let file = 0; file < 4; file++) {
    const rows: (Row | string)[] = [];
    for (let step = 0; step < 40; step++) {
      const id = random.below(60);
      const kind = random.below(20);
      // The name and the time of a call are the same in all copies.
      const [name, timestamp] = [names[id % names.length], times[id % 5 === 0 ? 6 : (id * 3) % times.length]];
      if (kind < 9) rows.push(call(`toolu_${id}`, name, { uuid: `${file} ${step}`, timestamp }));
      else if (kind < 10) rows.push(call(undefined, name, { uuid: `${file} ${step}`, timestamp }));
      else if (kind < 18) {
        const text = 'é'.repeat(random.below(50));
        rows.push(
          result(
            `toolu_${id}`,
            random.pick<unknown>([text, [{ type: 'text', text }, { type: 'image' }], undefined]),
            random.pick<unknown>([true, false, undefined]),
          ),
        );
      } else rows.push(random.pick<Row | string>(['{"torn":\n', '\n', { type: 'summary', summary: 'tool_use' }]));
    }
    folder.write(folder.path(`f${file}`), rows);
  }
}
