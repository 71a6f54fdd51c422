import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { access, chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installProgram } from '../../rooms/history';
import { HookFlow } from '../../../src/extension/history/hookFlow';
import { HookLauncher } from '../../../src/extension/history/hookLauncher';
import type { HookChange } from '../../../src/protocol/channels/history';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { type Answers, FakeDialogs } from './dialogFakes';
import { RecordedLog, t } from './fakes';

const CHANGE: HookChange = {
  settingsPath: '/src/app/.claude/settings.local.json',
  before: null,
  after: '{}\n',
  problem: null,
  replaces: null,
};

interface Situation {
  readonly answers?: Answers;
  readonly change?: Partial<HookChange>;
  readonly folders?: readonly string[];
  readonly problem?: string | null;
  readonly isTrusted?: boolean;
}

function setUp({ answers = {}, change = {}, folders = ['/src/app'], problem = null, isTrusted = true }: Situation) {
  const dialogs = new FakeDialogs(answers);
  const happened: string[] = [];
  const did = (what: string) => {
    happened.push(what);
    return Promise.resolve();
  };
  const flow = new HookFlow({
    hooks: {
      planHook: (folder, isEnabled, command, maxFileSizeMB) =>
        did(`planned ${String(isEnabled)} for ${folder} with ${command}, up to ${maxFileSizeMB} MB`).then(() => ({
          ...CHANGE,
          ...change,
        })),
      applyHook: (_change, extensionsFolder) => did(`applied for ${extensionsFolder}`).then(() => problem),
    },
    launcher: { command: 'sh /s/checkpoint.sh', install: () => did('installed') },
    extensionsFolder: '/extensions',
    previews: { show: () => did('shown'), close: () => did('closed') },
    hasFolder: () => folders.length > 0,
    isTrusted: () => isTrusted,
    maxFileSizeMB: () => 7,
    chooseFolder: () => Promise.resolve(folders[0] ?? null),
    dialogs,
    log: new RecordedLog(),
    t,
  });
  return { flow, dialogs, happened };
}

describe('Enabling checkpoints', () => {
  const planned = 'planned true for /src/app with sh /s/checkpoint.sh, up to 7 MB';

  it('shows the change to the settings, asks, and installs the program before the settings name it', async () => {
    const { flow, dialogs, happened } = setUp({ answers: { ask: ['Enable'] } });
    await flow.setEnabled(true);
    assert.deepEqual(happened, [planned, 'shown', 'installed', 'applied for /extensions', 'closed']);
    assert.equal(dialogs.questions[0]?.message, 'Enable checkpoints in “app”?');
    assert.match(dialogs.reported[0] ?? '', /^Checkpoints are on in “app”, for sessions that are started/);
  });

  it('changes nothing when the person cancels', async () => {
    const { flow, happened } = setUp({ answers: { ask: [null] } });
    await flow.setEnabled(true);
    assert.deepEqual(happened, [planned, 'shown', 'closed']);
  });

  it('reports when nothing has to change, when it is impossible, and when it failed', async () => {
    for (const [situation, isEnabled, message] of [
      [{ change: { before: '{}', after: '{}' } }, true, 'Checkpoints are on already in “app”.'],
      [{ change: { before: null, after: null } }, false, 'Checkpoints are off in “app”.'],
      [{ change: { problem: 'There is no JSON in it.' } }, true, 'There is no JSON in it.'],
      [{ problem: 'It changed since.', answers: { ask: ['Enable'] } }, true, 'It changed since.'],
      [{ folders: [] }, true, 'Open the folder of a project first: checkpoints are a setting of the project.'],
    ] as const) {
      const { flow, dialogs } = setUp(situation);
      await flow.setEnabled(isEnabled);
      assert.deepEqual(dialogs.reported, [message]);
    }
  });

  it('does nothing in Restricted Mode, where disabling still works', async () => {
    const { flow, dialogs, happened } = setUp({ isTrusted: false, answers: { ask: ['Disable'] } });
    await flow.setEnabled(true);
    assert.deepEqual([happened, dialogs.questions], [[], []]);
    assert.match(dialogs.reported[0] ?? '', /Restricted Mode/);
    await flow.setEnabled(false);
    assert.deepEqual(happened.slice(1), ['shown', 'applied for /extensions', 'closed']);
  });

  it('keeps the hook of another installation unless the person replaces it', async () => {
    const change = { before: '{"other":1}', replaces: 'sh /cursor/checkpoint.sh checkpoint --hook' };
    const kept = setUp({ change, answers: { ask: ['Keep It'] } });
    await kept.flow.setEnabled(true);
    assert.deepEqual(kept.happened, [planned]);
    assert.match(kept.dialogs.questions[0]?.detail ?? '', /\/cursor\/checkpoint\.sh/);
    const replaced = setUp({ change, answers: { ask: ['Replace It', 'Enable'] } });
    await replaced.flow.setEnabled(true);
    assert.ok(replaced.happened.includes('applied for /extensions'));
    assert.match(replaced.dialogs.questions[1]?.detail ?? '', /\/src\/app\/\.claude\/settings\.local\.json/);
  });

  it('is reverted by disabling checkpoints, which needs no program', async () => {
    const { flow, dialogs, happened } = setUp({ answers: { ask: ['Disable'] } });
    await flow.setEnabled(false);
    assert.deepEqual(happened.slice(1), ['shown', 'applied for /extensions', 'closed']);
    assert.match(dialogs.reported[0] ?? '', /^Checkpoints are off in “app”, for sessions/);
  });
});

describe('The program that the hook runs', () => {
  /** A program that records its input and the runtime that runs it. */
  const PROGRAM = `const { appendFileSync } = require('node:fs');
appendFileSync(process.env.SEEN, JSON.stringify([process.argv.slice(2), process.env.ELECTRON_RUN_AS_NODE ?? null]));`;

  async function inFolder(
    use: (parts: {
      folder: string;
      launcher: (change?: object) => HookLauncher;
      seen: () => Promise<unknown>;
      run: (command: string, path?: string) => Promise<void>;
    }) => Promise<void>,
  ): Promise<void> {
    await withTemporaryFolder(async (folder) => {
      const extension = join(folder, 'an extension');
      await mkdir(extension);
      const bundled = join(extension, 'checkpoint.js');
      await writeFile(bundled, PROGRAM);
      const storage = join(folder, "somebody's storage");
      const runtime = process.execPath;
      const parts = { storage, bundled, version: '1', runtime, isWindows: false, hooks: { installProgram } };
      const seenFile = join(folder, 'seen');
      await use({
        folder,
        launcher: (change = {}) => new HookLauncher({ ...parts, ...change }),
        seen: async () => {
          const text = await readFile(seenFile, 'utf8').catch(() => 'null');
          await rm(seenFile, { force: true });
          return JSON.parse(text) as unknown;
        },
        run: async (command, path = process.env['PATH']) => {
          await promisify(execFile)('/bin/sh', ['-c', command], { env: { PATH: path, SEEN: seenFile } });
        },
      });
    });
  }

  it('runs from its installed place, whatever characters the path contains, with the runtime of VS Code', async () => {
    await inFolder(async ({ folder, launcher, run, seen }) => {
      const { command } = launcher();
      await launcher().install();
      await rm(join(folder, 'an extension'), { recursive: true });
      await run(`${command} checkpoint --hook`);
      assert.deepEqual(await seen(), [['checkpoint', '--hook'], '1']);
    });
  });

  it('runs as what it is, whatever a folder above, such as the home folder, says of the programs in it', async () => {
    await inFolder(async ({ folder, launcher, run, seen }) => {
      await writeFile(join(folder, 'package.json'), '{"type":"module"}');
      await launcher().install();
      await run(`${launcher().command} checkpoint`);
      assert.deepEqual(await seen(), [['checkpoint'], '1']);
    });
  });

  it('runs with any Node when VS Code was removed, and does nothing, silently, where there is none', async () => {
    await inFolder(async ({ folder, launcher, run, seen }) => {
      const gone = launcher({ runtime: join(folder, 'no such program') });
      await gone.install();
      const bin = join(folder, 'bin');
      await mkdir(bin);
      await writeFile(join(bin, 'node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
      await chmod(join(bin, 'node'), 0o755);
      // `sh` itself must be found.
      await run(`${gone.command} checkpoint`, `${bin}:/bin:/usr/bin`);
      assert.deepEqual(await seen(), [['checkpoint'], null]);
      await run(gone.command.replace(/^sh/, '/bin/sh'), join(folder, 'nothing'));
      assert.equal(await seen(), null);
    });
  });

  it('is private, updated by the next version, and not installed where nobody enabled it', async () => {
    await inFolder(async ({ folder, launcher, run, seen }) => {
      const script = join(folder, "somebody's storage", 'checkpoints', 'checkpoint.sh');
      assert.equal(await launcher().refresh(), false);
      await assert.rejects(access(script));
      await launcher().install();
      assert.equal((await stat(script)).mode & 0o777, 0o700);
      await writeFile(join(folder, 'an extension/checkpoint.js'), PROGRAM.replace('process.argv.slice(2)', "'new'"));
      assert.equal(await launcher().refresh(), true);
      await run(launcher().command);
      assert.deepEqual(await seen(), [[], '1']);
      await launcher({ version: '2' }).refresh();
      await run(launcher().command);
      assert.deepEqual(await seen(), ['new', '1']);
    });
  });
});
