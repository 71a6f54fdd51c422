// Measures every figure that the product promises and prints them as a table.
//
//   npm run bench -- [--quick] [--only NAME,…] [--files N] [--megabytes N] [--seed N] [--write]
//
// --quick uses a tenth of the corpus; memory targets are for the full one. --write writes test/bench/RESULTS.md.
import { parseArgs } from 'node:util';
import { benchSizes, FULL_BYTES, FULL_FILES } from './benchSizes';
import { bundlePrograms } from './bundlePrograms';
import { CASES } from './cases/cases';
import type { GoalLine } from './goal';
import { withMeasuring } from './measure';
import { printTable } from './printTable';
import { writeResults } from './writeResults';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      files: { type: 'string' },
      megabytes: { type: 'string' },
      seed: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const files = Number(values.files ?? (values.quick ? FULL_FILES / 10 : FULL_FILES));
  const bytes = values.megabytes === undefined ? (FULL_BYTES * files) / FULL_FILES : Number(values.megabytes) * 1e6;
  const seed = values.seed === undefined ? undefined : Number(values.seed);
  const names = values.only?.split(',') ?? Object.keys(CASES);
  const sizes = benchSizes(files, bytes, seed);
  const isFullSize = files >= FULL_FILES && bytes >= FULL_BYTES;
  const programs = await bundlePrograms();
  const lines: GoalLine[] = [];
  await withMeasuring(programs, async (measuring) => {
    const context = { sizes, isFullSize, measuring, log: (line: string) => process.stderr.write(`${line}\n`) };
    for (const name of names) {
      const run = CASES[name];
      if (run === undefined) throw new Error(`${name} is none of ${Object.keys(CASES).join(', ')}`);
      lines.push(...(await run(context)));
    }
  });
  printTable(lines);
  if (values.write) await writeResults(lines, { files, bytes });
  if (lines.some(({ verdict }) => verdict === 'missed')) process.exitCode = 1;
}

void main();
