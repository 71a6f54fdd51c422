import type { ConversationCalls } from '../../protocol/channels/conversation';
import type {
  PageTimes,
  PanelAction,
  PanelCalls,
  PanelNavigation,
  PanelStart,
  PanelUsage,
  RepairAnswer,
  RepairProposal,
  RepairSeam,
  SentStart,
  ShownParts,
} from '../../protocol/channels/panel';
import {
  type ConversationHead,
  type ConversationView,
  type FindQuery,
  type FindResult,
  type ItemsPage,
  type OutlineEntry,
  PAGE_ITEMS,
  pagesAround,
} from '../../protocol/conversation';
import type { RepairScope } from '../../protocol/repair';
import type { SessionUsage } from '../../protocol/usage';
import { Disposable, type DisposableLike } from '../lifetime';
import { WorkerError } from '../rpc/workerError';
import { unlistedSession } from '../sessions/sessionsState';
import { isOutputOfPanel, isTranscriptOfPanel } from './conversationAddresses';
import type { OpenConversations } from './openConversations';
import type { OpeningStep } from './openingTimes';
import { Prefetch } from './prefetch';

export interface PanelHostDeps {
  readonly calls: ConversationCalls;
  readonly open: OpenConversations;
  readonly texts: () => Readonly<Record<string, string>>;
  readonly locale: string;
  readonly act: (action: PanelAction) => Promise<void>;
  /** A page that was just loaded has made its first call. */
  readonly onReady: () => void;
  readonly onNavigated: () => void;
  readonly onShown: (times: PageTimes) => void;
  /** Which parts of messages are shown in all conversations. */
  readonly shownParts: () => ShownParts;
  readonly showParts: (parts: ShownParts) => void;
  /** Records the time of a step. */
  readonly note: (step: OpeningStep) => void;
  readonly onHead: (head: ConversationHead) => void;
  /** What the person reads when the conversation cannot be opened. */
  readonly describe: (error: unknown) => string;
  /** Why the worker no longer answers; null while it does. */
  readonly stopped: () => string | null;
  /** When the session was found again after a restart of the window, in milliseconds since the epoch; null if it was not. */
  readonly reconnectedMs: () => number | null;
  /** Starts the worker again. */
  readonly tryAgain: () => Promise<void>;
  readonly repairs: PanelRepairs;
  /** Null if the transcript is no session's. */
  readonly usageOf: (filePath: string) => Promise<SessionUsage | null>;
  /** What resuming the session means, and what was found for that. */
  readonly resumeOf: (filePath: string) => Promise<Pick<PanelUsage, 'preflight' | 'findings'>>;
}

/** The repair of a panel's session. */
export interface PanelRepairs {
  /** The repair that can be undone; null if there is none. */
  seam(): RepairSeam | null;
  proposal(scope: RepairScope): Promise<RepairProposal>;
  repair(scope: RepairScope, isInsisted: boolean): Promise<RepairAnswer>;
  undo(isInsisted: boolean): Promise<RepairAnswer>;
}

/** Answers the calls of a panel's page through the worker. Only the head of a conversation is kept. */
export class PanelHost extends Disposable implements PanelCalls {
  readonly #deps: PanelHostDeps;
  /** Conversations that are open for this panel, by path: its own, and those of subagents that were shown in it. */
  readonly #held = new Map<string, { readonly hold: DisposableLike; readonly opened: Promise<unknown> }>();
  /** The first screen is read while VS Code creates the page. */
  readonly #first = new Prefetch(() => this.#firstScreen());
  /** What to show first was sent without being asked for; null if it was not, and once the page has asked. */
  #sent: Promise<void> | null = null;
  #navigation: PanelNavigation;
  #reveal: number | null = null;
  /** The search that found the line that is shown first. */
  pendingFind: FindQuery | null = null;
  /** The repair that the page offers when it is loaded; null for none. */
  offersRepair: RepairScope | null = null;

  constructor(navigation: PanelNavigation, deps: PanelHostDeps) {
    super();
    this.#navigation = navigation;
    this.#deps = deps;
    this._register({
      dispose: () => {
        for (const { hold } of this.#held.values()) hold.dispose();
        this.#held.clear();
      },
    });
  }

  get navigation(): PanelNavigation {
    return this.#navigation;
  }

  /** Transcripts of subagents that are open for this panel. */
  get subagents(): readonly string[] {
    return [...this.#held.keys()].filter((path) => path !== this.#navigation.filePath);
  }

  /** The line to show first when the page is loaded. */
  set reveal(line: number | null) {
    this.#reveal = line;
  }

  /** Sends what to show first as soon as it is read, because that takes less time than to load the page which asks for it. */
  begin(send: (start: PanelStart) => void): void {
    this.#sent = this.#start().then(send);
  }

  /** The transcript has changed, so what was read in advance is discarded. */
  forget(): void {
    this.#first.forget();
  }

  async ready(): Promise<PanelStart | SentStart> {
    const { onReady, note } = this.#deps;
    note('page asked');
    const sent = this.#sent;
    // A page that asks again has missed what was sent, or was loaded again.
    this.#sent = null;
    await sent;
    const answer = sent === null ? await this.#start() : ({ isSent: true, ...this.#takeTarget() } as const);
    note('page answered');
    onReady();
    return answer;
  }

  async #start(): Promise<PanelStart> {
    const { texts, locale, shownParts, stopped, reconnectedMs, repairs } = this.#deps;
    const first = await this.#first.take();
    return {
      ...first,
      ...{ navigation: this.#navigation, locale },
      shown: shownParts(),
      texts: texts(),
      stopped: stopped(),
      reconnectedMs: reconnectedMs(),
      seam: repairs.seam(),
      ...this.#takeTarget(),
    };
  }

  /** Each is shown, or offered, once. */
  #takeTarget(): Pick<PanelStart, 'reveal' | 'find' | 'offersRepair'> {
    const target = { reveal: this.#reveal, find: this.pendingFind, offersRepair: this.offersRepair };
    this.#reveal = null;
    this.pendingFind = null;
    this.offersRepair = null;
    return target;
  }

  async head(view: ConversationView): Promise<ConversationHead> {
    const { filePath } = this.#navigation;
    this.#navigation = { ...this.#navigation, view };
    const head = await this.#open(filePath, view);
    this.#deps.onHead(head);
    return head;
  }

  /** Opens everything again in a restarted worker. Rejects when that worker dies, too. */
  async reopen(): Promise<ConversationHead> {
    for (const path of this.#held.keys()) if (path !== this.#navigation.filePath) this.#release(path);
    const { filePath, view } = this.#navigation;
    const head = await this.#open(filePath, view);
    this.#deps.onHead(head);
    return head;
  }

  async items(filePath: string, view: ConversationView, from: number, count: number): Promise<ItemsPage> {
    return this.#ask(filePath, (calls) => calls.conversationItems(filePath, view, from, count));
  }

  outline(view: ConversationView): Promise<readonly OutlineEntry[]> {
    const { filePath } = this.#navigation;
    return this.#ask(filePath, (calls) => calls.conversationOutline(filePath, view));
  }

  async text(filePath: string, line: number, path: string): Promise<string | null> {
    return this.#ask(filePath, (calls) => calls.conversationText(filePath, line, path));
  }

  async image(filePath: string, line: number, path: string): Promise<string | null> {
    return this.#ask(filePath, (calls) => calls.conversationImage(filePath, line, path));
  }

  async persisted(outputPath: string): Promise<string | null> {
    const { filePath } = this.#navigation;
    if (!isOutputOfPanel(filePath, outputPath)) throw new Error('Refused: the file is no output of the session');
    return this.#ask(filePath, (calls) => calls.persistedOutput(filePath, outputPath));
  }

  find(view: ConversationView, query: FindQuery): Promise<FindResult> {
    const { filePath } = this.#navigation;
    return this.#ask(filePath, (calls) => calls.findInConversation(filePath, view, query));
  }

  indexOfLine(view: ConversationView, line: number): Promise<number | null> {
    const { filePath } = this.#navigation;
    return this.#ask(filePath, (calls) => calls.indexOfLine(filePath, view, line));
  }

  navigated(navigation: Omit<PanelNavigation, 'filePath'>): void {
    this.#navigation = { ...navigation, filePath: this.#navigation.filePath };
    this.#deps.onNavigated();
  }

  async usage(): Promise<PanelUsage | null> {
    const { filePath } = this.#navigation;
    const usage = await this.#deps.usageOf(filePath);
    if (usage === null) return null;
    const { total, context } = usage;
    const resume = await this.#deps.resumeOf(filePath).catch(() => ({ preflight: null, findings: [] }));
    return { total, context, ...resume };
  }

  showParts(parts: ShownParts): void {
    this.#deps.showParts(parts);
  }

  shown(times: PageTimes): void {
    this.#deps.onShown(times);
  }

  act(action: PanelAction): Promise<void> {
    if ('filePath' in action) this.#refuseOthers(action.filePath);
    return this.#deps.act(action);
  }

  repairProposal(scope: RepairScope): Promise<RepairProposal> {
    return this.#deps.repairs.proposal(scope);
  }

  repair(scope: RepairScope, isInsisted: boolean): Promise<RepairAnswer> {
    return this.#deps.repairs.repair(scope, isInsisted);
  }

  undoRepair(isInsisted: boolean): Promise<RepairAnswer> {
    return this.#deps.repairs.undo(isInsisted);
  }

  tryAgain(): Promise<void> {
    return this.#deps.tryAgain();
  }

  async #firstScreen(): Promise<Pick<PanelStart, 'head' | 'pages'>> {
    const { note } = this.#deps;
    const head = await this.#startHead();
    note('file read');
    const { path: filePath, view, count } = head;
    if (count === 0) return { head, pages: [] };
    const line = this.#reveal ?? this.#navigation.at?.line ?? null;
    try {
      const index = line === null ? null : await this.indexOfLine(view, line);
      const pages = await Promise.all(
        pagesAround(index, count).map((page) => this.items(filePath, view, page * PAGE_ITEMS, PAGE_ITEMS)),
      );
      note('rows read');
      return { head, pages };
    } catch {
      // The page requests missing items itself and shows why they cannot be read.
      return { head, pages: [] };
    }
  }

  /** A panel always starts. If the worker does not answer, the head says why nothing is shown. */
  async #startHead(): Promise<ConversationHead> {
    const { filePath, view } = this.#navigation;
    const { onHead, describe } = this.#deps;
    let head: ConversationHead;
    try {
      head = await retryIfDied(() => this.#open(filePath, view));
    } catch (error) {
      head = emptyHead(filePath, view, describe(error));
    }
    onHead(head);
    return head;
  }

  #open(filePath: string, view: ConversationView): Promise<ConversationHead> {
    const opened = this.#deps.calls.openConversation(filePath, view);
    const hold = this.#held.get(filePath)?.hold ?? this.#deps.open.hold(filePath);
    this.#held.set(filePath, { hold, opened });
    opened.catch(() => undefined);
    // The panel was closed meanwhile, so nothing else would release the conversation.
    if (this.isDisposed) this.#release(filePath);
    return opened;
  }

  /** Only for calls that read: a call is repeated if the worker dies. */
  #ask<T>(filePath: string, ask: (calls: ConversationCalls) => Promise<T>): Promise<T> {
    return retryIfDied(async () => {
      await this.#ownTranscript(filePath);
      return ask(this.#deps.calls);
    });
  }

  /** Resolves when the transcript is open. Rejects for a transcript that the panel may not name. */
  async #ownTranscript(filePath: string): Promise<void> {
    this.#refuseOthers(filePath);
    if (filePath === this.#navigation.filePath) return;
    await (this.#held.get(filePath)?.opened ?? this.#open(filePath, { kind: 'chain' }));
  }

  #refuseOthers(filePath: string): void {
    if (!isTranscriptOfPanel(this.#navigation.filePath, filePath)) {
      throw new Error('Refused: the transcript is none of this session');
    }
  }

  #release(filePath: string): void {
    this.#held.get(filePath)?.hold.dispose();
    this.#held.delete(filePath);
  }
}

/** Repeats a read once if the worker died before it answered. */
async function retryIfDied<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof WorkerError) || error.code !== 'worker-died') throw error;
    return read();
  }
}

/** The head of a conversation that could not be opened; `problem` is shown to the person. */
function emptyHead(filePath: string, view: ConversationView, problem: string): ConversationHead {
  return {
    ...unlistedSession(filePath),
    revision: 0,
    title: null,
    cwd: null,
    model: null,
    gitBranch: null,
    loads: 0,
    of: 0,
    findings: [],
    view,
    count: 0,
    branches: [],
    moreBranches: 0,
    fileSize: 0,
    replacements: 0,
    isLive: false,
    problem,
  };
}
