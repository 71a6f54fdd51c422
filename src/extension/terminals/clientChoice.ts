import type { FoundClients } from '../../protocol/client';
import type { Services } from '../services';

/** Claude Code's own extension, as far as it can be used from here. */
export interface OfficialPanel {
  /** Cheap: looks at the list of extensions. */
  isInstalled(): boolean;
  /** Opens a session there, or an empty one. Rejects if that fails. */
  open(sessionId: string | null): Promise<void>;
}

/** The client that a session is started with. */
export interface ChosenClient {
  readonly kind: 'terminal' | 'panel';
  /** For a terminal: how its shell calls the client. */
  readonly program: string;
  /** Null if it is not known. */
  readonly version: string | null;
}

/** `ask`: if both are possible. */
export type ClientPlace = 'terminal' | 'panel' | 'ask';

export interface ClientChoiceDeps extends Pick<Services, 'dialogs' | 't'> {
  readonly findClients: () => Promise<FoundClients>;
  readonly panel: OfficialPanel;
  /** Absolute path of the shell that terminals run. */
  readonly shell: () => string;
  readonly copy: (text: string) => Promise<void>;
  readonly openLink: (url: string) => Promise<void>;
}

const INSTALL_COMMAND = 'npm install -g @anthropic-ai/claude-code';
const INSTALL_PAGE = 'https://code.claude.com/docs/en/setup';

/** Finds the client before anything else is done, and says how to install one if there is none. */
export class ClientChoice {
  readonly #deps: ClientChoiceDeps;

  constructor(deps: ClientChoiceDeps) {
    this.#deps = deps;
  }

  /**
   * The client to start; null if there is none, which is reported, or if the person cancels.
   *
   * @param title what it is started for
   */
  async choose(place: ClientPlace, title: string): Promise<ChosenClient | null> {
    const { findClients, dialogs, panel, shell, t } = this.#deps;
    const { onPath, ofExtension } = await dialogs.during(t('Looking for Claude Code'), findClients);
    const inPanel: ChosenClient | null = panel.isInstalled()
      ? { kind: 'panel', program: '', version: ofExtension?.version ?? null }
      : null;
    const path = ofExtension?.path ?? null;
    const inTerminal: ChosenClient | null =
      onPath !== null
        ? { kind: 'terminal', program: 'claude', version: onPath.version }
        : path === null
          ? null
          : { kind: 'terminal', program: shellWord(path, shell()), version: ofExtension?.version ?? null };
    if (place === 'panel' && inPanel !== null) return inPanel;
    if (inTerminal === null) return inPanel === null ? this.#offerInstallation() : this.#offerPanel(inPanel);
    if (place !== 'ask' || inPanel === null) return inTerminal;
    const choices = [
      { value: inTerminal, label: t('In a Terminal'), icon: 'terminal' },
      { value: inPanel, label: t('In Claude Code’s Panel'), icon: 'comment-discussion' },
    ];
    return dialogs.choose([{ heading: null, choices }], { title, placeholder: t('Where should Claude Code run?') });
  }

  async #offerPanel(inPanel: ChosenClient): Promise<ChosenClient | null> {
    const { dialogs, t } = this.#deps;
    const open = t('Open in Claude Code’s Panel');
    const answer = await dialogs.ask({
      kind: 'info',
      message: t('No claude was found for a terminal.'),
      detail: t('Claude Code’s own extension is installed and can open the session in its panel.'),
      buttons: [open],
    });
    return answer === open ? inPanel : null;
  }

  /** A terminal may find a client that is not found here: its settings or its shell can set another PATH. */
  async #offerInstallation(): Promise<ChosenClient | null> {
    const { copy, dialogs, openLink, t } = this.#deps;
    const [runAnyway, copyCommand, openPage] = [t('Run Anyway'), t('Copy Install Command'), t('How to Install')];
    const answer = await dialogs.notify(
      'error',
      t('Claude Code was not found: there is no claude on the PATH. Install it with {0}.', INSTALL_COMMAND),
      runAnyway,
      copyCommand,
      openPage,
    );
    if (answer === runAnyway) return { kind: 'terminal', program: 'claude', version: null };
    if (answer === copyCommand) {
      await copy(INSTALL_COMMAND);
      dialogs.note(t('Copied'));
    }
    if (answer === openPage) await openLink(INSTALL_PAGE);
    return null;
  }
}

/** A path as a shell runs it as a command. `shell`: absolute path of the shell. */
export function shellWord(path: string, shell: string): string {
  const name = /[^\\/]*$/.exec(shell.toLowerCase())?.[0] ?? '';
  if (/^(pwsh|powershell)(\.exe)?$/.test(name)) return `& '${path.replaceAll("'", "''")}'`;
  if (name === 'cmd.exe') return `"${path}"`;
  return `'${path.replaceAll("'", "'\\''")}'`;
}
