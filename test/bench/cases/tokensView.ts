import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchCase } from '../context';
import { judge } from '../goal';
import { measureCounting } from '../measure';
import { spreadOf } from '../rounds';

const SESSIONS = 10_000;
const MESSAGES = 50;
/** The running session: days of work. */
const GROWN_MESSAGES = 5000;
const ROUNDS = 15;

/** The figures of all sessions, from the cached counts, and after one more message. */
export const tokensView: BenchCase = async ({ sizes, isFullSize, measuring, log }) => {
  const sessions = isFullSize ? SESSIONS : Math.ceil((SESSIONS * sizes.manyFiles.files) / SESSIONS);
  log(`tokens view: ${sessions} sessions`);
  const folder = mkdtempSync(join(measuring.home, 'tokens-'));
  const task = { folder, sessions, messages: MESSAGES, rounds: ROUNDS, grownMessages: GROWN_MESSAGES };
  const { paints, appends, reported } = await measureCounting(measuring, task);
  rmSync(folder, { recursive: true });
  const name = `Tokens view, ${sessions.toLocaleString('en')} sessions`;
  return [
    judge(
      { goal: `${name}: first figures from what is known`, unit: 'ms', atMost: 200 },
      { wall: spreadOf(paints.map(({ wallMs }) => wallMs)) },
      isFullSize,
      `${reported.toLocaleString('en')} messages, each counted once`,
    ),
    judge(
      { goal: `${name}: all figures after a message was appended`, unit: 'ms', atMost: 5 },
      { CPU: spreadOf(appends.map(({ cpuMs }) => cpuMs)) },
      isFullSize,
      `CPU time of the process; a session of ${GROWN_MESSAGES.toLocaleString('en')} messages`,
    ),
  ];
};
