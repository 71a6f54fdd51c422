import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { isSessionId, type SessionRef } from '../../protocol/session';
import { STORE_NAME } from '../../protocol/terminals';
import { readResumeEnvironment, readResumeRepair, workspaceFolderPaths } from '../config/configuration';
import { Disposable, type Listen } from '../lifetime';
import type { SessionRepairs } from '../repair/sessionRepairs';
import type { Services } from '../services';
import type { ShownSession } from '../sessions/currentSession';
import { findSession, type NamedSession, type PlacedSession, sessionAt } from '../sessions/sessionsState';
import { sessionLabel } from '../text/sessionTitle';
import { type ChosenClient, ClientChoice, type ClientPlace } from './clientChoice';
import { warnOfInheritedEnvironment } from './inheritedEnvironment';
import { chooseLostSessions, type LostSessionsDeps, offerLostSessions } from './lostSessions';
import { NewSessionFlow } from './newSessionFlow';
import { OfficialExtension } from './officialExtension';
import { ResumeFlow, type ResumeFlowDeps } from './resumeFlow';
import { SessionTerminals } from './sessionTerminals';
import { showTerminal } from './showTerminal';
import { WindowTerminals } from './windowTerminals';

/** A session id that changes leaves no trace in the list of sessions while no view is visible. */
const REFRESH_MS = 5000;
/** The registry is not read more often than that. */
const MIN_REFRESH_MS = 1000;

/**
 * What a client tells the commands that it runs. A window that was opened by such a command passes it on, and a client that is
 * started with it takes itself for a part of another: it writes no transcript. (docs/format.md, "Live processes")
 */
const NOT_INHERITED: Readonly<Record<string, null>> = {
  CLAUDECODE: null,
  CLAUDE_CODE_CHILD_SESSION: null,
  CLAUDE_CODE_ENTRYPOINT: null,
  CLAUDE_CODE_SESSION_ID: null,
  CLAUDE_CODE_SESSION_KIND: null,
  CLAUDE_CODE_SESSION_NAME: null,
};

export interface TerminalsFeatureDeps extends Pick<ResumeFlowDeps, 'offerRepair' | 'takeOffer' | 'fork'> {
  readonly repairs: Pick<SessionRepairs, 'repairFirst' | 'noteRepaired'>;
  /** Conversation panels of the window. */
  readonly panels: () => readonly string[];
  /** Transcripts that come first in the queue. */
  readonly urgent: () => readonly string[];
}

/** Sessions in terminals: starting, resuming and showing them, and finding them again after a restart. */
export class TerminalsFeature extends Disposable {
  readonly #window = this._register(new WindowTerminals());
  readonly #panel = this._register(new OfficialExtension());
  readonly #sessions: SessionTerminals;
  readonly #resumes: ResumeFlow;
  readonly #starts: NewSessionFlow;
  readonly #lost: LostSessionsDeps;
  #refreshTimer: NodeJS.Timeout | undefined;
  #refreshedMs = 0;

  /** Fires when a session got another terminal or state. */
  readonly onShownChange: Listen<void>;
  /** Fires when `isLost`, `isReconnecting` or `reconnectedAt` may have changed. */
  readonly onRestoredChange: Listen<void>;

  constructor(
    private readonly services: Services,
    { repairs, offerRepair, takeOffer, fork, panels, urgent }: TerminalsFeatureDeps,
  ) {
    super();
    const { client, model, dialogs, formats, homeDir, log, now, configDir, configDirs, extraConfigDirOf, t } = services;
    const calls = client.terminals;
    const choice = new ClientChoice({
      ...{ dialogs, t, copy, panel: this.#panel },
      findClients: () => calls.findClients(),
      shell: () => vscode.env.shell,
      openLink: async (url) => {
        await vscode.env.openExternal(vscode.Uri.parse(url));
      },
    });
    const chooseClient = (place: ClientPlace, title: string): Promise<ChosenClient | null> =>
      choice.choose(place, title);
    this.#sessions = this._register(
      new SessionTerminals({
        ...{ calls, configDir, log, now, newId: randomUUID, wait: (ms) => sleep(ms) },
        window: this.#window,
        workspace: workspaceName(),
        hasStore: () => isThere(services.home.globalStorageUri),
        known: (filePath) => {
          const session = findSession(model.snapshot, filePath)?.session ?? null;
          return session?.isAbsent === true ? null : session;
        },
        surroundings: () => ({ panels: panels(), urgent: urgent() }),
      }),
    );
    this.onShownChange = this.#sessions.onChange;
    this.onRestoredChange = this.#sessions.onRestoredChange;
    this.#resumes = new ResumeFlow({
      ...{ dialogs, extraConfigDirOf, t, chooseClient, fork },
      find: (session) => this.#find(session),
      judge: (session, version, signal) => calls.judge(session, version, signal),
      folderOf: (filePath) => sessionAt(model.snapshot, filePath).cwd,
      isFolder,
      repairMode: readResumeRepair,
      repair: (session, version) => this.#repair(session, version, repairs),
      ...{ offerRepair, takeOffer },
      showTerminal: (session) => this.show(session),
      newSession: (folder, dir) => this.#starts.newSession(folder, dir),
      start: (session, chosen) => this.#resume(session, chosen),
    });
    this.#starts = new NewSessionFlow({
      ...{ configDirs, dialogs, homeDir, isFolder, t, chooseClient },
      folders: workspaceFolderPaths,
      lastSession: (folder) => calls.lastSession(folder),
      resume: (session, chosen) => this.#resumes.resume(session, chosen),
      start: (folder, chosen, dir) => this.#start(folder, chosen, dir),
    });
    this.#lost = {
      ...{ dialogs, formats, log, t },
      locate: (ids) => calls.locate(ids),
      judge: (session) => calls.judge(session, null, new AbortController().signal),
      repairMode: readResumeRepair,
      repair: async (session) => (await client.sessions.repair(session, 'automatic')).result.status === 'repaired',
      resume: (session) => this.resume(session),
      settle: (ids) => {
        this.#sessions.settle(ids);
      },
    };
    this.#watch();
  }

  /** Sessions in terminals, for the order of the queue. */
  get shown(): readonly ShownSession[] {
    return this.#sessions.shown;
  }

  /** The session ended with an earlier window, and nobody has decided what becomes of it. */
  isLost(sessionId: string): boolean {
    return this.#sessions.isLost(sessionId);
  }

  /** The session ran when an earlier window ended, and is being looked for. */
  isReconnecting(sessionId: string): boolean {
    return this.#sessions.isReconnecting(sessionId);
  }

  /** When the session was found again, in milliseconds since the epoch; null if it was not lost sight of. */
  reconnectedAt(sessionId: string): number | null {
    return this.#sessions.reconnectedAt(sessionId);
  }

  newSession(): Promise<void> {
    return this.#starts.newSession();
  }

  continueLast(): Promise<void> {
    return this.#starts.continueLast();
  }

  resume(session: NamedSession, place: ClientPlace = 'terminal'): Promise<void> {
    return this.#resumes.resume(session, place);
  }

  show(session: NamedSession): Promise<void> {
    const { client, dialogs, t } = this.services;
    return showTerminal(session, {
      ...{ dialogs, t, copy },
      show: (sessionId) => this.#sessions.show(sessionId),
      runningClients: () => client.terminals.runningClients(),
    });
  }

  /** @param session null to choose among those that ended with the window */
  async resumeAgain(session: NamedSession | null): Promise<void> {
    const chosen = session === null ? await chooseLostSessions(this.#sessions.lost, this.#lost) : [session];
    for (const each of chosen) await this.resume(each);
  }

  /** Called soon after the start of the window. Never rejects. */
  async begin(): Promise<void> {
    const { dialogs, home, t } = this.services;
    const { globalState } = home;
    const warning = warnOfInheritedEnvironment({
      environment: process.env,
      parentPid: process.ppid,
      globalState,
      dialogs,
      t,
    });
    const { lost, hasCrashed } = await this.#sessions.restore();
    if (hasCrashed && !this.isDisposed) await offerLostSessions(lost, this.#lost);
    await warning;
  }

  #watch(): void {
    const { client, model } = this.services;
    const timer = setInterval(() => {
      if (this.#sessions.hasRunning) this.#refreshSoon();
    }, REFRESH_MS);
    this._register({
      dispose: () => {
        clearInterval(timer);
        clearTimeout(this.#refreshTimer);
      },
    });
    this._register(
      model.onChange(() => {
        if (model.isStarted && vscode.window.terminals.length > 0) this.#refreshSoon();
      }),
    );
    this._register(
      client.onRestarted(() => {
        this.#sessions.saveAgain();
      }),
    );
  }

  #refreshSoon(): void {
    if (this.#refreshTimer !== undefined || this.isDisposed) return;
    // A clock that was set back must not put it off.
    const leftMs = Math.min(this.#refreshedMs + MIN_REFRESH_MS - this.services.now(), MIN_REFRESH_MS);
    this.#refreshTimer = setTimeout(
      () => {
        this.#refreshTimer = undefined;
        this.#refreshedMs = this.services.now();
        void this.#sessions.refresh();
      },
      Math.max(0, leftMs),
    );
  }

  /** The client may have moved the transcript since the tree was drawn. */
  async #find(session: NamedSession): Promise<NamedSession> {
    if ((await kindOf(session.path)) !== null || !isSessionId(session.id)) return session;
    const [place] = await this.services.client.terminals.locate([session.id.toLowerCase()]);
    return place === undefined ? session : { ...session, path: place.path };
  }

  /** By the rules of the client that is started. */
  async #repair(
    session: NamedSession,
    version: string | null,
    repairs: TerminalsFeatureDeps['repairs'],
  ): Promise<boolean> {
    const { client, dialogs, log, t } = this.services;
    const usual = (await client.sessions.details(session)).client.version;
    if (version === null || version === usual) return repairs.repairFirst(session);
    const title = sessionLabel(session, t);
    const outcome = await dialogs.during(t('Repairing “{0}”', title), () =>
      client.terminals.repairFor(session, version),
    );
    const { result, problem } = outcome;
    if (result.status === 'failed') {
      log.warn(`Not repaired for ${version}: ${session.path}: ${result.reason ?? ''}: ${problem ?? ''}`);
      return false;
    }
    repairs.noteRepaired(outcome);
    dialogs.note(t('“{0}” was repaired for Claude Code {1}.', title, version));
    return true;
  }

  async #resume(session: PlacedSession, client: ChosenClient): Promise<void> {
    if (client.kind === 'panel') {
      await this.#panel.open(session.id);
      return;
    }
    const { id: sessionId, path: filePath, title, cwd } = session;
    const name = sessionLabel(session, this.services.t);
    const configDir = this.services.extraConfigDirOf(filePath);
    this.#run(name, `${client.program} --resume ${sessionId}`, { sessionId, filePath, title, cwd }, configDir);
  }

  async #start(cwd: string, client: ChosenClient, configDir: string | null): Promise<void> {
    if (client.kind === 'panel') {
      await this.#panel.open(null);
      return;
    }
    // With an id of ours, the session is known before it has written anything.
    const sessionId = randomUUID();
    const command = `${client.program} --session-id ${sessionId}`;
    this.#run(this.services.t('Claude Code'), command, { sessionId, filePath: null, title: null, cwd }, configDir);
  }

  /** @param configDir that of another account; null for the main one */
  #run(
    name: string,
    command: string,
    session: Parameters<SessionTerminals['started']>[1],
    configDir: string | null,
  ): void {
    const env = { ...NOT_INHERITED, ...readResumeEnvironment(configDir) };
    const terminal = this.#window.open({ id: randomUUID(), name, cwd: session.cwd, env, command });
    this.#sessions.started(terminal, configDir === null ? session : { ...session, configDir });
    this.#refreshSoon();
  }
}

async function copy(text: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
}

/** Identifies the workspace of the window across restarts. */
function workspaceName(): string {
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  return workspaceFile?.toString() ?? workspaceFolders.map(({ uri }) => uri.toString()).join('\n');
}

/** Windows that have nothing to restore start no thread. */
async function isThere(storage: vscode.Uri): Promise<boolean> {
  return storage.scheme === 'file' && (await kindOf(vscode.Uri.joinPath(storage, STORE_NAME).fsPath)) === 'file';
}

async function isFolder(path: string): Promise<boolean> {
  return (await kindOf(path)) === 'folder';
}

async function kindOf(path: SessionRef['path']): Promise<'file' | 'folder' | null> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch {
    return null;
  }
}
