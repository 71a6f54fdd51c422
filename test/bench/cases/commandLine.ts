import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { prepareCorpus } from '../corpus';
import type { BenchCase } from '../context';
import { type Goal, judge } from '../goal';
import { measureProgram } from '../measure';
import { alternate, spreadOf } from '../rounds';

const PAGE: Goal = {
  goal: 'A page of a session of a million rows shown on the command line',
  unit: 'ms',
  atMost: 3000,
};
const SESSIONS: Goal = { goal: 'A hundred thousand sessions scanned on the command line', unit: 'ms', atMost: 25_000 };

/** Some sessions of a corpus are broken, as people's are. */
const FOUND_DAMAGE = [0, 1];

/** The largest sessions and collections that the command line is made for, each in a new process. */
export const commandLine: BenchCase = async ({ sizes, isFullSize, measuring, log }) => {
  const longest = join(measuring.home, '44444444-4444-4444-8444-444444444444.jsonl');
  writeTinyRows(longest, sizes.mostRows);
  const many = prepareCorpus(sizes.manySessions);
  log(`a session of ${sizes.mostRows} rows, and ${many.files.length} sessions`);
  const cli = [process.execPath, measuring.programs.cli];
  const { show, scan } = await alternate(
    {
      show: () => measureProgram(measuring, [...cli, 'show', longest, '--from', '1000', '--count', '50', '--json'], {}),
      scan: () => measureProgram(measuring, [...cli, 'scan', many.configDir, '--json'], {}, FOUND_DAMAGE),
    },
    sizes.slowRounds,
  );
  const line = (goal: Goal, of: typeof show, size: string) =>
    judge(
      goal,
      { wall: spreadOf(of.map(({ wallMs }) => wallMs)) },
      isFullSize,
      `${size}, ${(spreadOf(of.map(({ cpuMs }) => cpuMs)).median / 1000).toFixed(1)} s of CPU`,
    );
  return [
    line(PAGE, show, `${sizes.mostRows.toLocaleString('en')} rows`),
    line(SESSIONS, scan, `${many.files.length.toLocaleString('en')} sessions`),
  ];
};

const ROWS_PER_WRITE = 10_000;

/** The shortest rows in the form in which clients write them. */
function writeTinyRows(filePath: string, rows: number): void {
  const file = openSync(filePath, 'w');
  let parent: string | null = null;
  let text = '';
  for (let row = 0; row < rows; row++) {
    const uuid = `${row.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
    const isPrompt = row % 2 === 0;
    const message = isPrompt
      ? { role: 'user', content: 'go on' }
      : { id: `msg_${row}`, role: 'assistant', content: [{ type: 'text', text: 'done' }] };
    const type = isPrompt ? 'user' : 'assistant';
    const timestamp = new Date(Date.UTC(2026, 0, 1) + row * 1000).toISOString();
    text += `${JSON.stringify({ parentUuid: parent, isSidechain: false, type, message, uuid, timestamp })}\n`;
    parent = uuid;
    if (row % ROWS_PER_WRITE === 0 || row === rows - 1) {
      writeSync(file, text);
      text = '';
    }
  }
  closeSync(file);
}
