import assert from 'node:assert/strict';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createOwnCheckpoints, type MaxFileSize, readMaxFileSize, takeHookCheckpoint } from '../../../rooms/history';
import { nodeWriteFs, type WriteFs } from '../../../rooms/storage';
import { withTemporaryFolder } from '../../../support/temporaryFolder';
import { call, lines, prompt, result, type RowFields, uuidOf } from '../../../support/transcriptBuilder';
import { FaultyFs } from '../../storage/faultyFs';
import { storeParts } from '../sessionStore/storeFixture';

const LIMIT = { bytes: 100_000_000, isInvalid: false };
const SESSION = '44444444-4444-4444-8444-444444444444';

interface Place {
  readonly project: string;
  readonly configDir: string;
  readonly transcript: string;
  readonly write: (rows: readonly RowFields[]) => void;
  readonly take: (input: object, fs?: WriteFs, maxFileSize?: MaxFileSize) => Promise<string>;
  readonly own: ReturnType<typeof createOwnCheckpoints>;
}

function withPlace<T>(use: (place: Place) => Promise<T>): Promise<T> {
  return withTemporaryFolder((folder) => {
    const [project, configDir] = [join(folder, 'my project'), join(folder, 'config')];
    const transcript = join(configDir, 'projects', '-my-project', `${SESSION}.jsonl`);
    mkdirSync(project);
    mkdirSync(dirname(transcript), { recursive: true });
    const deps = storeParts(configDir);
    return use({
      project,
      configDir,
      transcript,
      write: (rows) => {
        writeFileSync(transcript, `${lines(rows).join('\n')}\n`);
      },
      own: createOwnCheckpoints(deps),
      take: (input, fs = nodeWriteFs, maxFileSize = LIMIT) => {
        const given = {
          session_id: SESSION,
          transcript_path: transcript,
          cwd: project,
          hook_event_name: 'PreToolUse',
          tool_name: 'Write',
          ...input,
        };
        return takeHookCheckpoint(JSON.stringify(given), {
          ...deps,
          fs,
          configDir: join(folder, 'not this one'),
          home: join(folder, 'home'),
          maxFileSize,
        });
      },
    });
  });
}

const problemsIn = (configDir: string): Record<string, unknown>[] => {
  const path = join(configDir, 'rethread/checkpoints/problems.jsonl');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return text
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
};

describe('A checkpoint taken by the hook', () => {
  it('captures the file before the call, under the prompt of that turn', () =>
    withPlace(async ({ project, write, take, own }) => {
      write([prompt('first', null), prompt('second', 'first'), call('calls', 'second', 'toolu_1')]);
      const path = join(project, 'a.txt');
      writeFileSync(path, 'before');
      chmodSync(path, 0o755);
      assert.equal(await take({ tool_use_id: 'toolu_1', tool_input: { file_path: path, content: 'after' } }), 'kept');
      writeFileSync(path, 'after');
      assert.equal(
        await take({
          tool_use_id: 'toolu_1',
          tool_name: 'NotebookEdit',
          tool_input: { notebook_path: join(project, 'new.ipynb') },
        }),
        'kept',
      );
      const [first, second, ...more] = await own.read(SESSION);
      assert.deepEqual(more, []);
      assert.deepEqual([first?.promptUuid, first?.toolUseId], [uuidOf('second'), 'toolu_1']);
      const [file] = first?.files ?? [];
      assert.ok(file?.path === path && file.state.kind === 'file');
      assert.equal(readFileSync(file.state.contentPath, 'utf8'), 'before');
      assert.deepEqual([file.state.size, file.state.mode], [6, 0o755]);
      assert.deepEqual(second?.files, [
        { path: join(project, 'new.ipynb'), realFolder: project, state: { kind: 'absent' } },
      ]);
    }));

  it('keeps no copy of a file above the limit, but says that it was there and how large it was', () =>
    withPlace(async ({ project, configDir, write, take, own }) => {
      write([prompt('first', null), call('calls', 'first', 'toolu_1')]);
      const path = join(project, 'large.bin');
      const args = ['checkpoint', '--hook', '--max-file-size-mb', '2'];
      const taken = async (bytes: number): Promise<unknown> => {
        writeFileSync(path, Buffer.alloc(bytes));
        const input = { tool_use_id: 'toolu_1', tool_input: { file_path: path } };
        assert.equal(await take(input, nodeWriteFs, readMaxFileSize(args)), 'kept');
        return (await own.read(SESSION)).at(-1)?.files[0]?.state;
      };
      assert.equal(((await taken(2_000_000)) as { kind: string }).kind, 'file');
      const skipped = { kind: 'notKept', why: 'tooLarge', size: 2_000_001, maxBytes: 2_000_000 };
      assert.deepEqual(await taken(2_000_001), skipped);
      assert.deepEqual(problemsIn(configDir), []);
    }));

  it('takes only a whole number of megabytes for a limit, and logs anything else', () =>
    withPlace(async ({ project, configDir, write, take }) => {
      const limitOf = (...given: string[]): MaxFileSize => readMaxFileSize(['checkpoint', '--hook', ...given]);
      assert.deepEqual(limitOf(), { bytes: 100_000_000, isInvalid: false });
      assert.deepEqual(limitOf('--max-file-size-mb', '1'), { bytes: 1_000_000, isInvalid: false });
      assert.deepEqual(limitOf('--max-file-size-mb', '999999999'), { bytes: 2 ** 31, isInvalid: false });
      const wrong = ['0', '-1', '1.5', '1e3', '', ' 7', '07', '7MB', '--hook', '9999999999'];
      for (const value of wrong) {
        assert.deepEqual(limitOf('--max-file-size-mb', value), { bytes: 100_000_000, isInvalid: true }, value);
      }
      for (const given of [
        ['--max-file-size-mb'],
        ['--max-file-size-mb=7'],
        ['--max-file-size-mb', '1', '--max-file-size-mb', '2'],
      ]) {
        assert.equal(limitOf(...given).isInvalid, true, given.join(' '));
      }
      write([prompt('first', null)]);
      const path = join(project, 'a.txt');
      writeFileSync(path, 'x');
      assert.equal(
        await take({ tool_input: { file_path: path } }, nodeWriteFs, limitOf('--max-file-size-mb', '7MB')),
        'kept',
      );
      assert.deepEqual(
        problemsIn(configDir).map(({ code }) => code),
        ['INVALID_MAX_FILE_SIZE'],
      );
    }));

  it('finds its prompt later if the client had not written it yet', () =>
    withPlace(async ({ project, write, take, own, transcript }) => {
      const tool_input = { file_path: join(project, 'a.txt') };
      const rows = [prompt('first', null, { promptId: 'p1', timestamp: '2026-11-01T00:00:00.000Z' })];
      write(rows);
      await take({ tool_input, tool_use_id: 'toolu_1', prompt_id: 'p2' });
      await take({ tool_input, prompt_id: 'p2', agent_id: 'a1' });
      assert.deepEqual(
        (await own.read(SESSION)).map(({ promptUuid }) => promptUuid),
        [uuidOf('first'), uuidOf('first')],
      );
      const late = { promptId: 'p2', timestamp: '2026-11-02T00:00:00.000Z' };
      write([...rows, prompt('second', 'first', late), call('calls', 'second', 'toolu_1')]);
      assert.deepEqual(
        (await own.read(SESSION)).map(({ promptUuid }) => promptUuid),
        [uuidOf('second'), uuidOf('second')],
      );
      rmSync(transcript);
      assert.deepEqual(
        (await own.read(SESSION)).map(({ promptUuid }) => promptUuid),
        [null, null],
      );
    }));

  it('finds its prompt above megabytes of results, and by time with a client that records little', () =>
    withPlace(async ({ project, write, take, own }) => {
      const many = Array.from({ length: 40 }, (_, at) =>
        result(`r${at}`, at === 0 ? 'first' : `r${at - 1}`, `t${at}`, { more: 'x'.repeat(200_000) }),
      );
      write([prompt('first', null), ...many, call('calls', 'r39', 'toolu_1')]);
      await take({ tool_input: { file_path: join(project, 'a.txt') }, tool_use_id: 'toolu_1' });
      await take({ tool_input: { file_path: join(project, 'b.txt') } });
      assert.deepEqual(
        (await own.read(SESSION)).map(({ promptUuid }) => promptUuid),
        [uuidOf('first'), uuidOf('first')],
      );
    }));

  it('captures the file that the tool means: relative to the folder, or in the home folder', () =>
    withPlace(async ({ project, write, take, own }) => {
      write([prompt('first', null)]);
      for (const file_path of ['a.txt', './b/../c.txt', '~/d.txt', '../e.txt'])
        await take({ tool_input: { file_path } });
      const folder = dirname(project);
      assert.deepEqual(
        (await own.read(SESSION)).map(({ files }) => files[0]?.path),
        [join(project, 'a.txt'), join(project, 'c.txt'), join(folder, 'home', 'd.txt'), join(folder, 'e.txt')],
      );
    }));

  it('is not taken for a call that changes no file', () =>
    withPlace(async ({ take, configDir }) => {
      assert.equal(await take({ tool_name: 'Bash', tool_input: { command: 'rm -rf /' } }), 'ignored');
      assert.equal(await take({ tool_input: 'x' }), 'ignored');
      assert.equal(await take({ session_id: '' }), 'ignored');
      for (const input of ['', '{', 'null', '[]', '"x"', '{"tool_input":{"file_path":"x"}}']) {
        assert.equal(
          await takeHookCheckpoint(input, { ...storeParts(configDir), configDir, home: '/', maxFileSize: LIMIT }),
          'ignored',
        );
      }
      assert.ok(!existsSync(join(configDir, 'rethread')));
    }));

  it('never fails: errors are logged by code and path, without file contents', () =>
    withPlace(async ({ project, take, configDir, write }) => {
      write([prompt('first', null)]);
      const path = join(project, 'a.txt');
      writeFileSync(path, 'secret content');
      const tool_input = { file_path: path, content: 'secret change' };
      await take({ tool_input });
      const whole = new FaultyFs();
      await take({ tool_input: { file_path: join(project, 'b.txt') } }, whole);
      for (const { index } of whole.calls) {
        const fs = new FaultyFs();
        fs.faultOf = (each) => (each.index === index ? { kind: 'fails', code: 'EIO' } : null);
        writeFileSync(path, `secret content ${index}`);
        assert.ok(['kept', 'failed'].includes(await take({ tool_input }, fs)));
        assert.equal(fs.openFiles, 0);
      }
      const refuse = () => Promise.reject(Object.assign(new Error('EROFS'), { code: 'EROFS' }));
      const readOnly = { ...nodeWriteFs, mkdir: refuse, rename: refuse, open: refuse };
      assert.equal(await take({ tool_input }, readOnly), 'failed');
      const problems = problemsIn(configDir);
      assert.ok(problems.length > 3);
      for (const problem of problems) {
        assert.deepEqual(Object.keys(problem), ['timeMs', 'code', 'path', 'sessionId']);
        assert.equal(problem['code'], 'EIO');
        assert.ok(!JSON.stringify(problem).includes('secret'));
      }
    }));

  it('is not taken for an impossible path, as such a row would block every rewind', () =>
    withPlace(async ({ project, take, own, configDir }) => {
      const path = join(project, 'nul\0name.txt');
      assert.equal(await take({ tool_input: { file_path: path } }), 'failed');
      assert.deepEqual(await own.read(SESSION), []);
      assert.deepEqual(
        problemsIn(configDir).map((problem) => problem['path']),
        [path],
      );
    }));

  it('is reported as not stored when its file cannot be stored', () =>
    withPlace(async ({ project, take, own, write, configDir }) => {
      write([prompt('first', null)]);
      mkdirSync(join(project, 'folder'));
      await take({ tool_input: { file_path: join(project, 'folder') } });
      const path = join(project, 'a.txt');
      writeFileSync(path, 'x');
      const full = {
        ...nodeWriteFs,
        open: (...asked: Parameters<WriteFs['open']>) =>
          asked[0].endsWith('.tmp') && asked[0].includes('files')
            ? Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }))
            : nodeWriteFs.open(...asked),
      };
      assert.equal(await take({ tool_input: { file_path: path } }, full), 'kept');
      assert.deepEqual(
        (await own.read(SESSION)).map(({ files }) => files[0]?.state),
        [
          { kind: 'notKept', why: 'notAFile' },
          { kind: 'notKept', why: 'unreadable' },
        ],
      );
      assert.deepEqual(
        problemsIn(configDir).map(({ code, path: at }) => [code, at]),
        [['ENOSPC', path]],
      );
    }));

  it('keeps its log short', () =>
    withPlace(async ({ project, take, configDir }) => {
      writeFileSync(join(project, 'a.txt'), 'x');
      const tool_input = { file_path: join(project, 'a.txt') };
      await take({ tool_input });
      assert.deepEqual(
        problemsIn(configDir).map(({ code }) => code),
        ['ENOENT'],
        'there is no transcript',
      );
      const store = join(configDir, 'rethread/checkpoints');
      appendFileSync(join(store, 'problems.jsonl'), '\n{}'.repeat(100_000));
      await take({ tool_input });
      assert.equal(problemsIn(configDir).length, 1);
      assert.ok(existsSync(join(store, 'problems.jsonl.old')));
    }));
});

describe('The checkpoints of a fork', () => {
  it('are its own and, for the prompts that it shares, those of the session that it was forked from', () =>
    withPlace(async ({ project, write, take, own, transcript }) => {
      const FORK = '55555555-5555-4555-8555-555555555555';
      const at = (minute: number): string => new Date(Date.UTC(2026, 10, 21, 23, minute)).toISOString();
      const rows = [
        prompt('first', null, { timestamp: at(1) }),
        call('calls', 'first', 'toolu_1', { timestamp: '2026-11-23T00:00:00.000Z' }),
        prompt('second', 'calls', { timestamp: '2026-11-23T00:00:01.000Z' }),
        call('more', 'second', 'toolu_2'),
      ];
      write(rows);
      for (const tool_use_id of ['toolu_1', 'toolu_2'])
        await take({ tool_use_id, tool_input: { file_path: join(project, tool_use_id) } });
      const forked = rows
        .slice(0, 2)
        .map((row) => ({ ...row, sessionId: FORK, forkedFrom: { sessionId: SESSION, messageUuid: row['uuid'] } }));
      const fork = join(dirname(transcript), `${FORK}.jsonl`);
      writeFileSync(
        fork,
        `{"type":"mode"}\n${lines([...forked, prompt('third', 'calls'), call('again', 'third', 'toolu_3')]).join('\n')}\n`,
      );
      await take({
        session_id: FORK,
        transcript_path: fork,
        tool_use_id: 'toolu_3',
        tool_input: { file_path: join(project, 'toolu_3') },
      });
      const reported = async (id: string) =>
        (await own.read(id)).map(({ promptUuid, toolUseId }) => [promptUuid, toolUseId]);
      assert.deepEqual(await reported(FORK), [
        [uuidOf('first'), 'toolu_1'],
        [uuidOf('third'), 'toolu_3'],
      ]);
      assert.deepEqual(await reported(SESSION), [
        [uuidOf('first'), 'toolu_1'],
        [uuidOf('second'), 'toolu_2'],
      ]);
      assert.deepEqual(await own.read('../../x'), []);
    }));
});
