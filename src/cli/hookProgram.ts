import { homedir } from 'node:os';
import { checkpointCommand } from './checkpointCommand';

/** Claude Code takes exit code 2 of a hook for "do not call this tool", and shows others: this program has only one. */
function end(): never {
  process.exit(0);
}

process.on('uncaughtException', end);
process.on('unhandledRejection', end);

void checkpointCommand({
  stdin: process.stdin,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  home: homedir(),
  now: Date.now,
}).then(end, end);
