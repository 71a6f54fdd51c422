import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import type { Checkpoint, RewindFilesResult } from '../../../src/protocol/history';
import { readTree, treeDifferences } from '../../rewind/support/fileTree';
import type { Place } from '../../rewind/support/place';
import { PROMPT, sessionWith, writeFile } from '../history/rewind/oneFile';
import { ageLock, backup, requestOf, rewindsWith, SESSION, withPlace } from '../history/rewind/rewindFixture';
import { fakeMachine } from '../../support/fakeMachine';
import { FaultyFs } from '../storage/faultyFs';
import { type CliRun, runCli } from './runCli';

function run(place: Place, ...argv: string[]): Promise<CliRun> {
  const engine = createEngine({ configDir: place.configDir, machine: fakeMachine() });
  return runCli(argv, engine, { cwd: place.cwd, home: place.home, now: Date.now, columns: 100 });
}

function scene(place: Place): { readonly a: string; readonly b: string } {
  sessionWith(place, {
    'a.txt': backup(place, 'a.txt', 1, 'one\ntwo\n'),
    'b.txt': backup(place, 'b.txt', 1, null),
    'same.txt': backup(place, 'same.txt', 1, 'same\n'),
  });
  writeFile(place, 'same.txt', 'same\n');
  return { a: writeFile(place, 'a.txt', 'one\n2\n'), b: writeFile(place, 'b.txt', 'made\n') };
}

/** The first of two files was rewound when the process died. */
async function interruptedScene(place: Place): Promise<ReturnType<typeof scene>> {
  const files = scene(place);
  const fs = new FaultyFs();
  fs.faultOf = ({ name, path }) => (name === 'link' && path === files.a ? { kind: 'dies', when: 'after' } : null);
  await Promise.race([rewindsWith(place, fs).rewind(requestOf(place, PROMPT)), fs.died]);
  await fs.closeAll();
  ageLock(place);
  return files;
}

describe('checkpoints', () => {
  it('lists the prompts to which files can be rewound, as a table and as JSON', async () => {
    await withPlace(async (place) => {
      const { a, b } = scene(place);
      const reported = await run(place, 'checkpoints', place.filePath);
      assert.equal(reported.code, 0);
      assert.match(reported.stdout, /prompt first +[0-9a-f-]{36}\n/);
      assert.match(reported.stdout, / 2 +1 +2 /);
      const json = await run(place, 'checkpoints', place.filePath, '--json');
      // SAFETY: what the command prints.
      const { checkpoints } = JSON.parse(json.stdout) as { checkpoints: Checkpoint[] };
      assert.deepEqual(
        checkpoints.map(({ promptUuid, filesChanged }) => [promptUuid, filesChanged]),
        [[PROMPT, [a, b]]],
      );
    });
  });

  it('reports that there are none, and what cannot be read', async () => {
    await withPlace(async (place) => {
      writeFileSync(place.filePath, '{"type":"summary","summary":"x"}\n');
      const none = await run(place, 'checkpoints', place.filePath);
      assert.deepEqual([none.code, none.stdout], [0, 'No checkpoint of this session’s files was kept.\n']);
      const missing = await run(place, 'checkpoints', join(place.cwd, 'nowhere.jsonl'));
      assert.deepEqual([missing.code, missing.stdout], [2, '']);
      assert.match(missing.stderr, /does not exist\.\n$/);
      const json = await run(place, 'checkpoints', join(place.cwd, 'nowhere.jsonl'), '--json');
      assert.equal(json.code, 2);
      assert.deepEqual(JSON.parse(json.stdout), {
        checkpoints: [],
        error: `${join(place.cwd, 'nowhere.jsonl')} does not exist.`,
      });
    });
  });
});

describe('rewind', () => {
  it('previews without changes, rewinds, and undoes the rewind', async () => {
    await withPlace(async (place) => {
      const { a, b } = scene(place);
      const before = readTree(place.root);
      const dry = await run(place, 'rewind', place.filePath, PROMPT, '--dry-run');
      assert.equal(dry.code, 0, dry.stderr);
      assert.match(dry.stdout, /^• Would rewind 2 files to before “prompt first”: \+1 −2\n/);
      assert.match(dry.stdout, /~ restore +\S*a\.txt {2}\+1 −1\n/);
      assert.match(dry.stdout, /- delete +\S*b\.txt {2}−1\n/);
      assert.match(dry.stdout, /1 file unchanged\n/);
      assert.match(dry.stdout, /Nothing was changed\.\n$/);
      assert.deepEqual(treeDifferences(before, readTree(place.root), true), []);
      const done = await run(place, 'rewind', place.filePath, PROMPT);
      assert.equal(done.code, 0, done.stderr);
      assert.match(done.stdout, /^✓ Rewound 2 files/);
      assert.match(done.stdout, /Undo: rethread rewind \S+ --undo\n$/);
      assert.equal(readFileSync(a, 'utf8'), 'one\ntwo\n');
      const again = await run(place, 'rewind', place.filePath, PROMPT);
      assert.match(again.stdout, /^✓ Nothing to rewind/);
      const undone = await run(place, 'rewind', place.filePath, '--undo');
      assert.equal(undone.code, 0, undone.stderr);
      assert.match(undone.stdout, /^✓ The rewind was undone: 2 files, \+2 −1\n/);
      assert.equal(readFileSync(b, 'utf8'), 'made\n');
      const nothing = await run(place, 'rewind', place.filePath, '--undo', '--json');
      assert.equal(nothing.code, 1);
      assert.deepEqual(JSON.parse(nothing.stdout), {
        canRewind: false,
        error: 'There is no rewind of this session to undo.',
      });
    });
  });

  it('prints the same JSON before and after, with the fields of the Agent SDK', async () => {
    await withPlace(async (place) => {
      const { a, b } = scene(place);
      const dry = await run(place, 'rewind', place.filePath, PROMPT, '--dry-run', '--json');
      const done = await run(place, 'rewind', place.filePath, PROMPT, '--json');
      assert.equal(dry.stdout, done.stdout);
      // SAFETY: what the command prints.
      const result = JSON.parse(done.stdout) as RewindFilesResult;
      assert.deepEqual(Object.keys(result), [
        'canRewind',
        'filesChanged',
        'insertions',
        'deletions',
        'files',
        'coverage',
      ]);
      assert.deepEqual(
        [result.canRewind, result.filesChanged, result.insertions, result.deletions],
        [true, [a, b], 1, 2],
      );
    });
  });

  it('changes the files that --only names, relative to the current folder', async () => {
    await withPlace(async (place) => {
      const { a, b } = scene(place);
      const { code } = await run(place, 'rewind', place.filePath, PROMPT, '--only', 'a.txt');
      assert.equal(code, 0);
      assert.deepEqual([readFileSync(a, 'utf8'), readFileSync(b, 'utf8')], ['one\ntwo\n', 'made\n']);
      const unknown = await run(place, 'rewind', place.filePath, PROMPT, '--only', 'other.txt');
      assert.equal(unknown.code, 1);
      assert.match(unknown.stderr, /knows nothing of/);
    });
  });

  it('changes files below the current folder alone, and prints the command that names another', async () => {
    await withPlace(async (place) => {
      const outside = join(place.root, 'outside.txt');
      sessionWith(place, { '../outside.txt': backup(place, '../outside.txt', 1, 'was\n') });
      writeFileSync(outside, 'is\n');
      const refused = await run(place, 'rewind', place.filePath, PROMPT);
      assert.deepEqual([refused.code, refused.stdout], [1, '']);
      assert.match(refused.stderr, /1 file is in the way\. \S+outside\.txt: It lies outside/);
      const command = new RegExp(`\nChange them, too: rethread rewind \\S+ ${PROMPT} --root ${place.root}\n`);
      assert.match(refused.stderr, command);
      assert.match(refused.stderr, /\nLeave them out: rethread rewind \S+ \S+ --skip-obstacles\n$/);
      const dry = await run(place, 'rewind', place.filePath, PROMPT, '--dry-run', '--allow-live');
      assert.match(dry.stderr, /\nLeave them out: rethread rewind \S+ \S+ --dry-run --skip-obstacles --allow-live\n$/);
      const json = await run(place, 'rewind', place.filePath, PROMPT, '--json');
      // SAFETY: what the command prints.
      const result = JSON.parse(json.stdout) as RewindFilesResult;
      assert.deepEqual([json.code, result.canRewind, result.filesChanged], [1, false, undefined]);
      assert.deepEqual(
        result.files?.map(({ path, action }) => [path, action]),
        [[outside, 'skipped']],
      );
      assert.equal((await run(place, 'rewind', place.filePath, PROMPT, '--only', '../outside.txt')).code, 1);
      assert.equal(readFileSync(outside, 'utf8'), 'is\n');
      const allowed = await run(place, 'rewind', place.filePath, PROMPT, '--root', '..');
      assert.equal(allowed.code, 0, allowed.stderr);
      assert.match(allowed.stdout, /\nUndo: rethread rewind \S+ --undo --root \.\.\n$/);
      assert.equal(readFileSync(outside, 'utf8'), 'was\n');
      const kept = await run(place, 'rewind', place.filePath, '--undo');
      assert.equal(kept.code, 1);
      assert.match(kept.stderr, new RegExp(`\nChange them, too: rethread rewind \\S+ --undo --root ${place.root}\n`));
      assert.equal((await run(place, 'rewind', place.filePath, '--undo', '--root', '..')).code, 0);
      assert.equal(readFileSync(outside, 'utf8'), 'is\n');
    });
  });

  it('refuses --allow-outside, and prints the command with --root', async () => {
    await withPlace(async (place) => {
      const outside = join(place.root, 'outside.txt');
      sessionWith(place, {
        'a.txt': backup(place, 'a.txt', 1, 'was\n'),
        '../outside.txt': backup(place, '../outside.txt', 1, 'was\n'),
      });
      writeFileSync(outside, 'is\n');
      const refused = await run(place, 'rewind', place.filePath, PROMPT, '--allow-outside');
      assert.deepEqual([refused.code, refused.stdout], [1, '']);
      assert.match(refused.stderr, new RegExp(`\nrethread rewind \\S+ ${PROMPT} --root ${place.root}\n$`));
      const json = await run(place, 'rewind', place.filePath, '--undo', '--allow-outside', '--json');
      assert.equal(json.code, 1);
      assert.match(json.stderr, /\nrethread rewind \S+ --undo --root DIR\n$/);
      // SAFETY: what the command prints.
      assert.equal((JSON.parse(json.stdout) as RewindFilesResult).canRewind, false);
      assert.equal(readFileSync(outside, 'utf8'), 'is\n');
    });
  });

  it('changes a sensitive file only if --only names it, and says so', async () => {
    await withPlace(async (place) => {
      sessionWith(place, {
        'a.txt': backup(place, 'a.txt', 1, 'was\n'),
        '.git/hooks/pre-commit': backup(place, 'hook', 1, 'was\n'),
      });
      const [a, hook] = [writeFile(place, 'a.txt', 'is\n'), writeFile(place, '.git/hooks/pre-commit', 'is\n')];
      const refused = await run(place, 'rewind', place.filePath, PROMPT);
      assert.equal(refused.code, 1);
      const dry = await run(place, 'rewind', place.filePath, PROMPT, '--dry-run');
      assert.equal(dry.code, 1);
      assert.match(dry.stdout, /^! Would change nothing: files are in the way\. Without them, 1 file to before/);
      assert.match(dry.stdout, /~ restore +\S*a\.txt {2}\+1 −1\n/);
      assert.match(dry.stdout, /! left as it is \S*pre-commit\n +It is sensitive: .+\n[^]+Nothing was changed\.\n$/);
      assert.match(refused.stderr, /pre-commit: It is sensitive: Git runs programs/);
      assert.match(refused.stderr, /\nChange the sensitive files: rethread rewind \S+ \S+ --only \S+pre-commit\n/);
      const left = await run(place, 'rewind', place.filePath, PROMPT, '--skip-obstacles');
      assert.deepEqual([left.code, readFileSync(a, 'utf8'), readFileSync(hook, 'utf8')], [1, 'was\n', 'is\n']);
      assert.match(left.stdout, /! left as it is \S*pre-commit\n +It is sensitive/);
      const named = await run(place, 'rewind', place.filePath, PROMPT, '--only', '.git/hooks/pre-commit');
      assert.deepEqual([named.code, readFileSync(hook, 'utf8')], [0, 'was\n']);
      assert.match(named.stdout, /\nUndo: rethread rewind \S+ --undo --only \.git\/hooks\/pre-commit\n$/);
      assert.equal((await run(place, 'rewind', place.filePath, '--undo')).code, 1);
      assert.equal((await run(place, 'rewind', place.filePath, '--undo', '--only', '.git/hooks/pre-commit')).code, 0);
      assert.equal(readFileSync(hook, 'utf8'), 'is\n');
    });
  });

  it('reports a --root that is no folder', async () => {
    await withPlace(async (place) => {
      scene(place);
      const { code, stderr } = await run(place, 'rewind', place.filePath, PROMPT, '--root', 'a.txt');
      assert.equal(code, 2);
      assert.match(stderr, /a\.txt is not a folder\.\n$/);
    });
  });

  it('refuses a running session, unless forced', async () => {
    await withPlace(async (place) => {
      const { a } = scene(place);
      mkdirSync(join(place.configDir, 'sessions'));
      const entry = { pid: process.pid, sessionId: SESSION, status: 'idle' };
      writeFileSync(join(place.configDir, 'sessions', `${process.pid}.json`), JSON.stringify(entry));
      const refused = await run(place, 'rewind', place.filePath, PROMPT);
      assert.deepEqual([refused.code, refused.stdout], [1, '']);
      assert.match(refused.stderr, /Claude is using this session/);
      assert.equal(readFileSync(a, 'utf8'), 'one\n2\n');
      assert.equal((await run(place, 'rewind', place.filePath, PROMPT, '--dry-run')).code, 0);
      assert.equal((await run(place, 'rewind', place.filePath, PROMPT, '--allow-live')).code, 0);
      assert.equal(readFileSync(a, 'utf8'), 'one\ntwo\n');
      const kept = await run(place, 'rewind', place.filePath, '--undo');
      assert.deepEqual([kept.code, kept.stdout], [1, '']);
      assert.match(kept.stderr, /Claude is using this session/);
      assert.equal(readFileSync(a, 'utf8'), 'one\ntwo\n');
      assert.equal((await run(place, 'rewind', place.filePath, '--undo', '--allow-live')).code, 0);
      assert.equal(readFileSync(a, 'utf8'), 'one\n2\n');
    });
  });

  it('first reverts the changes of an interrupted rewind, reports it, and continues', async () => {
    await withPlace(async (place) => {
      const { a, b } = await interruptedScene(place);
      const listed = await run(place, 'checkpoints', place.filePath, '--json');
      assert.match(listed.stderr, /A rewind of this session was interrupted/);
      // SAFETY: what the command prints.
      const { warning } = JSON.parse(listed.stdout) as { warning: string };
      assert.match(warning, /^A rewind of this session was interrupted/);
      const dry = await run(place, 'rewind', place.filePath, PROMPT, '--dry-run');
      assert.match(dry.stdout, /! A rewind of this session was interrupted/);
      const done = await run(place, 'rewind', place.filePath, PROMPT);
      assert.equal(done.code, 0, done.stderr);
      assert.match(done.stdout, /^✓ Rewound 2 files to before “prompt first”: \+1 −2\n/);
      assert.match(done.stdout, /A rewind had been interrupted before\./);
      assert.deepEqual([readFileSync(a, 'utf8'), existsSync(b)], ['one\ntwo\n', false]);
    });
  });

  it('reverts an interrupted rewind only below the folders that the person names, and prints the command', async () => {
    await withPlace(async (place) => {
      const { a } = await interruptedScene(place);
      const elsewhere = { ...place, cwd: place.home };
      const refused = await run(elsewhere, 'rewind', place.filePath, PROMPT, '--skip-obstacles');
      assert.deepEqual([refused.code, refused.stdout], [1, '']);
      assert.match(refused.stderr, /A rewind was interrupted, and has to be undone first\./);
      const command = `rethread rewind \\S+ --undo --root ${place.cwd}`;
      assert.match(refused.stderr, new RegExp(`\nUndo it: ${command}\n$`));
      assert.equal(readFileSync(a, 'utf8'), 'one\ntwo\n');
      const undone = await run(elsewhere, 'rewind', place.filePath, '--undo', '--root', place.cwd);
      assert.equal(undone.code, 0, undone.stderr);
      assert.equal(readFileSync(a, 'utf8'), 'one\n2\n');
    });
  });

  it('reports a deleted project folder, and does not create it', async () => {
    await withPlace(async (place) => {
      scene(place);
      renameSync(place.cwd, join(place.root, 'moved'));
      const { code, stderr } = await run(place, 'rewind', place.filePath, PROMPT);
      assert.equal(code, 1);
      assert.match(stderr, /The project folder \S+ is gone/);
      assert.equal(existsSync(place.cwd), false);
    });
  });

  it('exits with 2 for an unknown prompt and a missing transcript, also with --json', async () => {
    await withPlace(async (place) => {
      scene(place);
      const unknown = await run(place, 'rewind', place.filePath, 'no-such-prompt', '--json');
      assert.equal(unknown.code, 2);
      assert.deepEqual(JSON.parse(unknown.stdout), {
        canRewind: false,
        error: 'There is no prompt no-such-prompt in this session.',
      });
      assert.equal((await run(place, 'rewind', join(place.cwd, 'nowhere.jsonl'), PROMPT)).code, 2);
    });
  });

  it('requires one FILE and one PROMPT, and no PROMPT with --undo', async () => {
    await withPlace(async (place) => {
      for (const argv of [
        ['rewind'],
        ['rewind', place.filePath],
        ['rewind', place.filePath, ''],
        ['rewind', place.filePath, PROMPT, 'more'],
        ['rewind', place.filePath, PROMPT, '--only', ''],
        ['rewind', place.filePath, PROMPT, '--root', ''],
        ['rewind', place.filePath, '--undo', '--dry-run'],
        ['rewind', place.filePath, PROMPT, 'x', '--undo'],
        ['rewind', place.filePath, PROMPT, '--undo'],
        ['checkpoints'],
        ['checkpoints', place.filePath, 'more'],
      ]) {
        const { code, stdout, stderr } = await run(place, ...argv);
        assert.deepEqual([code, stdout], [2, ''], argv.join(' '));
        assert.match(stderr, /^[^\n]+\.\nTry "rethread \w+ --help"\.\n$/);
      }
    });
  });
});
