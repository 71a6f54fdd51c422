import { spawnSync } from 'node:child_process';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lines, call, prompt, type RowFields } from '../../support/transcriptBuilder';
import type { BenchCase } from '../context';
import { type Goal, type GoalLine, judge } from '../goal';
import { spreadOf } from '../rounds';

const ROUNDS = 60;
const SESSION = '44444444-4444-4444-8444-444444444444';
const UNCHANGED: Goal = {
  goal: 'The hook before an edit, more than a bare start of Node: a file of 20 KB',
  unit: 'ms',
  atMost: 15,
};
const LARGE: Goal = { ...UNCHANGED, goal: `${UNCHANGED.goal.slice(0, -5)}50 MB that has not changed` };
const CHANGED: Goal = { ...UNCHANGED, goal: `${UNCHANGED.goal} that changes each time` };

/**
 * Claude waits for the hook before each edit. Each round starts Node without a program, and then the hook. Starts of Node differ by
 * more than the hook takes, and what else the machine does only ever delays them, so the fastest starts are compared as well.
 */
export const checkpointHook: BenchCase = ({ isFullSize, measuring, log }) => {
  log('the hook before an edit');
  const project = join(measuring.home, 'project');
  const transcripts = join(measuring.home, '.claude', 'projects', '-project');
  for (const folder of [project, transcripts]) mkdirSync(folder, { recursive: true });
  const transcript = join(transcripts, `${SESSION}.jsonl`);
  writeFileSync(transcript, `${lines(conversation()).join('\n')}\n`);

  const start = (args: readonly string[], input: string): number => {
    const startMs = performance.now();
    const { status } = spawnSync(process.execPath, args, {
      input,
      env: { PATH: process.env['PATH'], HOME: measuring.home, USERPROFILE: measuring.home },
    });
    if (status !== 0) throw new Error(`Failed to run ${args.join(' ')}`);
    return performance.now() - startMs;
  };
  const judged = (goal: Goal, name: string, bytes: number, isChanging: boolean): GoalLine => {
    const file_path = join(project, name);
    const write = (round: number): void => {
      writeFileSync(file_path, Buffer.alloc(bytes, `round ${round}\n`));
      // Long enough ago that its times are certain.
      utimesSync(file_path, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000));
    };
    const input = JSON.stringify({
      session_id: SESSION,
      transcript_path: transcript,
      cwd: project,
      hook_event_name: 'PreToolUse',
      tool_name: 'Edit',
      tool_input: { file_path, old_string: 'a', new_string: 'b' },
      tool_use_id: 'toolu_last',
    });
    const hook = [measuring.programs.checkpoint, 'checkpoint', '--hook', '--max-file-size-mb', '100'];
    write(0);
    // The change of the times is an event of the file, too.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2100);
    start(hook, input);
    const rounds = Array.from({ length: ROUNDS }, (_, round) => {
      if (isChanging) write(round + 1);
      const bareMs = start(['-e', ''], '');
      return { bareMs, hookMs: start(hook, input) };
    });
    const bare = spreadOf(rounds.map(({ bareMs }) => bareMs));
    const hooked = spreadOf(rounds.map(({ hookMs }) => hookMs));
    const spreads = {
      fastest: spreadOf([hooked.least - bare.least]),
      median: spreadOf(rounds.map(({ bareMs, hookMs }) => hookMs - bareMs)),
    };
    return judge(
      goal,
      spreads,
      isFullSize,
      `of ${ROUNDS} starts; a bare start ${bare.least.toFixed(0)} ms at the fastest`,
    );
  };
  return Promise.resolve([
    judged(UNCHANGED, 'small.txt', 20_000, false),
    judged(LARGE, 'large.bin', 50_000_000, false),
    judged(CHANGED, 'changing.txt', 20_000, true),
  ]);
};

function conversation(): RowFields[] {
  const rows: RowFields[] = [];
  for (let turn = 0; turn < 100; turn++) {
    rows.push(prompt(`p${turn}`, turn === 0 ? null : `c${turn - 1}`));
    rows.push(call(`c${turn}`, `p${turn}`, turn === 99 ? 'toolu_last' : `toolu_${turn}`));
  }
  return rows;
}
