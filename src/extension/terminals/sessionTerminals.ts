import type { TerminalsCalls } from '../../protocol/channels/terminals';
import type { RememberedTerminal, RunningClient, WindowMemory } from '../../protocol/terminals';
import { Disposable, Emitter, type Listen } from '../lifetime';
import type { Log } from '../log';
import type { ShownSession } from '../sessions/currentSession';
import { clientIn, type OpenTerminal, type Reconnected, settleRestored } from './reconnecting';

export interface TerminalWindow {
  list(): Promise<readonly OpenTerminal[]>;
  readonly active: OpenTerminal | null;
  readonly onChange: Listen<void>;
  /** `isOver`: the person closed it, or its shell has ended; not so if the window ends. */
  readonly onClose: Listen<{ readonly terminal: OpenTerminal; readonly isOver: boolean }>;
}

/** What the window knows of a session. */
export interface KnownSession {
  readonly title: string | null;
  /** Of its last message, in milliseconds since the epoch. */
  readonly lastMessageMs: number | null;
}

export interface SessionTerminalsDeps {
  readonly calls: Pick<TerminalsCalls, 'runningClients' | 'locate' | 'restore' | 'remember'>;
  readonly window: TerminalWindow;
  /** Identifies the workspace. */
  readonly workspace: string;
  /** Whether any window has remembered anything. Never rejects. */
  readonly hasStore: () => Promise<boolean>;
  /** Null if the window lists no such transcript, or it is gone. */
  readonly known: (filePath: string) => KnownSession | null;
  /** Absolute path of Claude Code's main config folder; null if it is not known. */
  readonly configDir: () => string | null;
  /** What else is remembered of the window. */
  readonly surroundings: () => Pick<WindowMemory, 'panels' | 'urgent'>;
  readonly newId: () => string;
  readonly wait: (ms: number) => Promise<void>;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** A client that was just started writes its record within this time; a person may answer a question before. */
const STARTING_MS = 60_000;

const MAX_URGENT = 50;

/** A terminal and what is remembered of it. */
interface Entry {
  remembered: RememberedTerminal;
  terminal: OpenTerminal | null;
  /** Its client has been seen to run. */
  hasRun: boolean;
  /** When its session had its last message, so that each message is saved. */
  lastMessageMs: number | null;
}

/**
 * The terminals of the window in which a client runs, and those that earlier windows of the workspace had: which session is in which,
 * by the processes, however its id changes.
 */
export class SessionTerminals extends Disposable {
  readonly #deps: SessionTerminalsDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #changed = this._register(new Emitter<void>());
  readonly #restoredChanged = this._register(new Emitter<void>());
  /** By session, in lower case; milliseconds since the epoch. */
  readonly #reconnectedAt = new Map<string, number>();
  /** Sessions that ran when an earlier window ended and are being looked for. */
  #reconnecting: ReadonlySet<string> = new Set();
  /** Transcripts that came first in the queue of an earlier window. */
  #urgent: readonly string[] = [];
  #refreshing: Promise<void> | null = null;
  #isRestoring = false;
  #isRestored = false;
  #lastSaved = '';

  /** Fires when a session got another terminal or state. */
  readonly onChange = this.#changed.event;
  /** Fires when another session is lost, is looked for, or was found again, and when one that was has ended. */
  readonly onRestoredChange = this.#restoredChanged.event;

  constructor(deps: SessionTerminalsDeps) {
    super();
    this.#deps = deps;
    this._register(
      deps.window.onClose(({ terminal, isOver }) => {
        this.#closed(terminal, isOver);
      }),
    );
    this._register(
      deps.window.onChange(() => {
        this.#changed.fire();
      }),
    );
  }

  /** Any session is in a terminal of the window. */
  get hasRunning(): boolean {
    return [...this.#entries.values()].some(({ remembered }) => remembered.state === 'running');
  }

  /** Sessions in terminals of the window, and those that were urgent before, for the order of the queue. */
  get shown(): readonly ShownSession[] {
    const { active } = this.#deps.window;
    const hosted = [...this.#entries.values()].flatMap(({ remembered: { filePath, state }, terminal }) =>
      filePath === null || state !== 'running' || terminal === null
        ? []
        : [{ filePath, place: terminal === active ? 'active' : 'visible' } as const],
    );
    return [...hosted, ...this.#urgent.map((filePath) => ({ filePath, place: 'background' }) as const)];
  }

  /** The sessions that ended with an earlier window. */
  get lost(): readonly RememberedTerminal[] {
    return [...this.#entries.values()].map(({ remembered }) => remembered).filter(({ state }) => state === 'lost');
  }

  isLost(sessionId: string): boolean {
    return this.lost.some((each) => each.sessionId === sessionId.toLowerCase());
  }

  isReconnecting(sessionId: string): boolean {
    return this.#reconnecting.has(sessionId.toLowerCase());
  }

  /** When the session was found again after the window had ended, in milliseconds since the epoch; null if it was not, or ended. */
  reconnectedAt(sessionId: string): number | null {
    return this.#reconnectedAt.get(sessionId.toLowerCase()) ?? null;
  }

  /** A terminal was opened for a session. `configDir`: absent for the main config folder. */
  started(
    terminal: OpenTerminal,
    session: Pick<RememberedTerminal, 'sessionId' | 'filePath' | 'title' | 'cwd'> &
      Partial<Pick<RememberedTerminal, 'configDir'>>,
  ): void {
    const { configDir, newId, now } = this.#deps;
    const id = terminal.id ?? newId();
    const sessionId = session.sessionId.toLowerCase();
    for (const [key, { remembered }] of this.#entries) {
      if (remembered.sessionId !== sessionId || remembered.state === 'running') continue;
      this.#entries.delete(key);
      this.#restoredChanged.fire();
    }
    const nowMs = now();
    const remembered: RememberedTerminal = {
      configDir: configDir() ?? '',
      ...session,
      sessionId,
      id,
      shellPid: terminal.pid,
      state: 'running',
      startedMs: nowMs,
      changedMs: nowMs,
      endedMs: null,
    };
    this.#entries.set(id, { remembered, terminal, hasRun: false, lastMessageMs: null });
    this.#save();
    this.#changed.fire();
  }

  /** Nobody is asked again about these. */
  settle(ids: readonly string[]): void {
    for (const id of ids) if (this.#entries.get(id)?.remembered.state === 'lost') this.#update(id, { state: 'ended' });
    this.#save();
    this.#restoredChanged.fire();
  }

  /** Focuses the terminal of a session. False if no terminal of the window hosts it. */
  async show(sessionId: string): Promise<boolean> {
    await this.refresh();
    const wanted = sessionId.toLowerCase();
    const entry = [...this.#entries.values()].find(
      ({ remembered, terminal }) =>
        remembered.sessionId === wanted && remembered.state === 'running' && terminal !== null,
    );
    entry?.terminal?.show();
    return entry !== undefined;
  }

  /** Finds out which session runs in which terminal. Never rejects. Does nothing during `restore`, which ends with it. */
  refresh(): Promise<void> {
    // A terminal that is remembered would be taken for a new one.
    if (this.#isRestoring) return Promise.resolve();
    this.#refreshing ??= this.#refresh()
      .catch((error: unknown) => {
        if (!this.isDisposed) this.#deps.log.warn(`Failed to look for clients in terminals: ${String(error)}`);
      })
      .finally(() => {
        this.#refreshing = null;
      });
    return this.#refreshing;
  }

  /**
   * Takes over what earlier windows of the workspace had: what is remembered, then the processes, and then what became of each.
   * Returns the sessions that ended with such a window, and whether it crashed. Never rejects.
   */
  async restore(): Promise<Reconnected> {
    const { calls, hasStore, log, window, wait, now } = this.#deps;
    this.#isRestoring = true;
    if (!(await hasStore())) {
      this.#isRestoring = false;
      this.#isRestored = true;
      this.#save();
      return { lost: [], hasCrashed: false };
    }
    const result = await settleRestored({
      restore: async () => {
        const restored = await calls.restore(this.#deps.workspace);
        this.#urgent = restored.urgent.slice(0, MAX_URGENT);
        return restored;
      },
      terminals: () => window.list(),
      clients: () => calls.runningClients(),
      wait,
      now,
      isOver: () => this.isDisposed,
      onReconnecting: (sessionIds) => {
        this.#reconnecting = sessionIds;
        this.#restoredChanged.fire();
      },
      onSettled: (remembered, terminal) => {
        const isLive = terminal !== null && remembered.state === 'running';
        this.#entries.set(remembered.id, { remembered, terminal, hasRun: isLive, lastMessageMs: null });
        if (isLive) this.#reconnectedAt.set(remembered.sessionId, now());
      },
    }).catch((error: unknown) => {
      log.warn(`Failed to find the terminals of before: ${String(error)}`);
      return { lost: [], hasCrashed: false };
    });
    this.#isRestoring = false;
    this.#isRestored = true;
    await this.refresh();
    return result;
  }

  /** What has been written is not known any more, as to a worker that has replaced a dead one. */
  saveAgain(): void {
    this.#lastSaved = '';
    this.#save();
  }

  async #refresh(): Promise<void> {
    const { calls, window } = this.#deps;
    const isOver = (): boolean => this.isDisposed;
    const [terminals, clients] = await Promise.all([window.list(), calls.runningClients()]);
    if (isOver()) return;
    for (const terminal of terminals) this.#match(terminal, clientIn(terminal, clients));
    const running = [...this.#entries.values()].filter(({ remembered }) => remembered.state === 'running');
    // Every project is searched for a transcript, so only for those that are not where they were.
    const isLost = ({ filePath }: RememberedTerminal): boolean =>
      filePath === null || this.#deps.known(filePath) === null;
    const ids = running.map(({ remembered }) => remembered).filter(isLost);
    const places = ids.length === 0 ? [] : await calls.locate(ids.map(({ sessionId }) => sessionId));
    if (isOver()) return;
    for (const { remembered } of running) {
      const place = places.find(({ id }) => id === remembered.sessionId)?.path;
      this.#follow(remembered.id, place ?? (ids.includes(remembered) ? null : remembered.filePath));
    }
    this.#save();
  }

  /** `client`: the one that runs in the terminal. */
  #match(terminal: OpenTerminal, client: RunningClient | null): void {
    const entry = this.#entryOf(terminal);
    if (entry === null) {
      if (client === null) return;
      const { sessionId, cwd } = client;
      this.started(terminal, { sessionId, filePath: null, title: null, cwd });
      this.#match(terminal, client);
      return;
    }
    const { id, startedMs, state, sessionId, shellPid } = entry.remembered;
    entry.terminal = terminal;
    if (shellPid !== terminal.pid && terminal.pid !== null) this.#update(id, { shellPid: terminal.pid });
    if (client !== null) {
      entry.hasRun = true;
      const isOther = client.sessionId !== sessionId;
      if (state === 'running' && !isOther) return;
      const moved = isOther ? { sessionId: client.sessionId, filePath: null, title: null } : {};
      this.#update(id, { ...moved, state: 'running', endedMs: null });
      return;
    }
    const isStarting = !entry.hasRun && this.#deps.now() - startedMs < STARTING_MS;
    if (state === 'running' && !isStarting) this.#update(id, { state: 'ended', endedMs: this.#deps.now() });
  }

  #entryOf(terminal: OpenTerminal): Entry | null {
    const entries = [...this.#entries.values()];
    const byTerminal = entries.find((each) => each.terminal === terminal);
    return byTerminal ?? (terminal.id === null ? undefined : this.#entries.get(terminal.id)) ?? null;
  }

  /** Where the transcript is, its title and its last message. A transcript that was deleted takes its entry along. */
  #follow(id: string, filePath: string | null): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    const { remembered } = entry;
    if (filePath === null) {
      if (remembered.filePath !== null) this.#update(id, { filePath: null });
      return;
    }
    const known = this.#deps.known(filePath);
    const title = known?.title ?? remembered.title;
    const hasMessage = (known?.lastMessageMs ?? null) !== entry.lastMessageMs;
    if (hasMessage) entry.lastMessageMs = known?.lastMessageMs ?? null;
    if (hasMessage || filePath !== remembered.filePath || title !== remembered.title)
      this.#update(id, { filePath, title });
  }

  #update(id: string, change: Partial<RememberedTerminal>): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    const { sessionId } = entry.remembered;
    entry.remembered = { ...entry.remembered, ...change, changedMs: this.#deps.now() };
    if (entry.remembered.state !== 'running' || entry.remembered.sessionId !== sessionId) this.#left(sessionId);
  }

  /** The client that was found again has ended, or has gone on with another session. */
  #left(sessionId: string): void {
    if (this.#reconnectedAt.delete(sessionId)) this.#restoredChanged.fire();
  }

  #closed(terminal: OpenTerminal, isOver: boolean): void {
    const entry = this.#entryOf(terminal);
    if (entry === null || !isOver) return;
    this.#entries.delete(entry.remembered.id);
    this.#left(entry.remembered.sessionId);
    this.#save();
    this.#changed.fire();
  }

  #save(): void {
    const { calls, surroundings, workspace } = this.#deps;
    // Until then, it would hide what earlier windows remember.
    if (!this.#isRestored) return;
    const terminals = [...this.#entries.values()].map(({ remembered }) => remembered);
    const memory: WindowMemory = { terminals, ...surroundings() };
    const text = JSON.stringify(memory);
    // A window in which no client ever ran leaves no file.
    if (text === this.#lastSaved || (this.#lastSaved === '' && terminals.length === 0)) return;
    this.#lastSaved = text;
    void Promise.resolve(calls.remember(workspace, memory)).catch(() => undefined);
    this.#changed.fire();
  }
}
