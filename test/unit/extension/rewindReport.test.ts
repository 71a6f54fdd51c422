import assert from 'node:assert/strict';
import { fileChoices } from '../../../src/extension/history/rewindFlow';
import { diffedFiles, type Report, rewindReport } from '../../../src/extension/history/rewindReport';
import { rewindExplanation, sortFiles } from '../../../src/extension/history/rewindText';
import { chooseRewindFolders, rewindRoots } from '../../../src/extension/history/rewindFolders';
import type { RewindPlan } from '../../../src/protocol/history';
import { FakeDialogs } from './dialogFakes';
import { formats, t } from './fakes';
import { plan, plannedFile } from './rewindFakes';

const report = (change: Partial<RewindPlan> = {}): Report =>
  rewindReport({
    plan: plan(change),
    title: 'Draw charts',
    displayPath: (path) => path.replace('/src/app/', ''),
    formats,
    t,
  });
const linked = ({ text, links }: Report) =>
  links.map(({ line, from, to, target }) => ({ words: text.split('\n')[line]?.slice(from, to), target }));

describe('The report of a rewind', () => {
  it('starts with what the rewind would not restore, by kind and in plain words', () => {
    const { text } = report({
      coverage: [
        {
          kind: 'byHand',
          path: '/src/app/axis.ts',
          line: null,
          message: '/src/app/axis.ts was changed after Claude had written it.',
        },
        { kind: 'command', path: null, line: 52, message: 'Claude ran `npm run build`.' },
        { kind: 'command', path: null, line: 60, message: 'A command may have changed files.', command: 'make -j' },
      ],
    });
    assert.equal(
      text,
      [
        '# Rewind to before “Draw the rain as bars”',
        '',
        'Draw charts',
        '',
        '1 file changes. 3 lines come back. 1 line goes.',
        'Nothing has been touched yet.',
        '',
        '## What this does not bring back',
        '',
        '### Commands that ran since',
        '',
        'What a command did to files that Claude did not edit itself stays as it is.',
        '',
        '- Line 52: Claude ran `npm run build`.',
        '- Line 60: make -j',
        '',
        '### Changes by hand',
        '',
        'These changes go, too. The safety copy keeps them.',
        '',
        '- axis.ts was changed after Claude had written it.',
        '',
        '## Files that change',
        '',
        '- chart.ts: +3 −1',
        '',
      ].join('\n'),
    );
  });

  it('links rows and files, except missing files', () => {
    const made = report({
      files: [plannedFile(), plannedFile({ path: '/src/app/gone.ts', action: 'create', exists: false })],
      coverage: [{ kind: 'symlink', path: '/src/app/link.ts', line: 7, message: 'It is a link.' }],
    });
    assert.deepEqual(linked(made), [
      { words: 'Line 7', target: { kind: 'row', line: 7 } },
      { words: 'link.ts', target: { kind: 'file', path: '/src/app/link.ts' } },
      { words: 'chart.ts', target: { kind: 'file', path: '/src/app/chart.ts' } },
    ]);
    assert.match(made.text, /- Line 7: link\.ts: It is a link\.\n/);
    assert.match(made.text, /- gone\.ts: comes back, \+3 −1\n/);
  });

  it('states when no side effects are known', () => {
    assert.match(
      report().text,
      /## What this does not bring back\n\nNothing is known that this would leave behind\.\n/,
    );
  });

  it('names every file with its outcome', () => {
    const { text } = report({
      kind: 'own',
      files: [
        plannedFile({ path: '/src/app/logo.png', isBinary: true, insertions: 0, deletions: 0, size: 3000 }),
        plannedFile({ path: '/src/app/log.txt', isTooLarge: true, insertions: 0, deletions: 0, size: 30_000_000 }),
        plannedFile({ path: '/src/app/new.ts', action: 'delete', contentPath: null, insertions: 0, deletions: 8 }),
        plannedFile({ path: '/src/app/run.sh', modeChange: { from: 0o644, to: 0o755 }, insertions: 0, deletions: 0 }),
        plannedFile({ path: '/etc/x', action: 'skipped', isOutside: true, why: 'It is outside.' }),
        plannedFile({
          path: '/src/app/.vscode/tasks.json',
          action: 'skipped',
          isOutside: true,
          isSensitive: true,
          contentPath: null,
          insertions: 0,
          deletions: 0,
          why: 'It is sensitive.',
        }),
        plannedFile({ path: '/src/app/dir', action: 'skipped', contentPath: null, why: 'A folder stands there.' }),
        plannedFile({ path: '/src/app/same.ts', action: 'unchanged' }),
      ],
    });
    const [, after = ''] = text.split('## Files that change\n');
    assert.equal(
      after,
      [
        '',
        '- logo.png: no text, 3 kB',
        '- log.txt: too large to compare, 30 MB',
        '- new.ts: is deleted, −8',
        '- run.sh: permissions 755 instead of 644',
        '',
        '## Files outside the open folders, which change only if you choose them',
        '',
        '- /etc/x: +3 −1 (It is outside.)',
        '',
        '## Sensitive files, which change only if you choose them',
        '',
        '- .vscode/tasks.json: is deleted (It is sensitive.)',
        '',
        '## Files that are left alone',
        '',
        '- dir: A folder stands there.',
        '',
      ].join('\n'),
    );
    assert.match(text, /Draw charts · checkpoint of Rethread\n/);
    assert.match(text, /1 file is deleted, since it was not there then\./);
  });

  it('keeps every name on one line, and limits the list of each kind', () => {
    const note = { kind: 'command', path: null, message: 'Claude ran\na command.' } as const;
    const made = report({
      files: [plannedFile({ path: '/src/app/a\nb.ts' })],
      coverage: Array.from({ length: 80 }, (_, at) => ({ ...note, line: at + 1 })),
    });
    assert.match(made.text, /- Line 50: Claude ran a command\.\n- 30 more\n/);
    assert.match(made.text, /- a b\.ts: \+3 −1\n/);
    assert.equal(linked(made).at(-1)?.words, 'a b.ts');
  });
});

describe('A copy that may have been altered', () => {
  const path = '/src/app/axis.ts';
  const message = `The copy of ${path} is not what the transcript says the file was.`;
  const doubted = plan({
    files: [plannedFile(), plannedFile({ path })],
    coverage: [
      { kind: 'doubtfulBackup', path, line: null, message },
      { kind: 'alteredBackup', path: '/src/app/left.ts', line: null, message: '/src/app/left.ts is left as it is.' },
    ],
  });

  it('is restored only if the person chooses it, and the report then says so', () => {
    const { text } = report(doubted);
    assert.match(text, /### Backups that may have been altered\n\nThese files change only if you choose them\.\n/);
    assert.match(text, /### Backups that were altered\n\n[^\n]*so that they stay as they are\.\n/);
    assert.match(text, /## Files that change\n\n- chart\.ts: \+3 −1\n\n## Files whose copy may have been altered/);
    assert.match(text, /1 file changes\. 3 lines come back/);
    const choices = fileChoices(doubted, (at) => at, formats, t).flatMap((group) => group.choices);
    assert.deepEqual(
      choices.map(({ value, isChecked, isFixed }) => [value.path, isChecked, isFixed]),
      [
        ['/src/app/chart.ts', true, false],
        [path, false, false],
      ],
    );
  });

  it('is mentioned in the last question if, and only if, the file was chosen', () => {
    const reported = 'gets a copy that may have been altered';
    const [chart, axis] = doubted.files;
    assert.ok(chart !== undefined && axis !== undefined);
    assert.ok(rewindExplanation(doubted, [chart, axis], formats, t).includes(reported));
    assert.ok(!rewindExplanation(doubted, [chart], formats, t).includes(reported));
  });
});

describe('The files of a rewind', () => {
  it('are changed, changed on confirmation, or skipped', () => {
    const outside = { isOutside: true, action: 'skipped' } as const;
    const secret = { isSensitive: true, action: 'skipped' } as const;
    const files = [
      plannedFile({ path: 'in' }),
      plannedFile({ path: 'out', ...outside }),
      plannedFile({ path: 'gone', ...outside, contentPath: null }),
      plannedFile({ path: 'nothing', ...outside, contentPath: null, exists: false }),
      plannedFile({ path: 'hook', ...secret }),
      plannedFile({ path: 'key', ...secret, isOutside: true }),
      plannedFile({ path: 'link', action: 'skipped' }),
      plannedFile({ path: 'same', action: 'unchanged' }),
    ];
    const { inside, outside: others, sensitive, skipped } = sortFiles({ files });
    const paths = [inside, others, sensitive, skipped].map((each) => each.map(({ path }) => path));
    assert.deepEqual(paths, [['in'], ['out', 'gone'], ['hook', 'key'], ['nothing', 'link']]);
  });

  it('are compared side by side if they have lines to show', () => {
    const files = [
      plannedFile({ path: 'text' }),
      plannedFile({ path: 'binary', isBinary: true }),
      plannedFile({ path: 'mode', insertions: 0, deletions: 0 }),
      plannedFile({ path: 'huge', size: 1e9, isTooLarge: true, insertions: 0, deletions: 0 }),
      plannedFile({ path: 'empty', insertions: 0, deletions: 0, action: 'create', exists: false }),
      plannedFile({ path: 'skipped', action: 'skipped' }),
    ];
    assert.deepEqual(
      diffedFiles({ files }).map(({ path }) => path),
      ['text', 'empty'],
    );
  });
});

describe('The folders that a rewind may change', () => {
  const choose = async (open: readonly string[], cwd: string | null, answer: string | null, picked: string | null) => {
    const dialogs = new FakeDialogs({ choose: [answer] });
    const starts: (string | null)[] = [];
    const roots = await chooseRewindFolders(cwd, {
      dialogs,
      t,
      windowFolders: () => open,
      displayPath: (path) => path,
      pickFolder: (start) => {
        starts.push(start);
        return Promise.resolve(picked);
      },
    });
    return { roots, starts, lines: dialogs.lists.flatMap(({ lines }) => lines) };
  };

  it('are asked for if the window has none of the session, and the transcript only suggests one', async () => {
    const { roots, lines } = await choose(['/src/lib'], '/src/app', '/src/app', null);
    assert.deepEqual(lines, [
      '/src/app | the transcript names this folder',
      '/src/lib | open in this window',
      'Another Folder…',
    ]);
    assert.deepEqual(roots, ['/src/app']);
    assert.deepEqual((await choose(['/src/lib'], '/src/app', '/src/lib', null)).roots, ['/src/lib']);
    const other = await choose([], '/src/app', 'Another Folder…', '/src/moved');
    assert.deepEqual([other.roots, other.starts], [['/src/moved'], ['/src/app']]);
    assert.equal((await choose([], '/src/app', null, '/src/moved')).roots, null);
    assert.equal((await choose([], '/src/app', 'Another Folder…', null)).roots, null);
    const unknown = await choose([], null, null, '/src/app');
    assert.deepEqual([unknown.roots, unknown.starts, unknown.lines], [['/src/app'], [null], []]);
    const open = await choose(['/src/app'], '/src/app', null, null);
    assert.deepEqual([open.roots, open.lines], [['/src/app'], []]);
  });

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
