import { writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type as systemName } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import type { GoalLine } from '../bench/goal';
import { markdownTable } from '../bench/markdownTable';
import type { WindowFigures } from './windowFigures';

const RESULTS = join(__dirname, 'RESULTS.md');

/** Writes the table for readers who do not run it, with the machine that it was measured on. */
export async function writeWindowResults(lines: readonly GoalLine[], figures: WindowFigures): Promise<void> {
  const [processor] = cpus();
  const page = `# What was measured in a window

Written by \`npm run bench:window -- --write\` on ${new Date().toISOString().slice(0, 10)}.

- ${processor?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${(totalmem() / 1e9).toFixed(0)} GB of memory
- ${systemName()} ${release()}, VS Code ${figures.vscode} (code-server) in headless Chromium ${figures.browser}, which paints without a GPU
- the packaged extension; sessions made with a seed (\`test/bench/corpus\`), in the page cache

All processes run on one machine and share its clock. An opening begins with the command's start in the extension host, and
ends with the second frame after the first screen was filled; the session was not open before, and the tree had been scanned.
The parts are what the extension itself writes down (debug level of its log), in milliseconds after the command: reading the
file and making the page go on at the same time. The seed way is an extension in the same window that reads the file with
\`readFileSync\`, calls \`JSON.parse\` on each line and posts all rows to a page that says when it has them, and draws nothing.
Messages of the extension host reach a browser over a WebSocket; in desktop VS Code, over a pipe. In a browser, panels are in
the process of the window, so that memory is that of both, and the window's own part goes away in the difference.

${markdownTable(lines)}
`;
  const options = await resolveConfig(RESULTS);
  writeFileSync(RESULTS, await format(page, { ...options, parser: 'markdown' }));
}
