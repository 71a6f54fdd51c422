import { prepareCorpus } from '../corpus';
import type { BenchCase } from '../context';
import { type Goal, judge } from '../goal';
import { measureProgram, warmUp } from '../measure';
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
  const million = prepareCorpus(sizes.millionRows);
  const many = prepareCorpus(sizes.manySessions);
  log(`a session of ${million.rows} rows, and ${many.files.length} sessions`);
  warmUp(million.files);
  const cli = [process.execPath, measuring.programs.cli];
  const { show, scan } = await alternate(
    {
      show: () =>
        measureProgram(
          measuring,
          [...cli, 'show', million.files[0] ?? '', '--from', '1000', '--count', '50', '--json'],
          {},
        ),
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
    line(PAGE, show, `${million.rows.toLocaleString('en')} rows`),
    line(SESSIONS, scan, `${many.files.length.toLocaleString('en')} sessions`),
  ];
};
