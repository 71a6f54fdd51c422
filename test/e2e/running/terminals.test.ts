import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CodeServer, startCodeServer } from '../../../scripts/codeServer.mjs';
import { installVscode } from '../../../scripts/setupVscode.mjs';
import { NEWEST } from '../../../scripts/vscodeReleases.mjs';
import type { RememberedTerminal } from '../../../src/protocol/terminals';
import { createRandom } from '../../support/random';
import { launchChromium } from '../../support/launchChromium';
import { skipWhenUnavailable } from '../../support/skipWhenUnavailable';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { createStubClient, stubRecords, type StubRecord } from './stubClient';
import { Workbench } from '../workbench';

const TIMEOUT_MS = 60_000;
/** So often, an extension host is killed in a row: fifty times with `RETHREAD_KILLS=50`, which takes ten minutes. */
const KILLS = Number(process.env['RETHREAD_KILLS'] ?? 2);
const SEED = Number(process.env['RETHREAD_SEED'] ?? 23);
/** The extension looks for what it remembers within this time after the window is there. */
const MAX_PAUSE_MS = 4000;

interface Scene {
  readonly window: Workbench;
  readonly configDir: string;
  readonly workspace: string;
  /** What the windows of the server remember. */
  readonly remembered: () => Promise<readonly RememberedTerminal[]>;
  readonly server: CodeServer;
}

/** A window of a person who has a client on the PATH, and whose VS Code was opened by a running client. */
async function withWindow(context: Mocha.Context, work: (scene: Scene) => Promise<void>): Promise<void> {
  const installation = await skipWhenUnavailable(context, () => installVscode(NEWEST));
  const browser = await skipWhenUnavailable(context, launchChromium);
  await withTemporaryFolder(async (folder) => {
    const [workspace, configDir, bin] = ['app', '.claude', 'bin'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await Promise.all([workspace, configDir].map((each) => mkdir(each)));
    await createStubClient(bin);
    // The server takes the PATH of a login shell, which sets its own first.
    for (const name of ['.profile', '.bash_profile', '.bashrc'])
      await writeFile(join(folder, name), `export PATH='${bin}':"$PATH"\n`);
    const server = await startCodeServer({
      installation,
      folder: join(folder, 'server'),
      vsix: 'rethread.vsix',
      env: {
        HOME: folder,
        CLAUDE_CONFIG_DIR: configDir,
        CLAUDECODE: '1',
        CLAUDE_CODE_CHILD_SESSION: '1',
      },
    });
    const store = join(folder, 'server/user/User/globalStorage/rethread.rethread/remembered-sessions.json');
    try {
      const window = await Workbench.open(browser, server.url(workspace), 800);
      await work({ window, configDir, workspace, server, remembered: () => readStore(store) });
    } finally {
      for (const { pid } of await stubRecords(configDir)) signal(pid, 'SIGKILL');
      await server.stop();
    }
  }).finally(() => browser.close());
}

describe('A session in a terminal', () => {
  it('is started with an id of ours, by a client that saves it, and is there again after a reload', async function () {
    this.timeout(4 * TIMEOUT_MS);
    await withWindow(this, async ({ window, configDir, remembered }) => {
      await window.page.getByText('This window was opened by a running Claude Code').first().waitFor();
      await window.runCommand('Rethread: New Session…');
      const [client] = await until(
        () => stubRecords(configDir),
        (records) => records.length === 1,
      );
      assert.ok(client !== undefined);
      assert.deepEqual(client.inherited, ['CLAUDE_CONFIG_DIR']);
      const terminal = window.page.locator('.part.panel').getByText('Claude Code').first();
      await terminal.waitFor();
      const [before] = await until(remembered, ([terminal]) => typeof terminal?.filePath === 'string');
      assert.deepEqual([before?.sessionId, before?.state], [client.sessionId, 'running']);

      await window.reload();
      await window.activity('Rethread').click();
      await window
        .treeItem(/A question for the stub/)
        .first()
        .waitFor();
      const [after] = await until(remembered, ([terminal]) => (terminal?.changedMs ?? 0) >= (before?.changedMs ?? 0));
      assert.deepEqual([after?.id, after?.sessionId, after?.state], [before?.id, client.sessionId, 'running']);
      assert.equal(signal(client.pid, 0), true);
      // VS Code brings the terminal back by itself.
      await terminal.waitFor({ timeout: TIMEOUT_MS });
      // The panel is closed, so that it can be seen to come back.
      await window.runCommand('View: Hide Panel');
      await terminal.waitFor({ state: 'hidden' });
      await window
        .treeItem(/A question for the stub/)
        .first()
        .click({ button: 'right' });
      const item = window.page.getByRole('menuitem', { name: 'Show Terminal' });
      // A menu ignores a click in its first moment.
      await until(
        async () => {
          await item.click({ timeout: 1000 }).catch(() => undefined);
          return item.isVisible();
        },
        (isVisible) => !isVisible,
      );
      await terminal.waitFor();
    });
  });

  it('is offered again after a crash of the window that took it along', async function () {
    this.timeout(4 * TIMEOUT_MS);
    await withWindow(this, async ({ window, configDir, remembered }) => {
      await window.runCommand('Rethread: New Session…');
      const [client] = await until(
        () => stubRecords(configDir),
        (records) => records.length === 1,
      );
      assert.ok(client !== undefined);
      await until(remembered, ([terminal]) => typeof terminal?.filePath === 'string');
      // Nothing of the extension host, the terminals and their clients is left.
      const [host] = await extensionHostsOf(client);
      assert.ok(host !== undefined);
      for (const pid of [host, client.pid]) signal(pid, 'SIGKILL');
      await until(
        () => Promise.resolve(signal(host, 0)),
        (isAlive) => !isAlive,
      );
      await window.page.reload();
      await window.page.locator('.monaco-workbench .statusbar').waitFor({ timeout: TIMEOUT_MS });

      const offer = window.page.locator('.notification-toast', { hasText: 'The window ended unexpectedly' });
      await offer.waitFor({ timeout: TIMEOUT_MS });
      await until(remembered, ([terminal]) => terminal?.state === 'lost');
      await offer.getByRole('button', { name: 'Resume Again' }).click();
      const again = await until(
        () => stubRecords(configDir),
        (records) => records.some(({ pid }) => pid !== client.pid),
      );
      assert.ok(again.every(({ sessionId }) => sessionId === client.sessionId));
      await until(remembered, (terminals) => terminals.length === 1 && terminals[0]?.state === 'running');
    });
  });
});

describe('What a window remembers', () => {
  it(`is all there again after each of ${KILLS} deaths of its extension host (seed ${SEED})`, async function () {
    this.timeout(4 * TIMEOUT_MS + KILLS * TIMEOUT_MS);
    await withWindow(this, async ({ window, configDir, remembered }) => {
      const random = createRandom(SEED);
      for (const count of [1, 2]) {
        await window.runCommand('Rethread: New Session…');
        await until(
          () => stubRecords(configDir),
          (records) => records.length === count,
        );
      }
      const clients = await stubRecords(configDir);
      const [client] = clients;
      assert.ok(client !== undefined);
      await window.activity('Rethread').click();
      await window
        .treeItem(/A question for the stub/)
        .first()
        .click();
      await window.conversation().getByText('An answer').waitFor({ timeout: TIMEOUT_MS });
      const identities = (terminals: readonly RememberedTerminal[]): string =>
        JSON.stringify(terminals.map(({ id, sessionId, filePath, state }) => [id, sessionId, filePath, state]).sort());
      const isWhole = (terminals: readonly RememberedTerminal[]): boolean =>
        terminals.length === 2 && terminals.every(({ filePath, state }) => filePath !== null && state === 'running');
      const before = await until(remembered, isWhole);
      // Which editors are open is stored by VS Code, in the browser, which is not what dies here.
      await window.reload();

      for (let kills = 1; kills <= KILLS; kills++) {
        await sleep(random.below(MAX_PAUSE_MS));
        const hosts = await until(
          () => extensionHostsOf(client),
          ({ length }) => length > 0,
        );
        for (const host of hosts) signal(host, 'SIGKILL');
        await until(
          () => Promise.resolve(hosts.filter((host) => signal(host, 0))),
          ({ length }) => length === 0,
        );
        await window.page.reload();
        await window.page.locator('.monaco-workbench .statusbar').waitFor({ timeout: TIMEOUT_MS });
        // Sometimes, the window dies again while it looks for what it remembers.
        if (kills < KILLS && random.chance(0.3)) continue;
        const conversation = window.conversation();
        await conversation.getByText('An answer').waitFor({ timeout: TIMEOUT_MS });
        await conversation.getByText('Reconnected at').waitFor({ timeout: TIMEOUT_MS });
        const after = await until(remembered, (terminals) => identities(terminals) === identities(before));
        assert.ok(isWhole(after));
        assert.ok(
          clients.every(({ pid }) => signal(pid, 0)),
          'their clients run on',
        );
      }
      await window.screenshot('out/e2e/reconnected.png');
    });
  });
});

async function readStore(path: string): Promise<readonly RememberedTerminal[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  if (text === '') return [];
  const body = text.slice(text.indexOf('\n') + 1);
  // SAFETY: the extension's own file.
  const { windows } = JSON.parse(body) as { windows: { memory: { terminals: RememberedTerminal[] } }[] };
  return windows.flatMap(({ memory }) => memory.terminals);
}

/** The processes that run the extensions of windows of the server in whose terminal a client runs. */
async function extensionHostsOf(client: StubRecord): Promise<readonly number[]> {
  const parents = new Map<number, number>();
  const hosts: number[] = [];
  for (const name of await readdir('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    parents.set(pid, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes('--type=extensionHost')) hosts.push(pid);
  }
  // Whatever this test did not start is none of its business.
  const ancestors = (pid: number): number[] => {
    const parent = parents.get(pid);
    return parent === undefined || parent <= 1 || parent === process.pid ? [] : [parent, ...ancestors(parent)];
  };
  const own = new Set(ancestors(client.pid));
  return hosts.filter((pid) => ancestors(pid).some((each) => own.has(each)));
}

/** False if the process is gone. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

async function until<T>(read: () => Promise<T>, isEnough: (value: T) => boolean): Promise<T> {
  for (const end = Date.now() + TIMEOUT_MS; ;) {
    const value = await read();
    if (isEnough(value)) return value;
    await sleep(100);
    if (Date.now() > end) throw new Error(`Failed to see it happen: ${JSON.stringify(value)}`);
  }
}
