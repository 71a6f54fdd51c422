import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { cacheFolder } from '../../scripts/cacheFolder.mjs';
import { createDemoSessions } from '../../scripts/demoSessions.mjs';
import { installVscode } from '../../scripts/setupVscode.mjs';
import { NEWEST } from '../../scripts/vscodeReleases.mjs';
import { launchChromium } from '../support/launchChromium';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';
import { withTemporaryFolder } from '../support/temporaryFolder';
import { Workbench } from './workbench';

/** Where pictures are put; none if it is not set. */
const PICTURES = process.env['RETHREAD_PICTURES'];

describe('npm start', () => {
  it('serves VS Code with demo sessions until it is interrupted, and leaves nothing behind', async function () {
    await skipWhenUnavailable(this, () => installVscode(NEWEST));
    await withTemporaryFolder(async (folder) => {
      const start = await startIn(folder, { code: 'exit 1' });
      const [, origin, path] = await start.printed(/^Open (http:\/\/127\.0\.0\.1:\d+)(\/\S+)$/m);
      assert.match(start.output(), /There are no sessions in .+ demo sessions in a throw-away folder/);
      for (const title of [
        'Add a rain sensor',
        'Draw wind barbs instead',
        'Draw the rain of a day',
        'Translate the manual',
      ])
        assert.match(start.output(), new RegExp(title));
      const response = await fetch(`${origin}${path}`);
      assert.equal(response.status, 200);
      assert.match(await response.text(), /workbench/);
      assert.notEqual((await processesOf(folder)).length, 0);

      start.child.kill('SIGINT');

      assert.deepEqual(await start.ended, { code: 0, signal: null });
      assert.deepEqual(await processesOf(folder), []);
      assert.deepEqual(await readdir(join(folder, 'tmp')), []);
    });
  });

  it('shows the Rethread view by itself, with sessions of every kind, and one that is being written', async function () {
    await skipWhenUnavailable(this, () => installVscode(NEWEST));
    const browser = await skipWhenUnavailable(this, launchChromium);
    await withTemporaryFolder(async (folder) => {
      const start = await startIn(folder, { code: 'exit 1' });
      const [, url = ''] = await start.printed(/^Open (http:\S+)$/m);
      try {
        const window = await Workbench.open(browser, url, 900);
        const item = (name: RegExp) => window.treeItem(name).first();
        await item(/^Calibrate the stations, working/).waitFor();
        await item(/^Tidy up old branches, waiting for your approval/).waitFor();
        await item(/^Add a rain sensor, broken/).waitFor();
        await item(/^Draw wind barbs instead, .*fork/).waitFor();
        await item(/^Draw the rain of a day/).waitFor();
        await item(/^Keep a year of readings/).waitFor();

        await item(/^Calibrate the stations/).click();
        const page = window.conversation();
        const last = async (): Promise<string> => (await page.getByRole('article').last().textContent()) ?? '';
        await page.getByRole('article').last().waitFor();
        await window.page.locator('.pane-header .title', { hasText: 'Tasks' }).click();
        await window.treeItem(/^Calibrate Harbour, done/).hover();
        await window.page.mouse.wheel(0, 400);
        await window.treeItem(/^Calibrat(?:e|ing) Quarry, to do/).waitFor();
        const before = await last();
        if (PICTURES !== undefined) await window.page.screenshot({ path: join(PICTURES, 'start.png') });
        const end = Date.now() + 30_000;
        while ((await last()) === before) {
          assert.ok(Date.now() < end, 'the conversation does not grow');
          await window.quiet();
        }
        if (PICTURES !== undefined) {
          await item(/^Show the wind on a map/).click();
          await window.tab('Show the wind on a map').waitFor();
          await window.quiet();
          await window.page.screenshot({ path: join(PICTURES, 'start-wind.png') });
        }
      } catch (error) {
        const pages = browser.contexts().at(-1)?.pages();
        await pages?.at(-1)?.screenshot({ path: 'out/screenshots/failed-start.png' });
        throw error;
      } finally {
        start.child.kill('SIGINT');
        await start.ended;
      }
      assert.deepEqual(await processesOf(folder), []);
    }).finally(() => browser.close());
  });

  it('opens the desktop VS Code with the person’s sessions, and installs nothing', async () => {
    await withTemporaryFolder(async (folder) => {
      await createDemoSessions(folder);
      const calls = join(folder, 'calls.txt');
      const start = await startIn(folder, {
        code: `echo "$CLAUDE_CONFIG_DIR $*" >> '${calls}'`,
        configDir: join(folder, '.claude'),
      });

      assert.deepEqual(await start.ended, { code: 0, signal: null });

      assert.match(start.output(), /Your sessions, from .+\/\.claude:/);
      assert.match(start.output(), /Import recipes from text files/);
      const call = await readFile(calls, 'utf8');
      assert.match(
        call,
        new RegExp(`^${join(folder, '.claude')} --wait --new-window --extensionDevelopmentPath=\\S+ `, 'm'),
      );
      // The second one opens the Rethread view.
      assert.match(call, /--extensionDevelopmentPath=\S+\/rethread-start /);
      assert.doesNotMatch(call, /install-extension|user-data-dir/);
    });
  });
});

interface Start {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  output(): string;
  /** Resolves when the pattern has been printed; rejects when the process ends before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
}

interface StartOptions {
  /** A shell line for the executable `code` of this machine. */
  readonly code: string;
  /** Without it, the person's home has no sessions. */
  readonly configDir?: string;
}

/** `npm start` for a person whose home is in `folder`. */
async function startIn(folder: string, { code, configDir }: StartOptions): Promise<Start> {
  const [bin, home, tmp] = [join(folder, 'bin'), join(folder, 'home'), join(folder, 'tmp')];
  for (const made of [bin, home, tmp]) await mkdir(made);
  await writeFile(join(bin, 'code'), `#!/bin/sh\n${code}\n`, { mode: 0o755 });
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    HOME: home,
    TMPDIR: tmp,
    PATH: [bin, process.env['PATH']].join(delimiter),
    RETHREAD_DEV_CACHE: cacheFolder(),
  };
  delete env['CLAUDE_CONFIG_DIR'];
  if (configDir !== undefined) env['CLAUDE_CONFIG_DIR'] = configDir;
  const child = spawn(process.execPath, ['scripts/start.mjs'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended: Start['ended'] = new Promise((done) => {
    child.once('close', (code, signal) => {
      done({ code, signal });
    });
  });
  const printed = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((done, fail) => {
      const look = (): void => {
        const match = pattern.exec(output);
        if (match) done(match);
      };
      child.stdout.on('data', look);
      look();
      void ended.then(() => {
        fail(new Error(`npm start ended early:\n${output}`));
      });
    });
  return { child, ended, output: () => output, printed };
}

/** Command lines of the processes that mention the folder. */
async function processesOf(folder: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return commands.filter((command) => command.includes(folder));
}
