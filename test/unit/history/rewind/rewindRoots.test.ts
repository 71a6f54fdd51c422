import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RewindOutcome } from '../../../../src/protocol/history';
import { readTree, treeDifferences } from '../../../rewind/support/fileTree';
import type { Place } from '../../../rewind/support/place';
import { sessionRefOf } from '../../../rooms/format';
import { FaultyFs } from '../../storage/faultyFs';
import { fileOf, notesOf, planOf, PROMPT, rewindOf, sessionWith, writeFile } from './oneFile';
import { ageLock, backup, requestOf, rewindsWith, withPlace } from './rewindFixture';

/** A session whose checkpoint says that each of these files did not exist, so that a rewind deletes it. */
function deleting(place: Place, paths: readonly string[]): void {
  sessionWith(place, Object.fromEntries(paths.map((path, at) => [path, backup(place, `nowhere-${at}`, 1, null)])));
  for (const path of paths) writeFile(place, path.replaceAll('\\', '/'), 'precious\n');
}

function key(place: Place): string {
  const path = join(place.home, '.ssh', 'id_ed25519');
  mkdirSync(join(place.home, '.ssh'), { recursive: true });
  writeFileSync(path, 'private\n');
  return path;
}

describe('The roots of a rewind are the person’s', () => {
  it('so that two lines of JSON cannot delete a private key', async () => {
    await withPlace(async (place) => {
      const path = key(place);
      const snapshot = { messageId: PROMPT, trackedFileBackups: { [path]: backup(place, 'x', 1, null) } };
      const rows = [
        { type: 'user', uuid: PROMPT, parentUuid: null, cwd: '/', message: { role: 'user', content: 'x' } },
        { type: 'file-history-snapshot', messageId: PROMPT, snapshot, isSnapshotUpdate: false },
      ];
      writeFileSync(place.filePath, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      for (const roots of [[], [place.cwd], [place.home], ['/']]) {
        const outcome = await rewindOf(place, { roots });
        assert.deepEqual([outcome.reason, outcome.result.canRewind], ['obstacles', false], roots.join());
        assert.deepEqual(
          outcome.obstacles.map(({ path: at, isSensitive }) => [at, isSensitive]),
          [[path, true]],
        );
        assert.equal((await rewindOf(place, { roots, skipObstacles: true })).reason, null);
        // Naming the file is not enough if it is outside, and leaving the roots is not enough if it is not named.
        assert.equal((await rewindOf(place, { roots, mayLeaveRoots: true })).reason, 'obstacles');
        if (roots.length === 0 || roots[0] === place.cwd) {
          assert.equal((await rewindOf(place, { roots, paths: [path] })).reason, 'obstacles');
        }
        assert.equal(readFileSync(path, 'utf8'), 'private\n');
      }
      assert.equal((await rewindOf(place, { roots: ['/'], paths: [path] })).reason, null);
      assert.equal(existsSync(path), false);
    });
  });

  it('and a working folder in rows is no root', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
      const path = writeFile(place, 'a.txt', 'is\n');
      const { reason, obstacles, result } = await rewindOf(place, { roots: [] });
      const why = 'It lies outside the folders that may be changed.';
      assert.deepEqual([reason, obstacles], ['obstacles', [{ path, why, isOutside: true, isSensitive: false }]]);
      assert.deepEqual(result.files, [{ path, action: 'skipped', why }]);
      assert.equal(readFileSync(path, 'utf8'), 'is\n');
    });
  });

  it('also if they are links; a link inside of one that leads outside does not extend it', async () => {
    await withPlace(async (place) => {
      const elsewhere = join(place.root, 'elsewhere');
      mkdirSync(elsewhere);
      const outside = join(elsewhere, 'b.txt');
      writeFileSync(outside, 'is\n');
      symlinkSync(elsewhere, join(place.cwd, 'link'));
      const named = { ...backup(place, 'link/b.txt', 1, 'was\n'), realParentDir: elsewhere };
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n'), 'link/b.txt': named });
      const path = writeFile(place, 'a.txt', 'is\n');
      const root = join(place.root, 'root');
      symlinkSync(place.cwd, root);
      const outcome = await rewindOf(place, { roots: [root] });
      assert.deepEqual(
        outcome.obstacles.map((each) => [each.path, each.isOutside]),
        [[join(place.cwd, 'link/b.txt'), true]],
      );
      assert.deepEqual([readFileSync(path, 'utf8'), readFileSync(outside, 'utf8')], ['is\n', 'is\n']);
      assert.equal((await rewindOf(place, { roots: [root, elsewhere] })).reason, null);
      assert.deepEqual([readFileSync(path, 'utf8'), readFileSync(outside, 'utf8')], ['was\n', 'was\n']);
    });
  });
});

describe('A sensitive file', () => {
  const SENSITIVE = [
    '.git/hooks/pre-commit',
    '.GIT/config',
    'vendor/lib/.git/hooks/post-checkout',
    'worktree/.git',
    'a\\.git\\hooks\\x',
    '.git./config',
    '.g\u200cit/config',
    'git~1/config',
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.Claude/Settings.local.json',
    '.vscode/tasks.json',
    'packages/one/.vscode/settings.json',
  ];

  it('is named as such, and changed only if the person names it', async () => {
    await withPlace(async (place) => {
      deleting(place, SENSITIVE);
      // On this system, a name with backslashes is the name of one file.
      writeFileSync(join(place.cwd, 'a\\.git\\hooks\\x'), 'precious\n');
      const paths = SENSITIVE.map((path) => join(place.cwd, path));
      const plan = await planOf(place);
      for (const path of paths) {
        const file = fileOf(plan, path);
        assert.deepEqual([file?.action, file?.isSensitive, file?.isOutside], ['skipped', true, false], path);
        assert.match(file?.why ?? '', /^It is sensitive: /);
      }
      assert.equal(notesOf(plan, 'sensitive').length, paths.length);
      const before = readTree(place.cwd);
      const outcome = await rewindOf(place);
      assert.deepEqual([outcome.reason, outcome.obstacles.length], ['obstacles', paths.length]);
      assert.deepEqual(outcome.obstacles.map(({ path }) => path).sort(), [...paths].sort());
      const said = outcome.result.error ?? '';
      assert.match(said, /^Nothing was changed, because 13 files are in the way\. /);
      for (const path of paths) assert.ok(said.includes(`${path}: It is sensitive: `), path);
      assert.deepEqual(treeDifferences(before, readTree(place.cwd), true), []);
      assert.equal((await rewindOf(place, { paths })).reason, null);
      assert.deepEqual(paths.filter(existsSync), []);
    });
  });

  it('is not every file with a similar name', async () => {
    await withPlace(async (place) => {
      const files = ['.gitignore', '.github/ci.yml', '.claude/commands/x.md', 'vscode/a', '.env', 'git/hooks/x'];
      deleting(place, files);
      assert.equal((await rewindOf(place)).reason, null);
      assert.deepEqual(
        files.filter((path) => existsSync(join(place.cwd, path))),
        [],
      );
    });
  });

  it('is anything below a hidden entry of the home folder, and Claude Code’s folder, wherever that is', async () => {
    await withPlace(async (place) => {
      const paths = ['.ssh/config', '.bashrc', '.config/app/x'].map((path) => join(place.home, path));
      const memory = join(place.configDir, 'CLAUDE.md');
      deleting(place, []);
      sessionWith(place, Object.fromEntries([...paths, memory].map((path) => [path, backup(place, 'x', 1, null)])));
      for (const path of [...paths, memory]) {
        mkdirSync(join(path, '..'), { recursive: true });
        writeFileSync(path, 'x');
      }
      // A root within the hidden folder does not make up for it.
      const roots = [place.home, join(place.home, '.ssh'), place.configDir];
      const plan = await rewindsWith(place).planRewind(requestOf(place, PROMPT, { roots }));
      assert.deepEqual([...new Set(plan.files.map(({ isSensitive }) => isSensitive))], [true]);
      const elsewhere = rewindsWith(place, undefined, { homeDir: join(place.root, 'nobody') });
      const other = await elsewhere.planRewind(requestOf(place, PROMPT, { roots }));
      assert.deepEqual(
        other.files.filter(({ isSensitive }) => isSensitive).map(({ path }) => path),
        [memory],
      );
    });
  });

  it('is anything in the person’s own config folder, also if the session lies in another', async () => {
    await withPlace(async (place) => {
      const ownConfigDir = join(place.cwd, 'config');
      deleting(place, ['config/CLAUDE.md', 'config/projects/p/s.jsonl', 'config/rethread/x', 'a.txt']);
      // Without a home folder, its empty path is not the current folder.
      const rewinds = rewindsWith(place, undefined, { ownConfigDir, homeDir: '' });
      const { files } = await rewinds.planRewind(requestOf(place, PROMPT));
      assert.deepEqual(
        files.map(({ path, action, isSensitive }) => [path.slice(place.cwd.length + 1), action, isSensitive]),
        [
          ['a.txt', 'delete', false],
          ['config/CLAUDE.md', 'skipped', true],
          ['config/projects/p/s.jsonl', 'skipped', false],
          ['config/rethread/x', 'skipped', false],
        ],
      );
    });
  });

  it('is every file below a root that is the home folder or the whole disk, unless a narrower root has it', async () => {
    await withPlace(async (place) => {
      const inHome = join(place.home, 'notes', 'a.txt');
      mkdirSync(join(place.home, 'notes'));
      writeFileSync(inHome, 'x');
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, null), [inHome]: backup(place, 'b', 1, null) });
      const inProject = writeFile(place, 'a.txt', 'x');
      const sensitive = async (...roots: string[]): Promise<string[]> => {
        const { files } = await rewindsWith(place).planRewind(requestOf(place, PROMPT, { roots }));
        assert.ok(files.every(({ isOutside }) => !isOutside));
        return files.filter(({ isSensitive }) => isSensitive).map(({ path }) => path);
      };
      assert.deepEqual(await sensitive('/'), [inHome, inProject]);
      assert.deepEqual(await sensitive(place.root), [inHome]);
      assert.deepEqual(await sensitive('/', place.cwd), [inHome]);
      assert.deepEqual(await sensitive(place.home, place.cwd), [inHome]);
      assert.deepEqual(await sensitive(place.home, place.cwd, join(place.home, 'notes')), []);
    });
  });
});

describe('A rewind with obstacles', () => {
  function obstructed(place: Place): { readonly a: string; readonly link: string } {
    sessionWith(place, {
      'a.txt': backup(place, 'a.txt', 1, 'was\n'),
      'link.txt': backup(place, 'link.txt', 1, 'was\n'),
      'lost.txt': { ...backup(place, 'lost.txt', 1, 'was\n'), backupFileName: '0123456789abcdef@v1' },
      'same.txt': backup(place, 'same.txt', 1, 'same\n'),
    });
    const [a = ''] = ['a.txt', 'lost.txt'].map((path) => writeFile(place, path, 'is\n'));
    writeFile(place, 'same.txt', 'same\n');
    const link = join(place.cwd, 'link.txt');
    symlinkSync(a, link);
    return { a, link };
  }

  const namesOf = ({ obstacles }: RewindOutcome): string[] => obstacles.map(({ path }) => path.split('/').at(-1) ?? '');

  it('names each and changes nothing, in a dry run as in a rewind', async () => {
    await withPlace(async (place) => {
      const { a } = obstructed(place);
      const before = readTree(place.root);
      const dry = await rewindsWith(place).dryRun(requestOf(place, PROMPT));
      const outcome = await rewindOf(place);
      assert.deepEqual(outcome, dry);
      assert.deepEqual([outcome.reason, namesOf(outcome)], ['obstacles', ['link.txt', 'lost.txt']]);
      assert.match(
        outcome.result.error ?? '',
        /^Nothing was changed, because 2 files are in the way\. .+link\.txt: It/,
      );
      assert.deepEqual(outcome.result.filesChanged, undefined);
      assert.equal(readFileSync(a, 'utf8'), 'is\n');
      assert.deepEqual(treeDifferences(before, readTree(place.root), true), []);
    });
  });

  it('changes the rest if the person leaves them out, by name or all of them', async () => {
    await withPlace(async (place) => {
      const { a, link } = obstructed(place);
      const named = await rewindOf(place, { paths: [a, link] });
      assert.deepEqual(namesOf(named), ['link.txt']);
      const { reason, result } = await rewindOf(place, { paths: [a] });
      assert.deepEqual([reason, result.filesChanged], [null, [a]]);
      writeFileSync(a, 'is\n');
      const skipped = await rewindOf(place, { skipObstacles: true });
      assert.deepEqual([skipped.reason, skipped.result.filesChanged], [null, [a]]);
      assert.equal(skipped.result.files?.filter(({ action }) => action === 'skipped').length, 2);
      assert.equal(readFileSync(a, 'utf8'), 'was\n');
    });
  });
});

describe('The undo of a rewind', () => {
  it('changes only files below the person’s roots, and sensitive ones only by name', async () => {
    await withPlace(async (place) => {
      deleting(place, ['a.txt', '.vscode/tasks.json']);
      const [a, tasks] = ['a.txt', '.vscode/tasks.json'].map((path) => join(place.cwd, path));
      assert.ok(a !== undefined && tasks !== undefined);
      await rewindOf(place, { paths: [a, tasks] });
      const rewinds = rewindsWith(place);
      const session = sessionRefOf(place.filePath);
      const state = await rewinds.rewindState(session, []);
      assert.deepEqual(
        state.obstacles.map(({ isOutside, isSensitive }) => [isOutside, isSensitive]),
        [
          [true, true],
          [true, false],
        ],
      );
      const outside = await rewinds.undoRewind(session, { roots: [place.home] });
      assert.deepEqual([outside.reason, outside.obstacles.length], ['obstacles', 2]);
      const unnamed = await rewinds.undoRewind(session);
      assert.deepEqual([unnamed.reason, unnamed.obstacles.map(({ path }) => path)], ['obstacles', [tasks]]);
      assert.deepEqual([existsSync(a), existsSync(tasks)], [false, false]);
      const rest = await rewinds.undoRewind(session, { skipObstacles: true });
      assert.deepEqual([rest.reason, rest.result.filesChanged], [null, [a]]);
      const other = await rewinds.undoRewind(session, { paths: [join(place.cwd, 'other')] });
      assert.equal(other.reason, 'no-checkpoint');
      // The rewind is still the one to undo, for the file that was left out.
      const named = await rewinds.undoRewind(session, { paths: [tasks] });
      assert.deepEqual([named.reason, named.result.filesChanged], [null, [tasks]]);
      assert.equal((await rewinds.undoRewind(session)).reason, 'nothing-to-undo');
    });
  });
});

describe('The record of an interrupted rewind', () => {
  async function interrupted(place: Place): Promise<string> {
    sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
    const path = writeFile(place, 'a.txt', 'is\n');
    const fs = new FaultyFs();
    fs.faultOf = ({ name, path: at }) => (name === 'link' && at === path ? { kind: 'dies', when: 'after' } : null);
    await Promise.race([rewindsWith(place, fs).rewind(requestOf(place, PROMPT)), fs.died]);
    await fs.closeAll();
    ageLock(place);
    return path;
  }

  it('allows nothing that the person does not allow', async () => {
    await withPlace(async (place) => {
      const path = await interrupted(place);
      const other = join(place.root, 'other');
      mkdirSync(other);
      const before = readTree(place.root);
      const rewinds = rewindsWith(place);
      const refused = await rewindOf(place, { roots: [other] });
      assert.deepEqual([refused.reason, refused.obstacles.map((each) => each.path)], ['unfinished', [path]]);
      assert.match(refused.result.error ?? '', /^A rewind was interrupted, and has to be undone first\. /);
      assert.equal((await rewinds.undoRewind(sessionRefOf(place.filePath), { roots: [other] })).reason, 'unfinished');
      assert.deepEqual(treeDifferences(before, readTree(place.root), true), []);
      assert.equal((await rewinds.undoRewind(sessionRefOf(place.filePath))).reason, null);
      assert.equal(readFileSync(path, 'utf8'), 'is\n');
    });
  });

  it('cannot be forged to delete or replace another file', async () => {
    await withPlace(async (place) => {
      await interrupted(place);
      const precious = key(place);
      const [folder = ''] = rewindFolders(place);
      const path = join(folder, 'manifest.json');
      const text = readFileSync(path, 'utf8');
      const forge = async (change: object): Promise<RewindOutcome> => {
        // SAFETY: a manifest that this test's rewind has written.
        const manifest = JSON.parse(text) as { entries: object[] };
        manifest.entries = manifest.entries.map((entry) => ({ ...entry, ...change }));
        writeFileSync(path, JSON.stringify(manifest));
        return rewindsWith(place).undoRewind(sessionRefOf(place.filePath));
      };
      const elsewhere = await forge({ realFolder: join(place.home, '.ssh'), path: join(place.cwd, 'id_ed25519') });
      assert.equal(elsewhere.reason, 'unfinished');
      assert.match(elsewhere.obstacles[0]?.why ?? '', /^Its folder was /);
      const sensitive = { realFolder: join(place.home, '.ssh'), path: precious };
      assert.equal((await forge(sensitive)).reason, 'unfinished');
      // Not even if the person names the folder and the file.
      const copy = join(place.backupFolder, 'a copy');
      writeFileSync(copy, 'copied\n');
      await forge({ realFolder: place.backupFolder, path: copy });
      const options = { roots: [place.configDir], paths: [copy], mayLeaveRoots: true };
      const asked = await rewindsWith(place).undoRewind(sessionRefOf(place.filePath), options);
      assert.deepEqual([asked.reason, asked.obstacles[0]?.why], ['unfinished', 'It is one of Claude’s own records.']);
      assert.equal(readFileSync(copy, 'utf8'), 'copied\n');
      // No such record was ever written.
      const temporary = `.rethread-x/../../${'../'.repeat(8)}${precious}`;
      assert.equal((await forge({ temporary })).reason, 'nothing-to-undo');
      assert.equal(readFileSync(precious, 'utf8'), 'private\n');
    });
  });
});

function rewindFolders(place: Place): string[] {
  const folder = join(place.configDir, 'rethread', 'rewinds', place.sessionId);
  return readdirSync(folder).map((name) => join(folder, name));
}
