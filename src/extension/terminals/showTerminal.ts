import type { RunningClient } from '../../protocol/terminals';
import type { Services } from '../services';
import type { NamedSession } from '../sessions/sessionsState';
import { sessionLabel } from '../text/sessionTitle';
import type { Translate } from '../text/translate';

export interface ShowTerminalDeps extends Pick<Services, 'dialogs' | 't'> {
  /** Focuses the terminal of this window that hosts a session. False if none does. */
  readonly show: (sessionId: string) => Promise<boolean>;
  readonly runningClients: () => Promise<readonly RunningClient[]>;
  readonly copy: (text: string) => Promise<void>;
}

/** Shows the terminal that hosts a session, or says where it runs. */
export async function showTerminal(session: NamedSession, deps: ShowTerminalDeps): Promise<void> {
  const { dialogs, show, runningClients, copy, t } = deps;
  if (await show(session.id)) return;
  const client = (await runningClients()).find(({ sessionId }) => sessionId === session.id.toLowerCase());
  const name = sessionLabel(session, t);
  if (client === undefined) {
    void dialogs.notify('info', t('No client on this machine runs “{0}”.', name));
    return;
  }
  const command = attachCommand(client);
  const where = placeOf(client, name, t);
  if (command === null) {
    void dialogs.notify('info', where);
    return;
  }
  const copyIt = t('Copy Command');
  const answer = await dialogs.notify('info', t('{0} To attach to it: {1}', where, command), copyIt);
  if (answer !== copyIt) return;
  await copy(command);
  dialogs.note(t('Copied'));
}

/** The command that shows a client in another terminal; null if there is none. */
export function attachCommand({ jobId, tmux }: RunningClient): string | null {
  if (jobId !== null) return `claude attach ${jobId}`;
  return tmux === null ? null : `tmux attach -t '${tmux.replaceAll("'", "'\\''")}'`;
}

function placeOf({ jobId, tmux, entrypoint, pid }: RunningClient, name: string, t: Translate): string {
  if (jobId !== null) return t('“{0}” runs in the background.', name);
  if (tmux !== null) return t('“{0}” runs in the tmux session {1}.', name, tmux);
  if (entrypoint === 'claude-vscode') return t('“{0}” runs in a panel of Claude Code’s own extension.', name);
  if (entrypoint?.startsWith('sdk') === true) return t('“{0}” is run by a program (process {1}).', name, String(pid));
  return t('“{0}” runs in another window or another terminal program (process {1}).', name, String(pid));
}
