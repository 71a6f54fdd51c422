import assert from 'node:assert/strict';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readFileCalls, sessionRefOf } from '../../../rooms/format';
import { assistant, lines, prompt, result, type RowFields, timeOf } from '../../../support/transcriptBuilder';
import { notesOf, planOf, PROMPT, sessionWith, writeFile } from './oneFile';
import { backup, requestOf, rewindsWith, SESSION, withPlace, writeSession } from './rewindFixture';

function callOf(name: string, parent: string, tool: string, input: object): RowFields {
  return assistant(name, parent, [{ type: 'tool_use', id: `id_${name}`, name: tool, input }]);
}

function commands(command: string): readonly string[] {
  const content = [{ type: 'tool_use', id: 'x', name: 'Bash', input: { command } }];
  return readFileCalls({ type: 'assistant', message: { content } }).flatMap((call) =>
    call.kind === 'command' ? [call.text] : [],
  );
}

describe('The coverage report', () => {
  it('names the commands after the prompt by their lines', async () => {
    await withPlace(async (place) => {
      sessionWith(place, {}, [
        callOf('bash', 'reply', 'Bash', { command: 'npm run build > out.txt' }),
        result('done', 'bash', 'id_bash'),
        callOf('look', 'done', 'Bash', { command: 'ls -la src' }),
        result('looked', 'look', 'id_look'),
        callOf('mcp', 'looked', 'mcp__files__write', { path: 'x' }),
        result('written', 'mcp', 'id_mcp'),
        prompt('typed', 'written', { message: { role: 'user', content: '<bash-input>make all</bash-input>' } }),
      ]);
      const { coverage } = await planOf(place);
      const notes = coverage.filter(({ kind }) => kind === 'command');
      assert.deepEqual(
        notes.map(({ line }) => line),
        [4, 8, 10],
      );
      assert.ok(notes[0]?.message.includes('npm run build > out.txt'));
      assert.ok(notes[2]?.message.includes('make all'));
    });
  });

  it('ignores commands from before the prompt', async () => {
    await withPlace(async (place) => {
      const row = { type: 'file-history-snapshot', messageId: PROMPT, isSnapshotUpdate: false };
      writeSession(place, [
        prompt('earlier', null),
        callOf('bash', 'earlier', 'Bash', { command: 'rm -rf build' }),
        result('done', 'bash', 'id_bash'),
        { ...row, snapshot: { messageId: PROMPT, trackedFileBackups: {}, timestamp: timeOf(1) } },
        prompt('first', 'done'),
      ]);
      assert.deepEqual(notesOf(await planOf(place), 'command'), []);
    });
  });

  it('treats commands that only read as harmless', () => {
    for (const command of ['ls', 'cat a.txt b.txt', 'git status', 'git log --oneline -5', 'grep -rn foo src']) {
      assert.deepEqual(commands(command), [], command);
    }
    for (const command of [
      'ls > x',
      'cat a.txt | tee b.txt',
      'git checkout .',
      'ls\nrm x',
      'ls; rm x',
      'echo $(rm x)',
      'git diff --output=x',
      'rm x',
      'find . -delete',
    ]) {
      assert.deepEqual(commands(command), [command]);
    }
  });

  it('names files that were changed by hand after Claude’s last change', async () => {
    await withPlace(async (place) => {
      const written = (name: string, content: string): object => ({
        toolUseResult: {
          type: 'create',
          filePath: join(place.cwd, name),
          content,
          structuredPatch: [],
          originalFile: null,
        },
      });
      sessionWith(
        place,
        {
          'hand.txt': backup(place, 'hand.txt', 1, null),
          'claude.txt': backup(place, 'claude.txt', 1, null),
          'gone.txt': backup(place, 'gone.txt', 2, 'was\n'),
          'crlf.txt': backup(place, 'crlf.txt', 1, null),
        },
        [
          callOf('w1', 'reply', 'Write', { file_path: join(place.cwd, 'hand.txt'), content: 'by Claude\n' }),
          result('r1', 'w1', 'id_w1', written('hand.txt', 'by Claude\n') as RowFields),
          callOf('w2', 'r1', 'Write', { file_path: join(place.cwd, 'claude.txt'), content: 'by Claude\n' }),
          result('r2', 'w2', 'id_w2', written('claude.txt', 'by Claude\n') as RowFields),
          callOf('w3', 'r2', 'Write', { file_path: join(place.cwd, 'crlf.txt'), content: 'a\nb\n' }),
          result('r3', 'w3', 'id_w3', written('crlf.txt', 'a\nb\n') as RowFields),
        ],
      );
      writeFile(place, 'hand.txt', 'by Claude\nand by hand\n');
      writeFile(place, 'claude.txt', 'by Claude\n');
      writeFile(place, 'crlf.txt', 'a\r\nb\r\n');
      const { coverage } = await planOf(place);
      const paths = coverage.filter(({ kind }) => kind === 'byHand').map(({ path }) => path);
      assert.deepEqual(paths, [join(place.cwd, 'gone.txt'), join(place.cwd, 'hand.txt')]);
    });
  });

  it('takes edits into account', async () => {
    await withPlace(async (place) => {
      const path = join(place.cwd, 'a.txt');
      const edit = { filePath: path, oldString: 'one', newString: '1', originalFile: 'one\none\n', replaceAll: true };
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'one\none\n') }, [
        callOf('e', 'reply', 'Edit', { file_path: path, old_string: 'one', new_string: '1' }),
        result('r', 'e', 'id_e', { toolUseResult: edit }),
      ]);
      writeFile(place, 'a.txt', '1\n1\n');
      assert.deepEqual(notesOf(await planOf(place), 'byHand'), []);
      writeFile(place, 'a.txt', '1\n2\n');
      assert.equal(notesOf(await planOf(place), 'byHand').length, 1);
    });
  });

  it('distrusts a copy that was written after its time, and one that does not match the transcript', async () => {
    await withPlace(async (place) => {
      const late = backup(place, 'late.txt', 2, 'was\n');
      const reported = backup(place, 'told.txt', 1, 'not this\n');
      const now = Date.now() / 1000;
      utimesSync(join(place.backupFolder, late.backupFileName ?? ''), now, now);
      const path = join(place.cwd, 'told.txt');
      sessionWith(place, { 'late.txt': late, 'told.txt': reported }, [
        callOf('e', 'reply', 'Edit', { file_path: path, old_string: 'a', new_string: 'b' }),
        result('r', 'e', 'id_e', {
          toolUseResult: { filePath: path, oldString: 'a', newString: 'b', originalFile: 'a\n' },
        }),
      ]);
      writeFile(place, 'late.txt', 'is\n');
      writeFile(place, 'told.txt', 'b\n');
      const { coverage } = await planOf(place);
      const paths = coverage.filter(({ kind }) => kind === 'doubtfulBackup').map(({ path: at }) => at);
      assert.deepEqual(paths.sort(), [join(place.cwd, 'late.txt'), path].sort());
    });
  });

  it('reports only once that all copies are late', async () => {
    await withPlace(async (place) => {
      const names = ['a', 'b', 'c', 'd', 'e'];
      const files = Object.fromEntries(names.map((name) => [name, backup(place, name, 1, 'was\n')]));
      const now = Date.now() / 1000;
      for (const { backupFileName } of Object.values(files)) {
        utimesSync(join(place.backupFolder, backupFileName ?? ''), now, now);
      }
      sessionWith(place, files);
      const plan = await planOf(place);
      assert.equal(notesOf(plan, 'other').length, 1);
      assert.deepEqual(notesOf(plan, 'doubtfulBackup'), []);
      const counted = plan.coverage.flatMap(({ lateCopies }) => lateCopies ?? []);
      assert.deepEqual(
        counted.toSorted(),
        names.map((name) => join(place.cwd, name)),
      );
    });
  });

  it('names edits without a stored copy, including those of subagents', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'kept.txt': backup(place, 'kept.txt', 1, null) }, [
        callOf('w1', 'reply', 'Write', { file_path: join(place.cwd, 'kept.txt') }),
        result('r1', 'w1', 'id_w1'),
        callOf('w2', 'r1', 'Edit', { file_path: join(place.cwd, 'lost.txt') }),
        result('r2', 'w2', 'id_w2'),
      ]);
      const agent = join(dirname(place.filePath), SESSION, 'subagents', 'agent-abc123.jsonl');
      mkdirSync(dirname(agent), { recursive: true });
      const rows = [
        callOf('s1', 'x', 'Write', { file_path: join(place.cwd, 'by-agent.txt') }),
        callOf('s2', 'x', 'Bash', { command: 'make' }),
        {
          ...callOf('s3', 'x', 'Write', { file_path: join(place.cwd, 'long-ago.txt') }),
          timestamp: '2020-01-01T00:00:00Z',
        },
      ].map((row) => ({ timestamp: timeOf(9), ...row, isSidechain: true }));
      writeFileSync(agent, `${lines(rows).join('\n')}\n`);
      const plan = await planOf(place);
      const paths = plan.coverage.filter(({ kind }) => kind === 'untracked').map(({ path }) => path);
      assert.deepEqual(paths, [join(place.cwd, 'lost.txt'), join(place.cwd, 'by-agent.txt')]);
      assert.equal(notesOf(plan, 'command').filter((note) => note.includes('subagents')).length, 1);
    });
  });

  it('reports changes that the client noticed but did not store, and the number of deleted checkpoints', async () => {
    await withPlace(async (place) => {
      const rows: RowFields[] = [];
      for (let at = 0; at < 103; at++) {
        const row = prompt(`p${at}`, at === 0 ? null : `p${at - 1}`);
        const snapshot = {
          messageId: row['uuid'],
          trackedFileBackups: {},
          timestamp: timeOf(at),
          ...(at === 102 ? { hasUntrackedChanges: true } : {}),
        };
        rows.push({ type: 'file-history-snapshot', messageId: row['uuid'], snapshot, isSnapshotUpdate: false }, row);
      }
      writeSession(place, rows);
      const uuid = (at: number): string => String(rows[at * 2 + 1]?.['uuid']);
      const rewinds = rewindsWith(place);
      const plan = await rewinds.planRewind(requestOf(place, uuid(50)));
      assert.equal(notesOf(plan, 'snapshotCap').length, 1);
      assert.deepEqual(
        plan.coverage.filter(({ kind }) => kind === 'untracked').map(({ line }) => line),
        [206],
      );
      const gone = await rewinds.rewind(requestOf(place, uuid(2)));
      assert.equal(gone.reason, 'no-checkpoint');
      assert.ok(gone.result.error?.includes('100'));
      const listed = await rewinds.checkpoints(sessionRefOf(place.filePath), [place.cwd]);
      assert.deepEqual(listed.map(({ problem }) => problem !== null).indexOf(false), 3);
      assert.equal(listed.length, 103);
    });
  });

  it('is short where there is nothing to report', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
      rmSync(join(place.cwd, 'a.txt'), { force: true });
      writeFile(place, 'a.txt', 'was\n');
      assert.deepEqual((await planOf(place)).coverage, []);
    });
  });
});
