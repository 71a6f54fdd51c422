import { basename } from 'node:path';
import type { FoundSession } from '../../protocol/terminals';
import type { Services } from '../services';
import type { NamedSession } from '../sessions/sessionsState';
import { shortenHome } from '../text/formats';
import type { ChosenClient, ClientPlace } from './clientChoice';

export interface NewSessionFlowDeps extends Pick<Services, 'configDirs' | 'dialogs' | 'homeDir' | 't'> {
  /** Null if there is no client, which has been reported, or if the person cancelled. */
  readonly chooseClient: (place: ClientPlace, title: string) => Promise<ChosenClient | null>;
  readonly isFolder: (path: string) => Promise<boolean>;
  /** Absolute paths of the window's folders, in order. */
  readonly folders: () => readonly string[];
  /** The session of a folder with the latest message; null if there is none. */
  readonly lastSession: (folder: string) => Promise<FoundSession | null>;
  readonly resume: (session: NamedSession, client: ChosenClient) => Promise<void>;
  /** `configDir`: that of another account; null for the main one. */
  readonly start: (folder: string, client: ChosenClient, configDir: string | null) => Promise<void>;
}

/** Starts a session in a folder, or continues the last one there. With several folders, the person chooses. */
export class NewSessionFlow {
  readonly #deps: NewSessionFlowDeps;

  constructor(deps: NewSessionFlowDeps) {
    this.#deps = deps;
  }

  /**
   * @param folder absolute path; null to ask which, if there are several
   * @param configDir that of another account; null for the main one; absent to ask which, if there are several
   */
  async newSession(folder: string | null = null, configDir?: string | null): Promise<void> {
    const { chooseClient, start, t } = this.#deps;
    const title = t('New Session');
    const client = await chooseClient('terminal', title);
    if (client === null) return;
    const place = folder ?? (await this.#chooseFolder(title, t('Choose the folder to start in')));
    if (place === null) return;
    const account = configDir === undefined ? await this.#chooseConfigDir(title, client) : { configDir };
    if (account !== null) await start(place, client, account.configDir);
  }

  async continueLast(): Promise<void> {
    const { chooseClient, dialogs, homeDir, lastSession, resume, t } = this.#deps;
    const title = t('Continue Last Session');
    const client = await chooseClient('terminal', title);
    if (client === null) return;
    const folder = await this.#chooseFolder(title, t('Choose the folder whose last session to continue'));
    if (folder === null) return;
    const session = await dialogs.during(t('Looking for the last session'), () => lastSession(folder));
    if (session !== null) {
      await resume(session, client);
      return;
    }
    const start = t('New Session…');
    const name = shortenHome(folder, homeDir);
    const answer = await dialogs.notify('info', t('There is no session to continue in {0}.', name), start);
    if (answer === start) await this.newSession(folder);
  }

  /** Null if the person cancelled. Claude Code's panel has a config folder of its own. */
  async #chooseConfigDir(title: string, client: ChosenClient): Promise<{ readonly configDir: string | null } | null> {
    const { configDirs, dialogs, homeDir, isFolder, t } = this.#deps;
    const [main, ...extra] = configDirs();
    if (main === undefined || client.kind === 'panel') return { configDir: null };
    const areThere = await Promise.all(extra.map(isFolder));
    const all = [main, ...extra.filter((_, at) => areThere[at])];
    if (all.length < 2) return { configDir: null };
    const choices = all.map((path) => ({
      value: { configDir: path === main ? null : path },
      label: shortenHome(path, homeDir),
      icon: 'account',
    }));
    return dialogs.choose([{ heading: null, choices }], { title, placeholder: t('Choose the config folder to use') });
  }

  async #chooseFolder(title: string, placeholder: string): Promise<string | null> {
    const { dialogs, folders, homeDir, t } = this.#deps;
    const open = folders();
    const [only = null] = open;
    if (open.length === 1) return only;
    if (open.length === 0) {
      const useHome = t('Use Home Folder');
      const answer = await dialogs.ask({
        kind: 'info',
        message: t('No folder is open.'),
        detail: t('Claude Code works in one folder. Open one first, or use your home folder: {0}', homeDir),
        buttons: [useHome],
      });
      return answer === useHome ? homeDir : null;
    }
    const choices = open.map((path) => ({
      value: path,
      label: basename(path),
      description: shortenHome(path, homeDir),
      icon: 'folder',
    }));
    return dialogs.choose([{ heading: null, choices }], { title, placeholder });
  }
}
