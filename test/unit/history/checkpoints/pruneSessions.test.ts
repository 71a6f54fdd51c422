import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pruneSessions } from '../../../rooms/history';
import { nodeWriteFs } from '../../../rooms/storage';
import { callOf, type StoreFixture, withStore } from '../sessionStore/storeFixture';

const DAY_MS = 24 * 60 * 60 * 1000;
const CWD = '/home/person/project';
const GONE = '11111111-1111-4111-8111-111111111111';
const FORK = '22222222-2222-4222-8222-222222222222';

function transcriptOf({ configDir }: StoreFixture, id: string): string {
  return join(configDir, 'projects', '-project', `${id}.jsonl`);
}

/** A prompt in the form that a fork of another session has. */
function writeTranscript(fixture: StoreFixture, id: string, forkedFrom: string | null = null): void {
  const row = {
    parentUuid: null,
    isSidechain: false,
    type: 'user',
    message: { role: 'user', content: 'Draw the rain' },
    uuid: '33333333-3333-4333-8333-333333333333',
    timestamp: '2026-11-22T10:00:00.000Z',
    sessionId: id,
    ...(forkedFrom === null ? {} : { forkedFrom: { sessionId: forkedFrom, messageUuid: 'x' } }),
  };
  writeFileSync(transcriptOf(fixture, id), `${JSON.stringify(row)}\n`);
}

/** A config folder with one session, which has a transcript and checkpoints taken by the hook. */
async function makeStore(fixture: StoreFixture): Promise<void> {
  mkdirSync(join(fixture.configDir, 'projects', '-project'), { recursive: true });
  writeTranscript(fixture, FORK);
  await keepCheckpoint(fixture, GONE);
}

async function keepCheckpoint(fixture: StoreFixture, id: string, text = 'what it held'): Promise<void> {
  const path = join(fixture.folder, 'notes.txt');
  writeFileSync(path, text);
  const session = await fixture.store.open(id, CWD);
  await session.checkpoint(callOf({ transcriptPath: transcriptOf(fixture, id) }), [path]);
}

function pruneAfter({ deps }: StoreFixture, days: number, change: Partial<StoreFixture['deps']> = {}) {
  return pruneSessions({ ...deps, now: () => deps.now() + days * DAY_MS, ...change });
}

async function idsOf({ store }: StoreFixture): Promise<readonly string[]> {
  return (await store.list()).map(({ id }) => id);
}

describe('The checkpoints of a deleted session', () => {
  it('are removed 30 days after the last of them, with the copies that no other session uses', () =>
    withStore(async (fixture) => {
      await makeStore(fixture);
      assert.deepEqual(await pruneAfter(fixture, 29), []);
      assert.deepEqual(await idsOf(fixture), [GONE]);
      assert.deepEqual(await pruneAfter(fixture, 31), [GONE]);
      assert.deepEqual(await idsOf(fixture), []);
      const pool = join(fixture.configDir, 'rethread', 'checkpoints', 'content');
      assert.deepEqual(
        readdirSync(pool).flatMap((shard) => readdirSync(join(pool, shard))),
        [],
      );
    }));

  it('are removed without the copies of other sessions', () =>
    withStore(async (fixture) => {
      await makeStore(fixture);
      writeTranscript(fixture, FORK);
      await keepCheckpoint(fixture, FORK);
      assert.deepEqual(await pruneAfter(fixture, 31), [GONE]);
      const { content } = fixture.pathsOf(FORK);
      const [copy] = readdirSync(content.own);
      assert.equal(readFileSync(join(content.own, copy ?? ''), 'utf8'), 'what it held');
    }));

  it('are kept while a transcript exists, wherever it was moved', () =>
    withStore(async (fixture) => {
      await makeStore(fixture);
      writeTranscript(fixture, GONE);
      assert.deepEqual(await pruneAfter(fixture, 400), []);
      rmSync(transcriptOf(fixture, GONE));
      mkdirSync(join(fixture.configDir, 'projects', '-elsewhere'));
      writeFileSync(join(fixture.configDir, 'projects', '-elsewhere', `${GONE}.jsonl`), '{}\n');
      assert.deepEqual(await pruneAfter(fixture, 402), []);
    }));

  it('are kept while there is a fork whose files they can restore', () =>
    withStore(async (fixture) => {
      await makeStore(fixture);
      writeTranscript(fixture, FORK, GONE);
      assert.deepEqual(await pruneAfter(fixture, 31), []);
      rmSync(transcriptOf(fixture, FORK));
      assert.deepEqual(await pruneAfter(fixture, 33), [GONE]);
    }));

  it('are kept if the store holds other data of a program, or if no transcript was ever named', () =>
    withStore(async (fixture) => {
      await makeStore(fixture);
      const ours = await fixture.store.create({ id: 'ours', cwd: CWD });
      await ours.append({ text: 'a message' });
      const audited = await fixture.store.create({ id: 'audited', cwd: CWD });
      await audited.record({ text: 'a row' });
      await (await fixture.store.create({ id: 'nameless', cwd: CWD })).checkpoint(callOf(), []);
      await fixture.store.create({ id: 'empty', cwd: CWD });
      assert.deepEqual(await pruneAfter(fixture, 31), [GONE]);
      assert.deepEqual([...(await idsOf(fixture))].sort(), ['audited', 'empty', 'nameless', 'ours']);
    }));

  it('are kept when it is unclear whether the session was deleted', () =>
    withStore(async (fixture) => {
      await makeStore(fixture);
      for (const refused of ['lstat', 'readdir', 'open'] as const) {
        const fs = {
          ...nodeWriteFs,
          [refused]: (path: string, ...rest: never[]) =>
            path.includes('projects')
              ? Promise.reject(Object.assign(new Error('EACCES'), { code: 'EACCES' }))
              : (nodeWriteFs[refused] as (path: string, ...rest: never[]) => Promise<unknown>)(path, ...rest),
        };
        assert.deepEqual(await pruneAfter(fixture, 31, { fs }), [], refused);
        rmSync(join(fixture.configDir, 'rethread', 'checkpoints', 'pruned.jsonl'));
      }
      rmSync(join(fixture.configDir, 'projects'), { recursive: true });
      assert.deepEqual(await pruneAfter(fixture, 31), []);
      assert.deepEqual(await idsOf(fixture), [GONE]);
    }));

  it('are checked once a day, and removals are logged', () =>
    withStore(async (fixture) => {
      await makeStore(fixture);
      writeTranscript(fixture, GONE);
      assert.deepEqual(await pruneAfter(fixture, 31), []);
      rmSync(transcriptOf(fixture, GONE));
      assert.deepEqual(await pruneAfter(fixture, 31.9), []);
      assert.deepEqual(await pruneAfter(fixture, 32.1), [GONE]);
      const log = readFileSync(join(fixture.configDir, 'rethread', 'checkpoints', 'pruned.jsonl'), 'utf8');
      const rows = log.split('\n').map((line) => JSON.parse(line) as { readonly removed?: readonly string[] });
      assert.deepEqual(
        rows.map(({ removed }) => removed),
        [undefined, [], [GONE]],
      );
    }));
});
