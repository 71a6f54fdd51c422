import { writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type as systemName } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import type { GoalLine } from './goal';
import { markdownTable } from './markdownTable';

const RESULTS = join(__dirname, 'RESULTS.md');

/** Writes the table for readers who do not run it, with the machine that it was measured on. */
export async function writeResults(
  lines: readonly GoalLine[],
  { files, bytes }: { files: number; bytes: number },
): Promise<void> {
  const [processor] = cpus();
  const page = `# What was measured

Written by \`npm run bench -- --write\` on ${new Date().toISOString().slice(0, 10)}.

- ${processor?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${(totalmem() / 1e9).toFixed(0)} GB of memory
- ${systemName()} ${release()}, Node ${process.version}
- ${files.toLocaleString('en')} sessions, ${(bytes / 1e6).toFixed(0)} MB, made with a seed (\`test/bench/corpus\`), in the page cache

Contenders take turns within one run, each in a process of its own. A ratio is taken round by round: its median, and in
brackets the least and the most. Where a ratio is given by the clock on the wall and by CPU time, the target has to be held by
both.

${markdownTable(lines)}
`;
  const options = await resolveConfig(RESULTS);
  writeFileSync(RESULTS, await format(page, { ...options, parser: 'markdown' }));
}
