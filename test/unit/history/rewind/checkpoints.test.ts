import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OwnCheckpoint } from '../../../rooms/history';
import type { Place } from '../../../rewind/support/place';
import {
  boundary,
  lastPrompt,
  prompt,
  reply,
  type RowFields,
  timeOf,
  uuidOf,
} from '../../../support/transcriptBuilder';
import { fileOf, notesOf, writeFile } from './oneFile';
import { backup, requestOf, rewindsWith, type TestRewinds, withPlace, writeSession } from './rewindFixture';
import { sessionRefOf } from '../../../rooms/format';

function snapshotOf(name: string, files: Readonly<Record<string, object>>): RowFields {
  const messageId = uuidOf(name);
  const snapshot = { messageId, trackedFileBackups: files, timestamp: '2026-06-01T10:00:00.000Z' };
  return { type: 'file-history-snapshot', messageId, snapshot, isSnapshotUpdate: false };
}

describe('The checkpoints of a session', () => {
  it('are its prompts in order, with the changes that a rewind to each would make', async () => {
    await withPlace(async (place) => {
      writeSession(place, [
        snapshotOf('p1', {}),
        prompt('p1', null),
        reply('r1', 'p1'),
        snapshotOf('p2', { 'a.txt': backup(place, 'a.txt', 1, 'one\n') }),
        prompt('p2', 'r1'),
        reply('r2', 'p2'),
        snapshotOf('p3', {
          'a.txt': backup(place, 'a.txt', 2, 'two\nlines\n'),
          'b.txt': backup(place, 'b.txt', 2, null),
        }),
        prompt('p3', 'r2'),
      ]);
      writeFile(place, 'a.txt', 'two\nlines\n');
      writeFile(place, 'b.txt', 'made\n');
      const listed = await rewindsWith(place).checkpoints(sessionRefOf(place.filePath), [place.cwd]);
      const [a, b] = [join(place.cwd, 'a.txt'), join(place.cwd, 'b.txt')];
      assert.deepEqual(
        listed.map(({ promptUuid, line, filesChanged, insertions, deletions, filesTracked, kind, problem }) => [
          [uuidOf('p1'), uuidOf('p2'), uuidOf('p3')].indexOf(promptUuid),
          line,
          filesChanged,
          [insertions, deletions, filesTracked],
          [kind, problem],
        ]),
        [
          [0, 2, [a], [1, 2, 1], ['client', null]],
          [1, 5, [a], [1, 2, 1], ['client', null]],
          [2, 8, [b], [0, 1, 2], ['client', null]],
        ],
      );
      assert.equal(listed[0]?.prompt, 'prompt p1');
    });
  });

  it('are found on a dead branch, and report what that branch does not know', async () => {
    await withPlace(async (place) => {
      writeSession(place, [
        snapshotOf('p1', {}),
        prompt('p1', null),
        reply('r1', 'p1'),
        snapshotOf('dead', { 'dead.txt': backup(place, 'dead.txt', 1, 'was\n') }),
        prompt('dead', 'r1'),
        reply('end', 'dead'),
        { ...lastPrompt(null), leafUuid: '00000000-0000-0000-0000-000000000000', explicit: true },
        snapshotOf('p2', { 'live.txt': backup(place, 'live.txt', 1, 'was\n') }),
        prompt('p2', 'r1'),
        reply('r2', 'p2'),
      ]);
      const rewinds = rewindsWith(place);
      const names = (await rewinds.checkpoints(sessionRefOf(place.filePath), [place.cwd])).map(
        ({ promptUuid }) => promptUuid,
      );
      assert.deepEqual(names, [uuidOf('p1'), uuidOf('dead'), uuidOf('p2')]);
      const dead = await rewinds.planRewind(requestOf(place, uuidOf('dead')));
      assert.deepEqual(
        dead.files.map(({ path }) => path),
        [join(place.cwd, 'dead.txt')],
      );
      assert.deepEqual(notesOf(dead, 'untracked').length, 1);
      const live = await rewinds.planRewind(requestOf(place, uuidOf('p1')));
      assert.deepEqual(
        live.files.map(({ path }) => path),
        [join(place.cwd, 'live.txt')],
      );
    });
  });

  it('from before a compaction include the files touched since', async () => {
    await withPlace(async (place) => {
      writeSession(place, [
        snapshotOf('p1', { 'a.txt': backup(place, 'a.txt', 1, 'was\n') }),
        prompt('p1', null),
        reply('r1', 'p1'),
        { ...boundary('compact', null), logicalParentUuid: uuidOf('r1') },
        prompt('summary', 'compact', { isCompactSummary: true }),
        snapshotOf('p2', { 'b.txt': backup(place, 'b.txt', 1, null) }),
        prompt('p2', 'summary'),
        reply('r2', 'p2'),
      ]);
      writeFile(place, 'b.txt', 'made\n');
      const rewinds = rewindsWith(place);
      assert.equal((await rewinds.checkpoints(sessionRefOf(place.filePath), [place.cwd])).length, 2);
      const { result } = await rewinds.rewind(requestOf(place, uuidOf('p1')));
      assert.deepEqual([...(result.filesChanged ?? [])].sort(), [join(place.cwd, 'a.txt'), join(place.cwd, 'b.txt')]);
    });
  });

  it('use the folder that the copies’ names prove, wherever commands moved in between', async () => {
    await withPlace(async (place) => {
      const sub = join(place.cwd, 'sub');
      mkdirSync(sub);
      writeSession(place, [
        prompt('p0', null, { cwd: sub }),
        snapshotOf('p1', {
          'a.txt': backup(place, 'a.txt', 1, 'was\n'),
          'none.txt': backup(place, 'none.txt', 1, null),
        }),
        prompt('p1', 'p0'),
      ]);
      const { files } = await rewindsWith(place).planRewind(requestOf(place, uuidOf('p1')));
      assert.deepEqual(
        files.map(({ path }) => path),
        [join(place.cwd, 'a.txt'), join(place.cwd, 'none.txt')],
      );
    });
  });
});

/** Rewinds over these checkpoints of the extension; the contents lie where their paths say. */
function withOwn(place: Place, checkpoints: readonly OwnCheckpoint[]): TestRewinds {
  return rewindsWith(place, undefined, { ownCheckpoints: { read: () => Promise.resolve(checkpoints) } });
}

function own(
  place: Place,
  name: string | null,
  timeMs: number,
  files: Readonly<Record<string, string | null>>,
): OwnCheckpoint {
  return {
    promptUuid: name === null ? null : uuidOf(name),
    toolUseId: null,
    timeMs,
    files: Object.entries(files).map(([path, content]) => {
      if (content === null) return { path: join(place.cwd, path), realFolder: null, state: { kind: 'absent' } };
      const sha256 = createHash('sha256').update(content).digest('hex');
      const contentPath = join(place.home, sha256);
      writeFileSync(contentPath, content);
      return {
        path: join(place.cwd, path),
        realFolder: null,
        state: { kind: 'file', contentPath, sha256, size: content.length, mode: 0o640 },
      };
    }),
  };
}

describe('The extension’s own checkpoints', () => {
  const MS = Date.parse(timeOf(0));

  it('are used where the client keeps none: for each file the earliest one at or after the prompt', async () => {
    await withPlace(async (place) => {
      writeSession(place, [prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1'), reply('r2', 'p2')]);
      const rewinds = withOwn(place, [
        own(place, 'p1', MS + 1, { 'a.txt': 'zero\n' }),
        own(place, 'p2', MS + 70_000, { 'a.txt': 'one\n', 'b.txt': null }),
        own(place, null, MS + 80_000, { 'a.txt': 'later\n', 'c.txt': 'c\n' }),
      ]);
      for (const path of ['a.txt', 'b.txt', 'c.txt']) writeFile(place, path, 'is\n');
      const wanted = async (name: string): Promise<readonly (readonly [string, string | null])[]> => {
        const { files, kind } = await rewinds.planRewind(requestOf(place, uuidOf(name)));
        assert.equal(kind, 'own');
        return files.map(({ path, contentPath }) => [
          path.slice(place.cwd.length + 1),
          contentPath === null ? null : readFileSync(contentPath, 'utf8'),
        ]);
      };
      assert.deepEqual(await wanted('p1'), [
        ['a.txt', 'zero\n'],
        ['b.txt', null],
        ['c.txt', 'c\n'],
      ]);
      assert.deepEqual(await wanted('p2'), [
        ['a.txt', 'one\n'],
        ['b.txt', null],
        ['c.txt', 'c\n'],
      ]);
      const listed = await rewinds.checkpoints(sessionRefOf(place.filePath), [place.cwd]);
      assert.deepEqual(
        listed.map(({ kind, promptUuid }) => [kind, promptUuid]),
        [
          ['own', uuidOf('p1')],
          ['own', uuidOf('p2')],
        ],
      );
    });
  });

  it('give precedence to the client’s checkpoint of the same file, and supply the other files', async () => {
    await withPlace(async (place) => {
      writeSession(place, [snapshotOf('p1', { 'a.txt': backup(place, 'a.txt', 1, 'client\n') }), prompt('p1', null)]);
      const rewinds = withOwn(place, [own(place, 'p1', MS, { 'a.txt': 'own\n', 'b.txt': 'own\n' })]);
      const { result } = await rewinds.rewind(requestOf(place, uuidOf('p1')));
      assert.equal(result.filesChanged?.length, 2);
      assert.equal(readFileSync(join(place.cwd, 'a.txt'), 'utf8'), 'client\n');
      assert.equal(readFileSync(join(place.cwd, 'b.txt'), 'utf8'), 'own\n');
    });
  });

  it('are not restored when their content has changed or is missing; both are reported', async () => {
    await withPlace(async (place) => {
      writeSession(place, [prompt('p1', null)]);
      const checkpoint = own(place, 'p1', MS, { 'a.txt': 'was\n' });
      const [file] = checkpoint.files;
      assert.ok(file?.state.kind === 'file');
      writeFileSync(file.state.contentPath, 'altered\n');
      const large = {
        path: join(place.cwd, 'large.bin'),
        realFolder: null,
        state: { kind: 'notKept', why: 'tooLarge', size: 100_000_001, maxBytes: 100_000_000 } as const,
      };
      const path = writeFile(place, 'a.txt', 'is\n');
      const rewinds = withOwn(place, [{ ...checkpoint, files: [...checkpoint.files, large] }]);
      const plan = await rewinds.planRewind(requestOf(place, uuidOf('p1')));
      assert.deepEqual(
        plan.files.map(({ action }) => action),
        ['skipped', 'skipped'],
      );
      assert.equal(fileOf(plan, path)?.why, 'Its copy is not what it was when it was made.');
      assert.equal(notesOf(plan, 'alteredBackup').length, 1);
      const [skipped, ...more] = plan.coverage.filter(({ kind }) => kind === 'missingBackup');
      assert.deepEqual([skipped?.path, more], [large.path, []]);
      const why = 'It was too large to keep a copy: it had 101 MB, and the limit was 100 MB';
      assert.ok(skipped?.message.includes(`${why} (rethread.checkpoints.maxFileSizeMB).`), skipped?.message);
      const request = requestOf(place, uuidOf('p1'), { skipObstacles: true });
      const { result } = await rewinds.rewind(request);
      assert.deepEqual(result.filesChanged, []);
      assert.equal(result.coverage?.notCovered.length, 2);
      assert.equal(readFileSync(path, 'utf8'), 'is\n');
    });
  });
});
