import assert from 'node:assert/strict';
import { linkSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { uuidOf } from '../support/transcriptBuilder';
import { HOME, makePlace, rewindsOf, type Place } from './support/place';
import { readTree, writeTree } from './support/fileTree';
import { promptFor } from './support/scriptedReplies';
import { useRewindBench } from './support/useRewindBench';
import { sessionRefOf } from '../rooms/format';

/** The cases in docs/format.md ("File history") where our rewind differs from the client's, and what both skip. */
describe('Where the client contradicts its own dry run', () => {
  const bench = useRewindBench();

  async function driven(names: readonly string[]): Promise<{ readonly place: Place; readonly prompt: string }> {
    const place = makePlace(await bench().folder(), uuidOf(names.join()));
    const client = bench().start(place, ['--session-id', place.sessionId]);
    const calls = names.map((name) => [
      { name: 'Write', input: { file_path: join(place.cwd, name), content: 'aaaa\n' } },
    ]);
    await client.prompt(promptFor('Write.', calls), uuidOf('write'));
    const prompt = uuidOf('nothing');
    await client.prompt(promptFor('Nothing.', []), prompt);
    await client.close();
    return { place, prompt };
  }

  it('we follow the dry run: bytes count, not sizes and times', async () => {
    const { place, prompt } = await driven(['old.txt']);
    const old = join(place.cwd, 'old.txt');
    writeFileSync(old, 'zzzz\n');
    utimesSync(old, 1_000, 1_000);
    const before = readTree(place.root, [HOME]);
    const client = bench().start(place, ['--resume', place.sessionId]);
    const dry = await client.rewind(prompt, true);
    assert.deepEqual(dry.filesChanged, [old]);
    assert.equal((await client.rewind(prompt, false)).canRewind, true);
    assert.equal(readFileSync(old, 'utf8'), 'zzzz\n');

    writeTree(place.root, before, [HOME]);
    const request = {
      session: sessionRefOf(place.filePath),
      promptUuid: prompt,
      roots: [place.root],
      paths: null,
      token: null,
    };
    const { result } = await rewindsOf(place).rewind({
      ...request,
      mayLeaveRoots: false,
      skipObstacles: true,
      mayBeLive: true,
    });
    assert.deepEqual(result.filesChanged, [old]);
    assert.equal(readFileSync(old, 'utf8'), 'aaaa\n');
  });

  it('both skip links, and we report them', async () => {
    const { place, prompt } = await driven(['soft.txt', 'hard.txt']);
    const [soft, hard] = ['soft.txt', 'hard.txt'].map((name) => join(place.cwd, name));
    assert.ok(soft !== undefined && hard !== undefined);
    const aim = join(place.root, 'aim.txt');
    writeFileSync(aim, 'precious\n');
    rmSync(soft);
    symlinkSync(aim, soft);
    writeFileSync(hard, 'changed\n');
    linkSync(hard, join(place.cwd, 'other.txt'));
    const client = bench().start(place, ['--resume', place.sessionId]);
    assert.equal((await client.rewind(prompt, false)).skippedLinks, 2);
    const request = {
      session: sessionRefOf(place.filePath),
      promptUuid: prompt,
      roots: [place.root],
      paths: null,
      token: null,
    };
    const { result } = await rewindsOf(place).rewind({
      ...request,
      mayLeaveRoots: false,
      skipObstacles: true,
      mayBeLive: true,
    });
    assert.deepEqual(result.filesChanged, []);
    assert.deepEqual(
      result.files?.map(({ path, action }) => [path, action]),
      [
        [hard, 'skipped'],
        [soft, 'skipped'],
      ],
    );
    assert.equal(readFileSync(aim, 'utf8'), 'precious\n');
    assert.equal(readFileSync(hard, 'utf8'), 'changed\n');
  });

  it('the client follows a folder that became a link if no row has its real path, and we do not', async () => {
    const { place, prompt } = await driven(['src/a.txt']);
    const rows = readFileSync(place.filePath, 'utf8');
    assert.ok(rows.includes('"realParentDir"'));
    writeFileSync(place.filePath, rows.replaceAll('"realParentDir"', '"unknown"'));
    const [src, lib] = ['src', 'lib'].map((name) => join(place.cwd, name));
    assert.ok(src !== undefined && lib !== undefined);
    renameSync(src, lib);
    writeFileSync(join(lib, 'a.txt'), 'precious\n');
    symlinkSync('lib', src);
    const request = {
      session: sessionRefOf(place.filePath),
      promptUuid: prompt,
      roots: [place.root],
      paths: null,
      token: null,
    };
    const { result } = await rewindsOf(place).rewind({
      ...request,
      mayLeaveRoots: false,
      skipObstacles: true,
      mayBeLive: true,
    });
    assert.deepEqual(
      result.files?.map(({ path, action }) => [path, action]),
      [[join(src, 'a.txt'), 'skipped']],
    );
    assert.equal(readFileSync(join(lib, 'a.txt'), 'utf8'), 'precious\n');
    const client = bench().start(place, ['--resume', place.sessionId]);
    assert.equal((await client.rewind(prompt, false)).canRewind, true);
    assert.equal(readFileSync(join(lib, 'a.txt'), 'utf8'), 'aaaa\n');
  });
});
