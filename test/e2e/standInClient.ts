import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConversationWindow } from './conversationWindow';

/** Stands in for Claude Code: notes how it was called. */
const CLAUDE =
  '#!/bin/sh\n[ "$1" = --version ] && echo "2.1.330 (Claude Code)" && exit\necho "$PWD|$*|${CLAUDE_CONFIG_DIR-none}" >> "$HOME/called"\n';

/** Puts a stand-in for Claude Code into a home folder. Its calls are in the file `called` there, one per line. */
export async function installStandIn(home: string): Promise<void> {
  const bin = join(home, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'claude'), CLAUDE);
  await chmod(join(bin, 'claude'), 0o755);
  // The server takes the PATH of a login shell, which sets its own first.
  for (const name of ['.bash_profile', '.bashrc', '.profile'])
    await writeFile(join(home, name), `export PATH='${bin}':"$PATH"\n`);
}

/** Has the terminals of the window find the stand-in first. */
export function preferStandIn(demo: ConversationWindow, home: string): Promise<void> {
  const path = `${join(home, 'bin')}:${process.env['PATH'] ?? ''}`;
  return demo.settings({ 'terminal.integrated.env.linux': { PATH: path } });
}
