// Runs the same suite in desktop VS Code, downloaded by @vscode/test-electron. VSCODE_EXECUTABLE names an installed
// one, VSCODE_VERSION a release other than the newest. Without a display it needs `xvfb-run -a`.
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { downloadAndUnzipVSCode, runTests, TestRunFailedError } from '@vscode/test-electron';
import { buildHostTests } from '../../scripts/buildHostTests.mjs';
import { createDemoSessions } from '../../scripts/demoSessions.mjs';
import { refusal } from '../../scripts/unavailable.mjs';
import { reportCounts } from '../support/reportCounts';
import { withTemporaryFolder } from '../support/temporaryFolder';
import { eventLoopCorpus } from './eventLoopCorpus';
import { EARLIER_WINDOWS, writeHostTestEnvironment } from './hostTestEnvironment';

/** @returns null when the download is refused on this machine; the reason has then been printed. */
async function desktopVscode(): Promise<string | null> {
  const present = process.env['VSCODE_EXECUTABLE'];
  if (present) return present;
  try {
    return await downloadAndUnzipVSCode({ version: process.env['VSCODE_VERSION'] ?? 'stable' });
  } catch (error) {
    const why = refusal(describe(error));
    if (why === null) throw error;
    console.log(`skipped: desktop VS Code cannot be downloaded here: ${why}`);
    reportCounts({ passed: 0, failed: 0, skipped: 1 });
    return null;
  }
}

/** The message of an error with those of its causes, where Node explains why a connection failed. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const parts = error instanceof AggregateError ? error.errors : [error.cause];
  return [`${error.name}: ${error.message}`, ...parts.filter(Boolean).map(describe)].join('\n');
}

async function main(): Promise<void> {
  const vscodeExecutablePath = await desktopVscode();
  if (vscodeExecutablePath === null) return;
  const { suite, activationTime } = await buildHostTests();
  await withTemporaryFolder(async (folder) => {
    const { configDir, sessions, workspace } = await createDemoSessions(join(folder, 'demo'));
    const userData = join(folder, 'user');
    await mkdir(join(userData, 'User'), { recursive: true });
    await writeFile(join(userData, 'User/settings.json'), JSON.stringify({ 'rethread.scan.onStartup': false }));
    await mkdir(join(folder, 'home'));
    const logsFolder = join(userData, 'logs');
    const extensionTestsEnv = {
      HOME: join(folder, 'home'),
      CLAUDE_CONFIG_DIR: configDir,
      ...writeHostTestEnvironment({
        configDir,
        sessions,
        logsFolder,
        activationTimesFile: join(folder, 'activationTimes.jsonl'),
        hasColor: process.stdout.isTTY,
        ...eventLoopCorpus(false),
      }),
    };
    const windows = [...Array<string>(EARLIER_WINDOWS).fill(activationTime), suite];
    for (const extensionTestsPath of windows) {
      await runTests({
        vscodeExecutablePath,
        extensionDevelopmentPath: resolve('.'),
        extensionTestsPath,
        extensionTestsEnv,
        launchArgs: [workspace, '--disable-extensions', '--disable-workspace-trust', `--user-data-dir=${userData}`],
      });
    }
  });
}

main().catch((error: unknown) => {
  // Its message adds nothing to the suite's own report.
  if (!(error instanceof TestRunFailedError)) console.error(error);
  process.exitCode = 1;
});
