import assert from 'node:assert/strict';
import { listFiles, listNotes } from '../../../src/extension/history/listPlan';
import { rewindRoots } from '../../../src/extension/history/rewindRoots';
import type { CoverageNote, PlannedFile } from '../../../src/protocol/history';
import { formats, t } from './fakes';
import { plannedFile } from './rewindFakes';

const DEPS = { displayPath: (path: string) => path.replace('/src/app/', ''), formats, t };
const files = (...planned: readonly PlannedFile[]) => listFiles({ files: planned, coverage: [] }, DEPS);
const notes = (coverage: readonly CoverageNote[], planned: readonly PlannedFile[] = [plannedFile()]) =>
  listNotes({ files: planned, coverage }, DEPS);

describe('The files of a rewind, as listed', () => {
  it('are changed, changed if the person names them, or left alone', () => {
    const outside = { isOutside: true, action: 'skipped' } as const;
    const secret = { isSensitive: true, action: 'skipped' } as const;
    const listed = files(
      plannedFile({ path: 'in' }),
      plannedFile({ path: 'out', ...outside }),
      plannedFile({ path: 'gone', ...outside, contentPath: null }),
      plannedFile({ path: 'nothing', ...outside, contentPath: null, exists: false }),
      plannedFile({ path: 'hook', ...secret }),
      plannedFile({ path: 'key', ...secret, isOutside: true }),
      plannedFile({ path: 'link', action: 'skipped' }),
      plannedFile({ path: 'same', action: 'unchanged' }),
    );
    assert.deepEqual(
      listed.map(({ path, group, change }) => [path, group, change]),
      [
        ['in', 'changing', 'restore'],
        ['out', 'outside', 'restore'],
        ['gone', 'outside', 'delete'],
        ['hook', 'sensitive', 'restore'],
        ['key', 'sensitive', 'restore'],
        ['nothing', 'left', null],
        ['link', 'left', null],
      ],
    );
  });

  it('say what happens to each of them besides its lines', () => {
    const listed = files(
      plannedFile({ path: '/src/app/logo.png', isBinary: true, insertions: 0, deletions: 0, size: 3000 }),
      plannedFile({ path: '/src/app/log.txt', isTooLarge: true, insertions: 0, deletions: 0, size: 30_000_000 }),
      plannedFile({ path: '/src/app/old.ts', action: 'create', exists: false }),
      plannedFile({ path: '/src/app/new.ts', action: 'delete', contentPath: null, insertions: 0, deletions: 8 }),
      plannedFile({ path: '/src/app/run.sh', modeChange: { from: 0o644, to: 0o755 }, insertions: 0, deletions: 0 }),
      plannedFile({ path: '/src/app/dir', action: 'skipped', contentPath: null, why: 'A folder stands there.' }),
    );
    assert.deepEqual(
      listed.map(({ name, facts, insertions, deletions, why }) => [name, facts, insertions, deletions, why]),
      [
        ['logo.png', 'no text, 3 kB', 0, 0, null],
        ['log.txt', 'too large to compare, 30 MB', 0, 0, null],
        ['old.ts', 'comes back', 3, 1, null],
        ['new.ts', 'is deleted', 0, 8, null],
        ['run.sh', 'permissions 755 instead of 644', 0, 0, null],
        ['dir', '', 0, 0, 'A folder stands there.'],
      ],
    );
  });

  it('are named by their whole path if they are outside, and always on one line', () => {
    const listed = files(
      plannedFile({ path: '/src/app/a\nb.ts' }),
      plannedFile({ path: '/src/app/out.ts', action: 'skipped', isOutside: true }),
    );
    assert.deepEqual(
      listed.map(({ name }) => name),
      ['a b.ts', '/src/app/out.ts'],
    );
  });

  it('change only if they are named where the copy may have been altered, with the reason', () => {
    const path = '/src/app/axis.ts';
    const message = `The copy of ${path} is not what the transcript says the file was.`;
    const coverage = [{ kind: 'doubtfulBackup', path, line: null, message }] as const;
    const planned = [plannedFile({ path }), plannedFile()];
    const listed = listFiles({ files: planned, coverage }, DEPS);
    assert.deepEqual(
      listed.map(({ name, group, why }) => [name, group, why]),
      [
        ['chart.ts', 'changing', null],
        ['axis.ts', 'doubtful', 'The copy of axis.ts is not what the transcript says the file was.'],
      ],
    );
    assert.deepEqual(listNotes({ files: planned, coverage }, DEPS), []);
  });
});

describe('What a rewind does not restore, as listed', () => {
  it('is grouped by kind, in plain words', () => {
    const path = '/src/app/axis.ts';
    const listed = notes([
      { kind: 'byHand', path, line: null, message: `${path} was changed after Claude had written it.` },
      { kind: 'command', path: null, line: 52, message: 'Claude ran `npm run build`.' },
      { kind: 'command', path: null, line: 60, message: 'A command may have changed files.', command: 'make -j' },
      { kind: 'symlink', path: '/src/app/link.ts', line: 7, message: 'It is a link.' },
      { kind: 'other', path: null, line: null, message: 'The checkpoints could not\nbe read.' },
    ]);
    assert.deepEqual(listed, [
      {
        heading: 'Commands that ran since',
        explanation: 'What a command did to files that Claude did not edit itself stays as it is.',
        notes: [
          { words: 'Claude ran `npm run build`.', target: { kind: 'message', line: 52 } },
          { words: 'make -j', target: { kind: 'message', line: 60 } },
        ],
      },
      {
        heading: 'Changes by hand',
        explanation: 'These changes go, too. The safety copy keeps them.',
        notes: [{ words: 'axis.ts was changed after Claude had written it.', target: { kind: 'file', path } }],
      },
      {
        heading: 'Symbolic links',
        explanation: 'They stay as they are.',
        notes: [{ words: 'link.ts: It is a link.', target: { kind: 'message', line: 7 } }],
      },
      {
        heading: 'Other',
        explanation: null,
        notes: [{ words: 'The checkpoints could not be read.', target: null }],
      },
    ]);
  });

  it('leaves out what the list of the files says', () => {
    const hook = plannedFile({ path: '/src/app/.git/x', action: 'skipped', isSensitive: true });
    const link = plannedFile({ path: '/src/app/link', action: 'skipped', contentPath: null });
    const listed = notes(
      [
        { kind: 'sensitive', path: hook.path, line: null, message: 'It is sensitive.' },
        { kind: 'outside', path: link.path, line: null, message: 'It is outside.' },
      ],
      [hook, link],
    );
    assert.deepEqual(
      listed.map(({ heading }) => heading),
      ['Files outside the open folders'],
    );
  });

  it('names the file with which it happens, if the person may leave that file as it is', () => {
    const [chosen, kept] = [plannedFile({ path: '/src/app/a.ts' }), plannedFile({ path: '/b', action: 'unchanged' })];
    const [listed] = notes(
      [chosen, kept].map(({ path }) => ({ kind: 'laterCopy', path, line: null, message: `${path} was copied late.` })),
      [chosen, kept],
    );
    assert.deepEqual(
      listed?.notes.map(({ onlyWith }) => onlyWith),
      ['/src/app/a.ts', undefined],
    );
  });

  it('leads to no file that was removed', () => {
    const gone = plannedFile({ path: '/src/app/gone.ts', action: 'create', exists: false });
    const [listed] = notes(
      [{ kind: 'byHand', path: gone.path, line: null, message: `${gone.path} was removed.` }],
      [gone],
    );
    assert.deepEqual(
      listed?.notes.map(({ target }) => target),
      [null],
    );
  });

  it('names the files that it counts, as far as the person may choose them', () => {
    const [chosen, kept] = [plannedFile({ path: '/src/app/a.ts' }), plannedFile({ path: '/b', action: 'unchanged' })];
    const message = 'The copies of 2 files were written later.';
    const lateCopies = [chosen.path, kept.path];
    const [listed] = notes([{ kind: 'other', path: null, line: null, message, lateCopies }], [chosen, kept]);
    assert.deepEqual(listed?.notes, [{ words: message, target: null, lateCopies: [chosen.path] }]);
  });
});

describe('The folders that a rewind may change without asking', () => {
  it('are those of the window if the session belongs to one of them', () => {
    assert.deepEqual(rewindRoots(['/src/app', '/src/lib'], '/src/app'), ['/src/app', '/src/lib']);
    assert.deepEqual(rewindRoots(['/src/app'], '/src/app/packages/one'), ['/src/app']);
    assert.deepEqual(rewindRoots(['/src/app/packages'], '/src/app'), ['/src/app/packages']);
    assert.deepEqual(rewindRoots(['/src/app'], null), ['/src/app']);
  });

  it('are none of them if the session belongs to another project', () => {
    assert.deepEqual(rewindRoots(['/src/app'], '/src/app-two'), []);
    assert.deepEqual(rewindRoots(['/src/app'], '/home'), []);
    assert.deepEqual(rewindRoots([], '/src/app'), []);
  });
});
