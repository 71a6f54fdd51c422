import { homedir } from 'node:os';
import { answerHook } from './commands/checkpoint';

/**
 * Claude Code takes a hook's exit code 2 as "do not call this tool" and shows other failures, so this program always
 * exits with 0.
 */
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
