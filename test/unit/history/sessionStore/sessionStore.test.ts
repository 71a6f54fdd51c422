import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { SessionStore } from '../../../rooms/history';
import type { WriteFs } from '../../../rooms/storage';
import { bodiesOf, callOf, storeParts, withStore } from './storeFixture';

const CWD = '/home/person/project';

describe('A stored session', () => {
  it('returns the appended rows in order when it is loaded again', () =>
    withStore(async ({ store }) => {
      const session = await store.create({ id: 'one', cwd: CWD, model: 'some-model' });
      await session.append({ text: 'first\nwith two lines' });
      await session.append({ text: 'zweite \u2028 ✓' }, 'uuid-of-the-second');
      const loaded = await store.load('one');
      assert.deepEqual(bodiesOf(loaded.messages), [{ text: 'first\nwith two lines' }, { text: 'zweite \u2028 ✓' }]);
      assert.equal(loaded.messages[1]?.uuid, 'uuid-of-the-second');
      assert.deepEqual(loaded.messages, session.messages);
      assert.deepEqual(loaded.info, session.info);
      assert.deepEqual([loaded.info.cwd, loaded.info.model, loaded.info.parentSessionId], [CWD, 'some-model', null]);
    }));

  it('consists of one JSON object per line, and nothing else', () =>
    withStore(async ({ store, pathsOf }) => {
      const session = await store.create({ id: 'one', cwd: CWD });
      for (let at = 0; at < 3; at++) await session.append({ at });
      const lines = readFileSync(pathsOf('one').messages, 'utf8').split('\n');
      assert.equal(lines.length, 4);
      for (const line of lines) assert.equal(typeof JSON.parse(line), 'object');
    }));

  it('cannot be created twice', () =>
    withStore(async ({ store }) => {
      const session = await store.create({ id: 'one', cwd: CWD });
      await session.append({ text: 'kept' });
      await assert.rejects(store.create({ id: 'one', cwd: '/elsewhere' }), { code: 'exists' });
      const made = await Promise.allSettled(Array.from({ length: 8 }, () => store.create({ id: 'two', cwd: CWD })));
      assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 1);
      assert.deepEqual(bodiesOf((await store.load('one')).messages), [{ text: 'kept' }]);
    }));

  it('is reported as missing if it was never created', () =>
    withStore(async ({ store }) => {
      await assert.rejects(store.load('one'), { code: 'missing' });
      await assert.rejects(store.resume('one', 'x'), { code: 'missing' });
      await assert.rejects(store.fork('one'), { code: 'missing' });
      assert.equal(await store.delete('one'), false);
      assert.equal(await store.latest(CWD), null);
      assert.deepEqual(await store.list(), []);
      assert.deepEqual(await store.checkpoints('one'), []);
    }));

  it('is the latest of its folder by the last stored row, not by its creation', () =>
    withStore(async ({ store }) => {
      const one = await store.create({ id: 'one', cwd: CWD });
      await store.create({ id: 'two', cwd: CWD });
      await store.create({ id: 'elsewhere', cwd: '/home/person/other' });
      assert.equal((await store.latest(CWD))?.info.id, 'two');
      await one.append({ text: 'x' });
      assert.equal((await store.latest(`${CWD}/`))?.info.id, 'one');
      assert.deepEqual(
        (await store.list()).map(({ id }) => id),
        ['one', 'elsewhere', 'two'],
      );
      await (await store.open('two', CWD)).checkpoint(callOf(), []);
      assert.equal((await store.latest(CWD))?.info.id, 'two');
    }));

  it('is the latest of its folder under any name of the folder, including a link', () =>
    withStore(async ({ folder, store }) => {
      const [project, link] = [join(folder, 'project'), join(folder, 'link')];
      mkdirSync(project);
      symlinkSync(project, link);
      await store.create({ id: 'one', cwd: project });
      assert.equal((await store.latest(link))?.info.id, 'one');
      await store.create({ id: 'two', cwd: link });
      assert.equal((await store.latest(project))?.info.id, 'two');
      rmSync(project, { recursive: true });
      assert.equal((await store.latest(project))?.info.id, 'one');
      assert.equal((await store.latest(link))?.info.id, 'two');
    }));

  it('continues where it is resumed, and keeps the rows after that point', () =>
    withStore(async ({ store, pathsOf }) => {
      const session = await store.create({ id: 'one', cwd: CWD });
      for (const uuid of ['a', 'b', 'c']) await session.append({ uuid }, uuid);
      const before = readFileSync(pathsOf('one').messages, 'utf8');
      const resumed = await store.resume('one', 'b');
      assert.deepEqual(bodiesOf(resumed.messages), [{ uuid: 'a' }, { uuid: 'b' }]);
      assert.equal(readFileSync(pathsOf('one').messages, 'utf8'), before, 'to resume writes nothing');
      assert.equal((await store.load('one')).messages.length, 3);
      await resumed.append({ uuid: 'd' }, 'd');
      await resumed.append({ uuid: 'e' }, 'e');
      assert.deepEqual(
        (await store.load('one')).messages.map(({ uuid }) => uuid),
        ['a', 'b', 'd', 'e'],
      );
      assert.ok(readFileSync(pathsOf('one').messages, 'utf8').startsWith(before), 'nothing was rewritten');
      await assert.rejects(store.resume('one', 'c'), { code: 'unknown-message' });
    }));

  it('keeps its complete stream separately, for audits', () =>
    withStore(async ({ store, pathsOf }) => {
      const session = await store.create({ id: 'one', cwd: CWD });
      await session.append({ text: 'a message' });
      await session.record({ type: 'stream_event', at: 1 });
      assert.equal((await store.load('one')).messages.length, 1);
      const rows = readFileSync(pathsOf('one').transcript, 'utf8').split('\n');
      assert.deepEqual((JSON.parse(rows[1] ?? '') as { entry: unknown }).entry, { type: 'stream_event', at: 1 });
    }));

  it('never reaches the file system if it is not to be stored', async () => {
    const touched: string[] = [];
    const fs = new Proxy({} as WriteFs, {
      get: (_, name) => {
        touched.push(String(name));
        throw new Error(`fs.${String(name)} was called`);
      },
    });
    const store = new SessionStore(storeParts('/nowhere', fs));
    const session = await store.create({ cwd: CWD, persist: false });
    await session.append({ text: 'x' }, 'x');
    await session.record({ text: 'x' });
    assert.equal(await session.checkpoint(callOf(), ['/etc/hostname']), null);
    assert.deepEqual(bodiesOf(session.messages), [{ text: 'x' }]);
    assert.deepEqual(touched, []);
  });

  it('is readable by its owner only', () =>
    withStore(async ({ store, pathsOf, configDir }) => {
      const session = await store.create({ id: 'one', cwd: CWD });
      await session.append({ text: 'x' });
      await session.record({ text: 'x' });
      const { folder, messages, info: facts, transcript } = pathsOf('one');
      for (const path of [folder, join(configDir, 'rethread'), join(configDir, 'rethread/checkpoints')]) {
        assert.equal(statSync(path).mode & 0o777, 0o700, path);
      }
      for (const path of [messages, facts, transcript]) assert.equal(statSync(path).mode & 0o777, 0o600, path);
    }));
});

describe('A fork of a stored session', () => {
  it('starts with the rows of its source, names it, and is a separate session', () =>
    withStore(async ({ store }) => {
      const source = await store.create({ id: 'one', cwd: CWD });
      for (const uuid of ['a', 'b', 'c']) await source.append({ uuid }, uuid);
      const fork = await store.fork('one', { id: 'two', at: 'b' });
      await fork.append({ uuid: 'd' }, 'd');
      await source.append({ uuid: 'e' }, 'e');
      assert.deepEqual(
        (await store.load('two')).messages.map(({ uuid }) => uuid),
        ['a', 'b', 'd'],
      );
      assert.deepEqual(
        (await store.load('one')).messages.map(({ uuid }) => uuid),
        ['a', 'b', 'c', 'e'],
      );
      assert.equal((await store.load('two')).info.parentSessionId, 'one');
      await assert.rejects(store.fork('one', { at: 'x' }), { code: 'unknown-message' });
      await assert.rejects(store.fork('one', { id: 'two' }), { code: 'exists' });
    }));

  it('shares stored files, and each session keeps them when the other is deleted', () =>
    withStore(async ({ store, folder, pathsOf }) => {
      const file = join(folder, 'a.txt');
      writeFileSync(file, 'alpha');
      const source = await store.create({ id: 'one', cwd: folder });
      await source.append({}, 'a');
      await source.checkpoint(callOf({ promptUuid: 'a' }), [file]);
      await source.append({}, 'b');
      writeFileSync(file, 'beta');
      await source.checkpoint(callOf({ promptUuid: 'b' }), [file]);
      await store.fork('one', { id: 'two', at: 'a' });
      await store.fork('one', { id: 'three' });
      assert.equal((await store.checkpoints('two')).length, 1);
      assert.equal((await store.checkpoints('three')).length, 2);
      const [alpha] = readdirSync(pathsOf('two').content.own);
      assert.ok(alpha !== undefined);
      const inode = (id: string) => statSync(join(pathsOf(id).content.own, alpha)).ino;
      assert.equal(inode('one'), inode('two'));
      assert.equal(await store.delete('one'), true);
      assert.equal(readFileSync(join(pathsOf('two').content.own, alpha), 'utf8'), 'alpha');
      assert.equal(readdirSync(pathsOf('three').content.own).length, 2);
      await store.delete('three');
      assert.equal(readFileSync(join(pathsOf('two').content.own, alpha), 'utf8'), 'alpha');
      await store.delete('two');
      const shards = readdirSync(pathsOf('two').content.pool);
      assert.deepEqual(
        shards.flatMap((shard) => readdirSync(join(pathsOf('two').content.pool, shard))),
        [],
      );
    }));
});

describe('The deletion of a stored session', () => {
  it('removes its folder and nothing beside it, and follows no link', () =>
    withStore(async ({ store, folder, pathsOf }) => {
      const outside = join(folder, 'outside');
      mkdirSync(outside);
      writeFileSync(join(outside, 'precious'), 'x');
      await store.create({ id: 'one', cwd: CWD });
      await store.create({ id: 'two', cwd: CWD });
      symlinkSync(outside, join(pathsOf('one').folder, 'link'));
      symlinkSync(outside, join(pathsOf('one').folder, '..', 'three'));
      assert.equal(await store.delete('one'), true);
      assert.equal(await store.delete('three'), true);
      assert.equal(readFileSync(join(outside, 'precious'), 'utf8'), 'x');
      assert.deepEqual(
        (await store.list()).map(({ id }) => id),
        ['two'],
      );
      assert.ok(!existsSync(pathsOf('one').folder));
      assert.deepEqual(readdirSync(join(pathsOf('one').folder, '..')), ['two']);
    }));

  it('completes what a dead process had started', () =>
    withStore(async ({ store, pathsOf, deps }) => {
      await store.create({ id: 'one', cwd: CWD });
      const sessions = join(pathsOf('one').folder, '..');
      mkdirSync(join(sessions, '.gone-x', 'files'), { recursive: true });
      writeFileSync(join(sessions, '.gone-x', 'files', 'y'), '');
      mkdirSync(join(sessions, '.new-x'));
      await new SessionStore({ ...deps, now: () => Date.now() }).delete('nothing');
      assert.deepEqual(readdirSync(sessions).sort(), ['.new-x', 'one'], 'what is being made now is left alone');
      await new SessionStore({ ...deps, now: () => Date.now() + 7_200_000 }).delete('nothing');
      assert.deepEqual(readdirSync(sessions), ['one']);
    }));
});

describe('An id from outside', () => {
  const IDS = [
    '../../../escape',
    '..',
    '.',
    '',
    '/etc/passwd',
    'a/b',
    'a\\b',
    'con',
    'C:\\x',
    'A',
    'a',
    'a\0b',
    '.new-x',
    '=x',
    'é',
    '\ud800',
    '\ud801',
    'x'.repeat(5000),
    ' ',
  ];

  it('never leads out of the store, and each id is a separate session', () =>
    withStore(async ({ store, folder, configDir, pathsOf }) => {
      for (const id of IDS) await (await store.create({ id, cwd: CWD })).append({ id });
      assert.deepEqual(readdirSync(folder), ['config']);
      assert.deepEqual(readdirSync(configDir), ['rethread']);
      assert.deepEqual(readdirSync(join(configDir, 'rethread')), ['checkpoints']);
      assert.equal(readdirSync(join(pathsOf('a').folder, '..')).length, IDS.length);
      for (const id of IDS) assert.deepEqual(bodiesOf((await store.load(id)).messages), [{ id }]);
      assert.deepEqual((await store.list()).map(({ id }) => id).sort(), [...IDS].sort());
      for (const id of IDS) assert.equal(await store.delete(id), true, id);
      assert.deepEqual(await store.list(), []);
    }));
});

describe('A damaged stored session', () => {
  it('is read leniently: torn metadata, foreign rows, blank lines', () =>
    withStore(async ({ store, pathsOf }) => {
      const session = await store.create({ id: 'one', cwd: CWD });
      await session.append({ at: 1 });
      writeFileSync(pathsOf('one').info, '{"id":"on');
      appendFileSync(
        pathsOf('one').messages,
        '\n\n[1]\n"x"\nnull\n{"uuid":7}\n{"body":{}}\r\n\n{"uuid":"x","body":{"at":2},"more":1}\r\n',
      );
      await session.append({ at: 3 });
      const loaded = await store.load('one');
      assert.deepEqual(bodiesOf(loaded.messages), [{ at: 1 }, { at: 2 }, { at: 3 }]);
      assert.equal(loaded.torn, 3);
      assert.deepEqual(
        (await store.list()).map(({ id }) => id),
        ['one'],
      );
      rmSync(pathsOf('one').info);
      assert.equal((await store.load('one')).messages.length, 3);
    }));

  it('reports rows that cannot be read or stored', () =>
    withStore(async ({ store, pathsOf }) => {
      const session = await store.create({ id: 'one', cwd: CWD });
      mkdirSync(pathsOf('one').messages);
      await assert.rejects(session.append({ at: 1 }), { code: 'failed', message: /Failed to keep a row of messages/ });
      await assert.rejects(store.load('one'), { code: 'failed' });
    }));
});
