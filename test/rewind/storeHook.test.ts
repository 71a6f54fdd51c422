import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCheckpointHooks, createOwnCheckpoints, createRewinds } from '../rooms/history';
import { encodeProjectPath, sessionRefOf } from '../rooms/format';
import { loaderRules } from '../rooms/loader';
import { nodeWriteFs } from '../rooms/storage';
import { createFileScanner } from '../rooms/transcript';
import { createPacer } from '../rooms/util';
import { shellCommand } from '../../src/protocol/tools';
import { parseRow } from '../support/countedRows';
import { findClient } from '../support/findClient';
import { type MockApi, startMockApi } from '../support/mockApi';
import { clientEnvironment } from '../support/realClient';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';
import { temporaryFolder } from '../support/temporaryFolder';
import { bundleProgram } from './support/bundleProgram';
import { promptFor, scriptedReplier, type ToolCall, type Turn } from './support/scriptedReplies';
import { plainScanner } from '../support/plainScanner';

const SESSION = '99999999-1111-4111-8111-999999999999';

describe('The hook of a real client', function () {
  this.timeout(120_000);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let client: string;
  let api: MockApi;
  let project: string;
  let configDir: string;
  let transcript: string;
  let command: string;

  before(async function () {
    client = await skipWhenUnavailable(this, findClient);
    folder = await temporaryFolder();
    const tools = join(folder.path, "it's my tools");
    mkdirSync(tools);
    const program = await bundleProgram('src/cli/main.ts', tools);
    command = shellCommand([process.execPath, program], process.platform === 'win32');
    api = await startMockApi(scriptedReplier());
  });
  after(async () => {
    await api.close();
    folder.remove();
  });

  beforeEach(() => {
    // The folder has another name each time, so that nothing of an earlier test remains.
    const root = join(folder.path, randomUUID());
    project = join(root, 'my project');
    configDir = join(root, 'home', '.claude');
    transcript = join(configDir, 'projects', encodeProjectPath(project), `${SESSION}.jsonl`);
    mkdirSync(project, { recursive: true });
    mkdirSync(configDir, { recursive: true });
  });

  const parts = () => ({ fs: nodeWriteFs, now: Date.now, random: randomUUID, configDir: () => configDir });
  const inProject = (name: string): string => join(project, name);
  const textOf = (name: string): string | null =>
    existsSync(inProject(name)) ? readFileSync(inProject(name), 'utf8') : null;

  async function setHook(isEnabled: boolean, program = command): Promise<void> {
    const hooks = createCheckpointHooks({ ...parts(), home: join(configDir, '..') });
    const change = await hooks.planHook(project, isEnabled, program, 100);
    assert.equal(await hooks.applyHook(change, '/extensions'), null);
  }

  /** One run of the client, without checkpoints of its own, as `claude -p` is by default. */
  async function ask(words: string, turn: Turn, isFirst = false): Promise<void> {
    const home = join(configDir, '..');
    const session = isFirst ? ['--session-id', SESSION] : ['--resume', SESSION];
    const child = spawn(client, ['-p', promptFor(words, turn), ...session, '--permission-mode', 'bypassPermissions'], {
      cwd: project,
      env: clientEnvironment({ home, cwd: project, root: join(home, '..'), baseUrl: api.urlFor('hook') }),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  }

  function promptUuid(words: string): string {
    const rows = readFileSync(transcript, 'utf8').split('\n').map(parseRow);
    const row = rows.find((each) => each?.type === 'user' && JSON.stringify(each.message).includes(`"${words} @@`));
    assert.ok(typeof row?.uuid === 'string', words);
    return row.uuid;
  }

  /** The content of the checkpoints: prompt, path in the project, and text; null for a file that did not exist. */
  async function kept(): Promise<[string | null, string, string | null][]> {
    const checkpoints = await createOwnCheckpoints(parts()).read(SESSION);
    return checkpoints.flatMap((checkpoint) =>
      checkpoint.files.map(({ path, state }): [string | null, string, string | null] => {
        assert.ok(state.kind !== 'notKept');
        const text = state.kind === 'absent' ? null : readFileSync(state.contentPath, 'utf8');
        return [checkpoint.promptUuid, path.slice(project.length + 1), text];
      }),
    );
  }

  const tool = (name: string, input: object): ToolCall => ({ name, input });
  const read = (name: string): ToolCall => tool('Read', { file_path: inProject(name) });
  const write = (name: string, content: string): ToolCall => tool('Write', { file_path: inProject(name), content });

  it('captures each file before Write, Edit and NotebookEdit, also in a subagent, for a rewind', async () => {
    const notebook = `${JSON.stringify({ cells: [{ cell_type: 'code', id: 'c1', source: ['1'], metadata: {}, outputs: [], execution_count: null }], metadata: {}, nbformat: 4, nbformat_minor: 5 })}\n`;
    writeFileSync(inProject('a.txt'), 'alpha\n');
    writeFileSync(inProject('n.ipynb'), notebook);
    await setHook(true);
    await ask(
      'Turn one',
      [
        [read('a.txt'), read('n.ipynb')],
        [write('a.txt', 'one\n'), write('new.txt', 'new\n')],
        [tool('NotebookEdit', { notebook_path: inProject('n.ipynb'), cell_id: 'c1', new_source: '2' })],
      ],
      true,
    );
    const subagent = promptFor('Subtask', [[write('sub.txt', 'sub\n')]]);
    await ask('Turn two', [
      [read('a.txt')],
      [tool('Edit', { file_path: inProject('a.txt'), old_string: 'one', new_string: 'two' })],
      [tool('Agent', { description: 'x', prompt: subagent, subagent_type: 'general-purpose' })],
      [tool('Bash', { command: 'echo by-bash > bash.txt' })],
    ]);
    assert.deepEqual([textOf('a.txt'), textOf('new.txt'), textOf('sub.txt')], ['two\n', 'new\n', 'sub\n']);
    const [one, two] = [promptUuid('Turn one'), promptUuid('Turn two')];
    assert.deepEqual(
      (await kept()).sort(),
      [
        [one, 'a.txt', 'alpha\n'],
        [one, 'n.ipynb', notebook],
        [one, 'new.txt', null],
        [two, 'a.txt', 'one\n'],
        [two, 'sub.txt', null],
      ].sort(),
    );
    assert.ok(!existsSync(join(configDir, 'rethread', 'checkpoints', 'problems.jsonl')));
    assert.ok(!existsSync(join(configDir, 'file-history', SESSION)), 'the client keeps none of its own');

    const pacer = createPacer(10);
    const scanFile = createFileScanner(plainScanner, pacer);
    const rewinds = createRewinds({
      capabilities: { rewind: true },
      scanFile,
      rules: loaderRules(),
      configDir: () => configDir,
      homeDir: folder.path,
      write: parts(),
      liveness: () => Promise.resolve({ live: 'not-live', why: null }),
      ownCheckpoints: createOwnCheckpoints(parts()),
    });
    const request = {
      session: sessionRefOf(transcript),
      roots: [project],
      paths: null,
      mayLeaveRoots: false,
      skipObstacles: false,
      mayBeLive: false,
      token: null,
    };
    const rewound = await rewinds.rewind({ ...request, promptUuid: two });
    assert.deepEqual(
      [rewound.reason, textOf('a.txt'), textOf('sub.txt'), textOf('new.txt')],
      [null, 'one\n', null, 'new\n'],
    );
    await rewinds.rewind({ ...request, promptUuid: one });
    assert.deepEqual([textOf('a.txt'), textOf('new.txt'), textOf('n.ipynb')], ['alpha\n', null, notebook]);
    assert.equal(textOf('bash.txt'), 'by-bash\n');
  });

  it('is removed when checkpoints are disabled, with the file that was created for it', async () => {
    await setHook(true);
    await ask('Turn one', [[write('a.txt', 'x')]], true);
    await setHook(false);
    assert.ok(!existsSync(inProject('.claude')));
    await ask('Turn two', [[write('b.txt', 'x')]]);
    assert.deepEqual(
      (await kept()).map(([, path]) => path),
      ['a.txt'],
    );
    assert.equal(textOf('b.txt'), 'x');
  });

  it('never blocks the client: the file is written even if storing fails or the program was deleted', async () => {
    await setHook(true);
    // A file in place of the store's folder.
    rmSync(join(configDir, 'rethread'), { recursive: true });
    writeFileSync(join(configDir, 'rethread'), 'x');
    await ask('Turn one', [[write('a.txt', 'x')]], true);
    await setHook(true, shellCommand([join(folder.path, 'gone', 'rethread')], false));
    await ask('Turn two', [[write('b.txt', 'x')]]);
    assert.deepEqual([textOf('a.txt'), textOf('b.txt')], ['x', 'x']);
    assert.deepEqual(await kept(), []);
  });
});
