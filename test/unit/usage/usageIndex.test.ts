import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { type OpenTranscript, readOnceTranscript, type ScannerFactory } from '../../rooms/transcript';
import {
  ConfigDirUsage,
  describeSpending,
  listUsageFiles,
  PriceBook,
  readUsage,
  UsageFollower,
} from '../../rooms/usage';
import { createPacer } from '../../rooms/util';
import type { Spending } from '../../../src/protocol/usage';
import { wasmScanners } from '../../support/scannerModule';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { countAll, plain, report } from './createCounter';
import { writeUsageCorpus } from './usageCorpus';
import { answer, withUsageFolder } from './usageFolder';
import { plainScanner } from '../../support/plainScanner';

const pacer = createPacer(1000);
const ZONE = 'America/New_York';
/** Number of transcripts that grow at a time. Each has its own scanner, which takes some milliseconds to create. */
const MAX_FOLLOWED = 4;
/** The positions at which transcripts are cut, as fractions of their length. */
const cutsOf = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 });

/** All values that a usage contains. */
function figures(usage: ConfigDirUsage): unknown {
  const sessions = [...usage.index.sessions]
    .map((session) => ({ id: session.sessionId, ...describeSpending(usage.index, session, new PriceBook({})) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  return [sessions, ...(['day', 'model', 'project', 'session'] as const).map((by) => report(usage, by, ZONE))];
}

function followed(filePath: string, createScanner: ScannerFactory): OpenTranscript {
  return readOnceTranscript({ filePath, createScanner, pacer, withUsage: true });
}

async function listAll(configDir: string) {
  const listed = [];
  for await (const file of listUsageFiles([configDir], pacer)) listed.push(file);
  return listed;
}

describe('The usage index', () => {
  it('does not depend on the order in which transcripts are read', () =>
    withTemporaryFolder(async (folder) => {
      writeUsageCorpus(folder, 3, 14);
      const expected = figures(await countAll(folder));
      const listed = await listAll(folder);
      await fc.assert(
        fc.asyncProperty(fc.shuffledSubarray(listed, { minLength: listed.length }), async (order) => {
          const usage = new ConfigDirUsage(null);
          for (const { place, stamp } of order) {
            usage.take({ place, stamp, readAtMs: 0 }, await readUsage(place.filePath, plainScanner, pacer));
          }
          assert.deepEqual(figures(usage), expected);
        }),
        { numRuns: 20 },
      );
    })).timeout(30_000);

  it('is the same after transcripts were removed, replaced and added again', () =>
    withTemporaryFolder(async (folder) => {
      writeUsageCorpus(folder, 4, 14);
      const listed = await listAll(folder);
      const expected = figures(await countAll(folder));
      const steps = fc.array(fc.tuple(fc.nat(listed.length - 1), fc.boolean()), { maxLength: 40 });
      await fc.assert(
        fc.asyncProperty(steps, async (changes) => {
          const usage = await countAll(folder);
          const put = async ({ place, stamp }: (typeof listed)[number]): Promise<void> => {
            usage.take({ place, stamp, readAtMs: 0 }, await readUsage(place.filePath, plainScanner, pacer));
          };
          for (const [at, isRemoved] of changes) {
            const file = listed[at];
            if (file === undefined) continue;
            if (isRemoved) usage.remove(file.place.filePath);
            else await put(file);
          }
          for (const file of listed) if (!usage.files.has(file.place.filePath)) await put(file);
          assert.deepEqual(figures(usage), expected);
        }),
        { numRuns: 20 },
      );
    })).timeout(30_000);

  for (const [name, createScanner] of [
    ['plain', plainScanner],
    ['fast', wasmScanners()],
  ] as const) {
    it(`gives the same usage for a transcript that grows in pieces as for one reading (${name} scanner)`, () =>
      withTemporaryFolder(async (folder) => {
        writeUsageCorpus(folder, 5, 10);
        const listed = await listAll(folder);
        const contents = new Map(listed.map(({ place }) => [place.filePath, readFileSync(place.filePath)]));
        const expected = figures(await countAll(folder));
        await fc.assert(
          fc.asyncProperty(
            cutsOf,
            fc.subarray(listed, { minLength: 1, maxLength: MAX_FOLLOWED }),
            async (cuts, growing) => {
              const usage = new ConfigDirUsage(null);
              for (const { place, stamp } of listed.filter((file) => !growing.includes(file))) {
                usage.take({ place, stamp, readAtMs: 0 }, await readUsage(place.filePath, createScanner, pacer));
              }
              const followers = growing.map((file) => ({
                ...file,
                follower: new UsageFollower(followed(file.place.filePath, createScanner)),
              }));
              for (const cut of [...cuts.sort((a, b) => a - b), 1]) {
                for (const { place, stamp, follower } of followers) {
                  const bytes = contents.get(place.filePath) ?? Buffer.alloc(0);
                  writeFileSync(place.filePath, bytes.subarray(0, Math.round(bytes.length * cut)));
                  const reading = await follower.read();
                  if (reading !== null) usage.take({ place, stamp, readAtMs: 0 }, reading);
                }
              }
              assert.deepEqual(figures(usage), expected);
            },
          ),
          { numRuns: 20 },
        );
      })).timeout(40_000);
  }

  for (const how of ['says of which session they are', 'does not say that they are copies'] as const) {
    it(`adds only the new messages of a fork whose rows it copied, and which ${how}`, () =>
      withUsageFolder(async (folder) => {
        const rows = [answer('a', 100), answer('b', 200)];
        folder.write(folder.path('one'), rows);
        const before = report(await countAll(folder.configDir), 'day').totals;
        const mark = how.startsWith('says') ? { forkedFrom: { sessionId: 'one' } } : {};
        const copied = rows.map((row) => ({ ...row, ...mark }));
        folder.write(folder.path('two', '-q'), [...copied, answer('c', 7)]);
        const usage = await countAll(folder.configDir);
        const after = report(usage, 'day').totals;
        assert.deepEqual([after.messages - before.messages, after.counts.output - before.counts.output], [1, 7]);
        const outputs = report(usage, 'project').rows.map(({ filePath, counts }) => [filePath, counts.output]);
        assert.deepEqual(
          new Map(outputs as [string, number][]),
          new Map([
            [join(folder.configDir, 'projects', '-p'), 300],
            [join(folder.configDir, 'projects', '-q'), 7],
          ]),
        );
        const [fork, original] = ['two', 'one'].map((id) => spendingOf(usage, id));
        assert.deepEqual([original?.total.counts.output, original?.shared.counts.output], [300, 0]);
        assert.deepEqual([fork?.total.counts.output, fork?.shared.counts.output], [307, 300]);
      }));
  }

  it('counts a message for the transcript that does not mark it as a copy, even if that file is newer', () =>
    withUsageFolder(async (folder) => {
      folder.write(folder.path('fork'), [{ ...answer('a', 5), forkedFrom: { sessionId: 'original' } }]);
      folder.write(folder.path('original'), [answer('a', 5)]);
      const usage = await countAll(folder.configDir);
      assert.equal(spendingOf(usage, 'fork')?.shared.messages, 1);
      assert.equal(spendingOf(usage, 'original')?.shared.messages, 0);
    }));

  it('uses the highest count of a message that is torn in one transcript and complete in another', () =>
    withUsageFolder(async (folder) => {
      folder.write(folder.path('one'), [answer('a', 3)]);
      folder.write(folder.path('two'), [answer('a', 3), answer('a', 90)]);
      const usage = await countAll(folder.configDir);
      assert.equal(report(usage, 'day').totals.counts.output, 90);
      for (const id of ['one', 'two']) assert.equal(spendingOf(usage, id)?.total.counts.output, 90);
      usage.remove(folder.path('two'));
      assert.equal(report(usage, 'day').totals.counts.output, 3);
    }));

  it('adds subagents of three generations of clients to their session, and distinguishes them', () =>
    withUsageFolder(async (folder) => {
      const session = folder.write(folder.path('s'), [answer('a', 1), answer('b', 2, { isSidechain: true })]);
      folder.write(join(session.replace('.jsonl', ''), 'subagents', 'agent-x.jsonl'), [answer('c', 4), answer('a', 1)]);
      folder.write(folder.path('agent-y'), [answer('d', 8, { sessionId: 's' })]);
      folder.write(folder.path('agent-z'), [answer('e', 16, { sessionId: 'gone' })]);
      const usage = await countAll(folder.configDir);
      const found = spendingOf(usage, 's');
      assert.deepEqual(
        [found?.own, found?.subagents, found?.total, found?.shared].map((each) => each?.counts.output),
        [1, 14, 15, 0],
      );
      assert.equal(report(usage, 'day').totals.counts.output, 31);
      const rows = report(usage, 'session').rows.map(({ key, filePath, counts }) => [key, filePath, counts.output]);
      assert.deepEqual(rows, [
        ['s', session, 15],
        ['gone', null, 16],
      ]);
    }));

  it('names a project by the rows of subagents if nothing else is left of it', () =>
    withUsageFolder(async (folder) => {
      const agent = (project: string, cwd: string) =>
        folder.write(join(folder.path('s', project).replace('.jsonl', ''), 'subagents', 'agent-x.jsonl'), [
          answer(`agent in ${project}`, 1, { cwd, isSidechain: true, timestamp: '2026-11-22T10:00:00.000Z' }),
        ]);
      const projects = async () =>
        report(await countAll(folder.configDir), 'project')
          .rows.map(({ key }) => key)
          .sort();
      agent('-p-my-app', '/p/my-app');
      agent('-q', '/elsewhere');
      assert.deepEqual(await projects(), ['/elsewhere', '/p/my-app']);
      folder.write(folder.path('t', '-q'), [answer('t', 1, { cwd: '/moved' })]);
      folder.write(folder.path('t', '-p-my-app'), [answer('u', 1, { cwd: '/moved-too' })]);
      assert.deepEqual(await projects(), ['/moved', '/p/my-app']);
      folder.write(folder.path('u', '-p-my-app'), [answer('v', 1, { cwd: '/p/my/app' })]);
      assert.deepEqual(await projects(), ['/moved', '/p/my/app']);
    }));

  it('adds up: the total is the sum of the sessions minus what they share', () =>
    withTemporaryFolder(async (folder) => {
      for (const seed of [11, 12, 13]) {
        writeUsageCorpus(join(folder, String(seed)), seed, 20);
        const usage = await countAll(join(folder, String(seed)));
        const sum = { messages: 0, input: 0, output: 0, writes: 0, reads: 0 };
        const add = (spending: Spending, sign: number): void => {
          const { messages, input, output, writes, reads } = plain(spending);
          sum.messages += sign * messages;
          sum.input += sign * input;
          sum.output += sign * output;
          sum.writes += sign * writes;
          sum.reads += sign * reads;
        };
        for (const session of usage.index.sessions) {
          const { total, shared } = describeSpending(usage.index, session, new PriceBook({}));
          add(total, 1);
          add(shared, -1);
        }
        add(report(usage, 'day').totals, -1);
        assert.deepEqual(sum, { messages: 0, input: 0, output: 0, writes: 0, reads: 0 });
      }
    }));
});

function spendingOf(usage: ConfigDirUsage, sessionId: string) {
  const session = [...usage.index.sessions].find((each) => each.sessionId === sessionId);
  return session === undefined ? null : describeSpending(usage.index, session, new PriceBook({}));
}
