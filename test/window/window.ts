// Measures in a real VS Code what people see of a conversation panel, and prints the results as a table.
//
//   npm run bench:window -- [--quick] [--write]
//
// --quick uses a small session; limits are for the full size. --write writes test/window/RESULTS.md.
import { parseArgs } from 'node:util';
import { installVscode } from '../../scripts/setupVscode.mjs';
import { SKIPPED_EXIT_CODE, Unavailable } from '../../scripts/unavailable.mjs';
import { NEWEST } from '../../scripts/vscodeReleases.mjs';
import { printTable } from '../bench/printTable';
import { launchChromium } from '../support/launchChromium';
import { measureWindow } from './windowFigures';
import { windowGoals } from './windowGoals';
import { FULL_SIZE, QUICK_SIZE } from './windowSizes';
import { writeWindowResults } from './writeWindowResults';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
  });
  const sizes = values.quick ? QUICK_SIZE : FULL_SIZE;
  const installation = await installVscode(NEWEST);
  const browser = await launchChromium();
  try {
    const log = (line: string): void => void process.stderr.write(`${line}\n`);
    const figures = await measureWindow(sizes, { installation, browser, log });
    const lines = windowGoals(figures, sizes.isFull);
    printTable(lines);
    if (values.write) await writeWindowResults(lines, figures);
    if (lines.some(({ verdict }) => verdict === 'missed')) process.exitCode = 1;
  } finally {
    await browser.close();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Unavailable ? `skipped: ${error.message}` : error);
  process.exitCode = error instanceof Unavailable ? SKIPPED_EXIT_CODE : 1;
});
