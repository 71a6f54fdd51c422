import { homedir } from 'node:os';
import { answerHook } from './commands/checkpoint';

/** Claude Code takes exit code 2 of a hook for "do not call this tool", and shows other failures: this program has only 0. */
function end(): never {
  process.exit(0);
}

process.on('uncaughtException', end);
process.on('unhandledRejection', end);

void answerHook({
  stdin: process.stdin,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  home: homedir(),
  now: Date.now,
}).then(end, end);
