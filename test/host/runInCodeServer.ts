// Runs the suite inside the extension host of real VS Code servers, headless.
//
//   tsx test/host/runInCodeServer.ts [--full] [--figures FILE] [--only NAME] [1.139] [1.100]      default: both
//
// --full scans as many sessions as people have, and applies the limits of the extension host's event loop without
// allowance for other load on the machine. --figures stores what was measured as lines of JSON.
// --only runs the files of the suite whose names start with NAME.
// RETHREAD_TEST_LOGS=DIR keeps the logs and a screenshot of a window whose run failed.
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { format, parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { buildHostTests } from '../../scripts/buildHostTests.mjs';
import { startCodeServer, type CodeServer } from '../../scripts/codeServer.mjs';
import { createDemoSessions } from '../../scripts/demoSessions.mjs';
import { installVscode } from '../../scripts/setupVscode.mjs';
import { Unavailable } from '../../scripts/unavailable.mjs';
import { VSCODE_RELEASES, type VscodeRelease } from '../../scripts/vscodeReleases.mjs';
import { launchChromium } from '../support/launchChromium';
import { reportCounts } from '../support/reportCounts';
import { withTemporaryFolder } from '../support/temporaryFolder';
import { eventLoopCorpus } from './eventLoopCorpus';
import { EARLIER_WINDOWS, writeHostTestEnvironment } from './hostTestEnvironment';

const RUN_TIMEOUT_MS = 10 * 60_000;

interface WindowResult {
  /** 0 when the suite's run() resolved, 1 when it rejected, 2 when there was no result in time. */
  readonly code: number;
  /** The window's log files. */
  readonly logs: readonly { readonly relativePath: string; readonly contents: string }[];
}

interface RunOptions {
  readonly isFull: boolean;
  readonly figuresFile: string | null;
}

type Programs = Awaited<ReturnType<typeof buildHostTests>>;

async function runSuite(release: VscodeRelease, programs: Programs, options: RunOptions): Promise<boolean> {
  const installation = await installVscode(release);
  const browser = await launchChromium();
  try {
    return await withTemporaryFolder(async (folder) => {
      const { configDir, sessions, workspace } = await createDemoSessions(join(folder, 'demo'));
      const serverFolder = join(folder, 'server');
      const logsFolder = join(serverFolder, 'user/logs');
      const outputFile = join(folder, 'output.txt');
      await mkdir(join(folder, 'home'));
      const server = await startCodeServer({
        installation,
        folder: serverFolder,
        // The suite itself decides when the first scan starts.
        settings: { 'rethread.scan.onStartup': false },
        env: {
          HOME: join(folder, 'home'),
          CLAUDE_CONFIG_DIR: configDir,
          ...writeHostTestEnvironment({
            configDir,
            sessions,
            logsFolder,
            outputFile,
            activationTimesFile: join(folder, 'activationTimes.jsonl'),
            hasColor: process.stdout.isTTY,
            ...eventLoopCorpus(options.isFull),
            ...(options.figuresFile === null ? {} : { figuresFile: resolve(options.figuresFile) }),
          }),
        },
        // Releases since 1.133 ignore extensionTestsPath in the address without it.
        args: Number(release.vscode.split('.')[1]) >= 133 ? ['--vscode-option', 'enable-smoke-test-driver'] : [],
      });
      try {
        const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
        for (let window = 1; window <= EARLIER_WINDOWS; window++) {
          const page = await context.newPage();
          await runInWindow(page, server, workspace, programs.activationTime);
          await page.close();
        }
        const page = await context.newPage();
        const result = await runInWindow(page, server, workspace, programs.suite);
        process.stdout.write(await readFile(outputFile, 'utf8').catch(() => ''));
        if (result.code !== 0) await keepLogs(page, server, result, logsFolder);
        return result.code === 0;
      } finally {
        await server.stop();
      }
    });
  } finally {
    await browser.close();
  }
}

async function runInWindow(page: Page, server: CodeServer, workspace: string, suite: string): Promise<WindowResult> {
  let settle: (result: WindowResult) => void = () => undefined;
  const finished = new Promise<WindowResult>((done) => {
    settle = done;
  });
  // VS Code calls these two functions of its window, if they exist, while it runs an extension's tests.
  await page.exposeFunction('codeAutomationExit', (code: number, logs: WindowResult['logs'] = []) => {
    settle({ code, logs });
  });
  const chatter: string[] = [];
  await page.exposeFunction('codeAutomationLog', (_type: string, args: readonly unknown[]) => {
    chatter.push(format(...args));
  });
  page.on('crash', () => {
    settle({ code: 2, logs: [] });
  });
  const timer = setTimeout(() => {
    settle({ code: 2, logs: [] });
  }, RUN_TIMEOUT_MS);
  await page.goto(
    server.url(workspace, [
      ['extensionDevelopmentPath', server.remoteUri('.')],
      ['extensionTestsPath', server.remoteUri(suite)],
      ['skipWelcome', 'true'],
    ]),
  );
  const { code, logs } = await finished;
  clearTimeout(timer);
  return { code, logs: [...logs, { relativePath: 'console.txt', contents: chatter.join('\n') }] };
}

async function keepLogs(page: Page, server: CodeServer, { code, logs }: WindowResult, logsFolder: string) {
  if (code === 2) console.error('The window gave no result in time.');
  const kept = process.env['RETHREAD_TEST_LOGS'];
  if (!kept) return;
  await mkdir(kept, { recursive: true });
  await page.screenshot({ path: join(kept, 'window.png') });
  await cp(server.logFile, join(kept, 'server.log'));
  await cp(logsFolder, join(kept, 'server'), { recursive: true });
  for (const { relativePath, contents } of logs) {
    const file = join(kept, 'window', relativePath);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, contents);
  }
}

async function main(): Promise<void> {
  const { values, positionals: wanted } = parseArgs({
    options: { full: { type: 'boolean', default: false }, figures: { type: 'string' }, only: { type: 'string' } },
    allowPositionals: true,
  });
  const options = { isFull: values.full, figuresFile: values.figures ?? null };
  const releases = VSCODE_RELEASES.filter(({ vscode }) => wanted.length === 0 || wanted.includes(vscode));
  const programs = await buildHostTests(values.only);
  for (const release of releases) {
    console.log(`\nVS Code ${release.vscode}`);
    try {
      if (!(await runSuite(release, programs, options))) process.exitCode = 1;
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      console.log(`skipped: no VS Code ${release.vscode} here: ${error.message}`);
      reportCounts({ passed: 0, failed: 0, skipped: 1 });
    }
  }
}

void main();
