import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createBirpc } from 'birpc';
import { MergedSessions } from '../../../../src/extension/sessions/mergedSessions';
import { corruptedSessions, sessionsOfWindow } from '../../../../src/extension/sessions/sessionsState';
import { type Alarm, alarmsChannel } from '../../../../src/protocol/channels/alarms';
import { conversationChannel } from '../../../../src/protocol/channels/conversation';
import { type SessionFocus, sessionsChannel, type SessionSummary } from '../../../../src/protocol/channels/sessions';
import { tasksChannel } from '../../../../src/protocol/channels/tasks';
import { usageChannel } from '../../../../src/protocol/channels/usage';
import { workerChannel } from '../../../../src/protocol/channels/worker';
import type { ConversationHead, PanelItem } from '../../../../src/protocol/conversation';
import { createCalls, eventHandlers, type Send } from '../../../../src/protocol/rpcClient';
import { isRunningState, isWaitingState } from '../../../../src/protocol/sessionActivity';
import type { TaskList } from '../../../../src/protocol/task';
import type { UsageOverview } from '../../../../src/protocol/usage';
import { sessionRefOf } from '../../../rooms/format';

const WORKER = './dist/worker.mjs';
const VIEW = { kind: 'chain' } as const;
const USAGE = { timeZone: 'UTC', priceOverrides: {} };
const MAX_ITEMS = 400;

/** How much faster than real time the worker's time runs. */
export const SPEED = 50;

/** What a worker is started for. */
export interface SoakPlace {
  readonly configDir: string;
  /** Null: nothing is known from before. */
  readonly cacheDir: string | null;
  readonly workspaceFolders: readonly string[];
  /** From then on, time is fast. Milliseconds since the epoch. */
  readonly startMs: number;
}

/** What the window shows: conversations, and the tasks of a session, by the paths of transcripts. */
export interface SoakViews {
  readonly conversations: readonly string[];
  readonly tasks: string;
}

/** A conversation as a panel has it: what it asked for when it was last told of a change. */
interface Panel {
  head: ConversationHead | null;
  items: readonly PanelItem[];
}

/** A window with all views, and the built worker that serves it. It asks for something only when it is told of a change. */
export class SoakWindow {
  /** All alarms that there have been. */
  readonly alarms: Alarm[] = [];
  readonly warnings: string[] = [];
  readonly #worker: Worker;
  readonly #calls;
  readonly #list = new MergedSessions();
  readonly #panels = new Map<string, Panel>();
  #tasks: TaskList | null = null;
  #usage: UsageOverview | null = null;
  #views: SoakViews | null = null;

  constructor(private readonly place: SoakPlace) {
    const { startMs } = place;
    this.#worker = new Worker(WORKER, {
      execArgv: ['--require', join(__dirname, 'fastTime.cjs')],
      workerData: { startMs, speed: SPEED },
    });
    const rpc = createBirpc<object, object, false>(
      {
        ...eventHandlers(sessionsChannel, {
          sessionsChanged: (update) => {
            this.#list.apply(update);
          },
        }),
        ...eventHandlers(conversationChannel, { conversationChanged: (head) => this.#read(head) }),
        ...eventHandlers(tasksChannel, { tasksChanged: (list) => void (this.#tasks = list) }),
        ...eventHandlers(usageChannel, { usageChanged: (overview) => void (this.#usage = overview) }),
        ...eventHandlers(alarmsChannel, { alarmsChanged: ({ alarms }) => void this.alarms.push(...alarms) }),
        ...eventHandlers(workerChannel, {
          log: (level, message) => {
            if (level === 'warn' || level === 'error') this.warnings.push(message);
          },
        }),
      },
      {
        post: (message: unknown) => {
          this.#worker.postMessage(message);
        },
        on: (listener) => this.#worker.on('message', listener),
        proxify: false,
        timeout: -1,
      },
    );
    const send: Send = ({ method, args }) => rpc.$callRaw({ method, args: [...args] });
    this.#calls = {
      ...createCalls(workerChannel, send),
      ...createCalls(sessionsChannel, send),
      ...createCalls(conversationChannel, send),
      ...createCalls(tasksChannel, send),
      ...createCalls(usageChannel, send),
    };
  }

  /** Resolves when everything was listed and scanned. */
  async open(views: SoakViews): Promise<void> {
    const { configDir, cacheDir, workspaceFolders } = this.place;
    await this.#calls.configure({
      ...{
        configDir,
        extraConfigDirs: [],
        cacheDir,
        workspaceFolders,
        scanConcurrency: 4,
        automaticRepair: 'off',
        backupRetentionDays: null,
      },
      ...{ clientVersion: '2.1.330', clientExtensionFolder: null, livePollMs: 200 },
    });
    await this.show(views);
    await this.#calls.scanAll({}, new AbortController().signal);
    this.#usage = await this.#calls.watchUsage(USAGE);
  }

  /** Closes what is shown, and shows other sessions. */
  async show(views: SoakViews): Promise<void> {
    const before = this.#views;
    this.#views = views;
    for (const path of before?.conversations ?? []) {
      this.#panels.delete(path);
      await this.#calls.closeConversation(path);
    }
    await this.#calls.prioritise(this.#focus());
    for (const path of views.conversations) {
      this.#panels.set(path, { head: null, items: [] });
      await this.#read(await this.#calls.openConversation(path, VIEW));
    }
    if (before !== null) await this.#calls.closeTasks(sessionRefOf(before.tasks));
    this.#tasks = await this.#calls.openTasks(sessionRefOf(views.tasks));
  }

  /** The person comes back to the window, and to its view of tokens. */
  async comeBack(): Promise<void> {
    await this.#calls.prioritise({ ...this.#focus(), isAway: true });
    await this.#calls.prioritise(this.#focus());
    this.#usage = await this.#calls.watchUsage(USAGE);
  }

  /** What each subscriber shows, without what differs between two readings of the same files. */
  shown(): Readonly<Record<string, unknown>> {
    const snapshot = this.#list.of(this.place.configDir);
    const isThere = ({ health }: { readonly health: string }): boolean => health !== 'missing';
    // How sessions of other folders ended is read only if they are looked at, or did run.
    const isKnown = ({ path, activity }: SessionSummary, inWorkspace: boolean): boolean =>
      inWorkspace || this.#panels.has(path) || (activity !== null && isRunningState(activity.state));
    // A session whose transcript is gone, which only the window that knew it lists, counts in the order of the projects.
    const projects = snapshot.projects.toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
    const list = projects.flatMap(({ folder, cwd, inWorkspace, sessions }) =>
      sessions.filter(isThere).map((session) => {
        const activity = isKnown(session, inWorkspace) ? session.activity : null;
        return { folder, cwd, inWorkspace, ...session, activity };
      }),
    );
    const panels = [...this.#panels].map(([path, { head, items }]): [string, unknown] => [
      `conversation ${path}`,
      // The panel keeps what it shows of a transcript that is gone.
      head?.problem === null ? { ...head, items, revision: 0, replacements: 0 } : 'gone',
    ]);
    return {
      list,
      badge: {
        broken: corruptedSessions(snapshot, true).length,
        waiting: sessionsOfWindow(snapshot, true).filter(
          ({ activity }) => activity !== null && isWaitingState(activity.state),
        ).length,
      },
      ...Object.fromEntries(panels),
      tasks: this.#tasks?.problem === null ? { ...this.#tasks, revision: 0 } : 'gone',
      tokens: this.#usage === null ? null : { ...this.#usage, revision: 0, nowMs: 0 },
    };
  }

  async close(): Promise<void> {
    // It died, which the test reports.
    if (this.#worker.threadId === -1) return;
    const ended = once(this.#worker, 'exit');
    // As the extension does it: a thread that is terminated while it calls the file system can take the process along.
    await Promise.race([this.#calls.drain(), ended]);
    await ended;
  }

  #focus(): SessionFocus {
    return { active: [], visible: this.#views?.conversations ?? [], background: [] };
  }

  /** As the page of a panel does: asks for the items again. */
  async #read(head: ConversationHead): Promise<void> {
    const panel = this.#panels.get(head.path);
    if (panel === undefined) return;
    panel.head = head;
    if (head.count === 0) {
      panel.items = [];
      return;
    }
    const items: PanelItem[] = [];
    for (let from = 0; from < head.count; from += MAX_ITEMS) {
      const page = await this.#calls.conversationItems(head.path, VIEW, from, MAX_ITEMS).catch(() => null);
      items.push(...(page?.items ?? []));
    }
    panel.items = items;
  }
}
