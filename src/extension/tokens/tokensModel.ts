import * as v from 'valibot';
import type { SessionSummary } from '../../protocol/channels/sessions';
import {
  type TokensNavigation,
  type TokensPlace,
  type TokensResume,
  type TokensSession,
  type TokensSnapshot,
  type TokensTools,
  tokensViewSchemas,
} from '../../protocol/channels/tokensView';
import type { UsageView } from '../../protocol/channels/usage';
import type { ProjectSpending, SessionResume, SessionUsage, UsageOverview } from '../../protocol/usage';
import { Disposable, Emitter } from '../lifetime';
import type { WorkerClient } from '../rpc/workerClient';
import { isWorkerDeath } from '../rpc/workerError';
import { limitOverview } from './limitOverview';

/** What is known about a session without reading its transcript. */
export type ShownSession = Pick<SessionSummary, 'path'> & Pick<TokensSession, 'title' | 'isRunning'>;

/** The settings that the figures depend on. */
export interface TokensSettings {
  /** Null if the settings name no usable config folder. */
  readonly view: UsageView | null;
  /** Invalid prices in the settings. */
  readonly invalidPrices: readonly string[];
}

export interface TokensModelDeps {
  readonly client: Pick<WorkerClient, 'usage' | 'onRestarted' | 'onGaveUp'>;
  readonly readSettings: () => TokensSettings;
  /** The current session; null if there is none. */
  readonly shownSession: () => ShownSession | null;
  /** Whether the list of sessions has one. */
  readonly hasSessions: () => boolean;
  readonly labelOf: (project: ProjectSpending) => string;
  /** Adds what the list of sessions knows. */
  readonly describeResume: (resume: SessionResume) => TokensResume;
  readonly describe: (error: unknown) => string;
  readonly texts: {
    readonly gaveUp: () => string;
    readonly noFolder: () => string;
    readonly gone: () => string;
    readonly invalidPrices: (invalid: readonly string[]) => string;
  };
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** How often to check whether a day has ended. */
const DAY_CHECK_MS = 30_000;

/**
 * The content of the Tokens view and of the page beside it. The worker counts only while one of them is visible, and the
 * session is counted only for the view.
 */
export class TokensModel extends Disposable {
  readonly #deps: TokensModelDeps;
  readonly #changed = this._register(new Emitter<void>());
  #settings: TokensSettings;
  /** The visible places. */
  readonly #visible = new Set<TokensPlace>();
  /** Number of the latest watch request. */
  #watch = 0;
  #overview: UsageOverview | null = null;
  /** Latest revision received from the worker since the last request; each worker counts from the beginning. */
  #receivedRevision = 0;
  #problem: string | null = null;
  #revision = 0;
  #session: TokensSession | null = null;
  readonly #sessionRequests = new Requests(
    () => this.#visible.has('view'),
    () => this.#countSession(),
  );
  #resumes: readonly SessionResume[] | null = null;
  readonly #resumeRequests = new Requests(
    () => this.#isPageReady,
    () => this.#listResumes(),
  );
  #tools: TokensTools = { kind: 'waiting' };
  readonly #toolRequests = new Requests(
    () => this.#isPageReady,
    () => this.#countTools(),
  );
  #timer: NodeJS.Timeout | undefined;
  #hasSessions = false;

  readonly onChange = this.#changed.event;

  constructor(deps: TokensModelDeps) {
    super();
    this.#deps = deps;
    this.#settings = deps.readSettings();
    const { client } = deps;
    this._register(
      client.usage.onUsageChanged((overview) => {
        if (this.#isWatching) this.#take(overview);
      }),
    );
    this._register(
      client.onRestarted(() => {
        if (this.#isWatching) void this.#startWatch();
      }),
    );
    this._register(
      client.onGaveUp(() => {
        if (this.#isWatching) this.#fail(deps.texts.gaveUp());
      }),
    );
    this._register({
      dispose: () => {
        for (const place of this.#visible) this.setWatching(place, false);
      },
    });
  }

  get #isWatching(): boolean {
    return this.#visible.size > 0;
  }

  snapshotFor(place: TokensPlace): TokensSnapshot {
    const { describeResume, labelOf, texts } = this.#deps;
    const { invalidPrices } = this.#settings;
    return {
      revision: this.#revision,
      session: place === 'view' ? this.#session : null,
      overview:
        this.#overview === null
          ? null
          : limitOverview(this.#overview, place, labelOf, {
              resumes: this.#resumes?.map(describeResume) ?? null,
              tools: this.#tools,
            }),
      hasSessions: this.#hasSessions,
      problem: this.#problem,
      priceProblem: invalidPrices.length === 0 ? null : texts.invalidPrices(invalidPrices),
    };
  }

  /** Called when a place becomes visible or hidden. */
  setWatching(place: TokensPlace, isVisible: boolean): void {
    if (this.#visible.has(place) === isVisible) return;
    const before = this.#visible.size;
    this.#hasSessions = this.#deps.hasSessions();
    if (isVisible) this.#visible.add(place);
    else this.#visible.delete(place);
    if (before > 0 && this.#visible.size > 0) {
      // The worker counts already for the other place, but the session may have changed meanwhile.
      this.sessionMoved();
      this.#sessionRequests.ask();
      this.#resumeRequests.ask();
      this.#toolRequests.ask();
      return;
    }
    clearInterval(this.#timer);
    if (isVisible) {
      this.#timer = setInterval(() => {
        this.#checkDay();
      }, DAY_CHECK_MS);
      void this.#startWatch();
      return;
    }
    this.#watch++;
    // If the worker thread is gone, it counts nothing.
    this.#deps.client.usage.watchUsage(null).catch(() => undefined);
  }

  /** Called when settings changed, or the person wants to try again. */
  reconfigure(): void {
    this.#settings = this.#deps.readSettings();
    if (this.#isWatching) void this.#startWatch();
  }

  /** Called when the current session, or the information about it, may have changed. */
  sessionMoved(): void {
    if (!this.#visible.has('view')) return;
    const shown = this.#deps.shownSession();
    const before = this.#session;
    if (shown === null) {
      this.#session = null;
      if (before !== null) this.#notify();
      return;
    }
    if (before?.filePath === shown.path) {
      const { title, isRunning } = shown;
      if (before.title === title && before.isRunning === isRunning) return;
      this.#session = { ...before, title, isRunning };
      this.#notify();
      return;
    }
    const { path: filePath, title, isRunning } = shown;
    this.#session = { filePath, title, isRunning, usage: null, problem: null };
    this.#notify();
    this.#sessionRequests.ask();
  }

  /** Called when the list of sessions has changed. */
  listChanged(): void {
    if (!this.#isWatching) return;
    const hasSessions = this.#deps.hasSessions();
    if (hasSessions !== this.#hasSessions) {
      this.#hasSessions = hasSessions;
      this.#notify();
    }
    this.sessionMoved();
  }

  /** Called when rows were appended to a session's transcript. */
  sessionGrew(filePath: string): void {
    if (this.#session?.filePath === filePath) this.#sessionRequests.ask();
  }

  async #startWatch(): Promise<void> {
    const { client, texts, describe } = this.#deps;
    const { view } = this.#settings;
    const watch = ++this.#watch;
    if (view === null) {
      this.#overview = null;
      this.#session = null;
      this.#fail(texts.noFolder());
      return;
    }
    this.#receivedRevision = 0;
    const watched = client.usage.watchUsage(view);
    this.sessionMoved();
    try {
      const overview = await watched;
      if (watch !== this.#watch || this.isDisposed) return;
      // A newer change event may have arrived before this answer.
      if (overview !== null && overview.revision >= this.#receivedRevision) this.#take(overview);
      else this.#notify();
    } catch (error) {
      // If the worker died, the request is repeated as soon as the next worker runs.
      if (watch === this.#watch && !this.isDisposed && !isWorkerDeath(error)) this.#fail(describe(error));
    }
  }

  #take(overview: UsageOverview): void {
    this.#overview = overview;
    this.#receivedRevision = overview.revision;
    this.#problem = null;
    this.#notify();
    this.#sessionRequests.ask();
    this.#resumeRequests.ask();
    this.#toolRequests.ask();
  }

  async #listResumes(): Promise<Asked> {
    const { view } = this.#settings;
    if (view === null) return 'failed';
    try {
      const resumes = await this.#deps.client.usage.resumeCosts(view);
      if (this.isDisposed) return 'failed';
      if (isSame(resumes, this.#resumes)) return 'answered';
      this.#resumes = resumes;
      this.#notify();
      return 'answered';
    } catch {
      // The list before stays. If the worker died, its next overview asks again.
      return 'failed';
    }
  }

  /** The worker reads transcripts only while it is asked to, so it stops as soon as the page is hidden. */
  async #countTools(): Promise<Asked> {
    const { view } = this.#settings;
    if (view === null) return 'failed';
    let tools: TokensTools;
    try {
      tools = { kind: 'counted', ...(await this.#deps.client.usage.toolUsage(view)) };
    } catch (error) {
      // The figures before stay. If the worker died, its next overview asks again.
      if (isWorkerDeath(error) || this.#tools.kind === 'counted') return 'failed';
      tools = { kind: 'failed', problem: this.#deps.describe(error) };
    }
    if (this.isDisposed) return 'failed';
    if (!isSame(tools, this.#tools)) {
      this.#tools = tools;
      this.#notify();
    }
    return tools.kind === 'counted' && tools.files.waiting > 0 ? 'unfinished' : 'answered';
  }

  /** Whatever is asked for the page waits for the tokens: while transcripts are still being counted, each would change the answer. */
  get #isPageReady(): boolean {
    return this.#visible.has('page') && this.#areTokensCounted;
  }

  get #areTokensCounted(): boolean {
    return this.#overview !== null && this.#overview.files.waiting === 0 && this.#overview.files.isListing !== true;
  }

  async #countSession(): Promise<Asked> {
    const { client, describe, texts } = this.#deps;
    const filePath = this.#session?.filePath;
    const { view } = this.#settings;
    if (filePath === undefined || view === null) return 'answered';
    let change: Pick<TokensSession, 'usage' | 'problem'>;
    try {
      const usage = await client.usage.sessionUsage(filePath, view);
      change = { usage, problem: usage === null ? texts.gone() : null };
    } catch (error) {
      if (isWorkerDeath(error)) return 'answered';
      change = { usage: null, problem: describe(error) };
    }
    if (this.isDisposed || this.#session === null) return 'answered';
    if (this.#session.filePath !== filePath) return 'unfinished';
    if (isSame(change.usage, this.#session.usage) && change.problem === this.#session.problem) return 'answered';
    this.#session = { ...this.#session, ...change };
    this.#notify();
    return 'answered';
  }

  #checkDay(): void {
    const last = this.#overview?.days.at(-1)?.day;
    const { view } = this.#settings;
    if (last === undefined || view === null) return;
    if (todayIn(view.timeZone, this.#deps.now()) !== last) void this.#startWatch();
  }

  #fail(problem: string): void {
    this.#problem = problem;
    this.#notify();
  }

  #notify(): void {
    this.#revision++;
    this.#changed.fire();
  }
}

/** How a request ended; `unfinished`: to be made again at once. */
type Asked = 'answered' | 'unfinished' | 'failed';

/** One request at a time; what is asked for in the meantime is requested after it. */
class Requests {
  #asked = 0;
  #isRunning = false;

  constructor(
    private readonly isWanted: () => boolean,
    private readonly request: () => Promise<Asked>,
  ) {}

  ask(): void {
    if (this.isWanted()) void this.#run();
  }

  async #run(): Promise<void> {
    this.#asked++;
    if (this.#isRunning) return;
    this.#isRunning = true;
    let [answered, end]: [number, Asked] = [0, 'answered'];
    while (end !== 'failed' && (end === 'unfinished' || answered !== this.#asked) && this.isWanted()) {
      answered = this.#asked;
      end = await this.request();
    }
    this.#isRunning = false;
  }
}

function isSame<T extends SessionUsage | TokensTools | readonly SessionResume[]>(
  one: T | null,
  other: T | null,
): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The calendar day in a time zone, `YYYY-MM-DD`. */
export function todayIn(timeZone: string, nowMs: number): string {
  const options = { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const parts = new Intl.DateTimeFormat('en-CA-u-ca-gregory-nu-latn', options).formatToParts(nowMs);
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.find((each) => each.type === type)?.value ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
}

const FIRST: TokensNavigation = { range: 'week', measure: 'cost', tables: [] };

/** The initial state of the view: as the person left it, if VS Code kept that. */
export function readTokensNavigation(state: unknown): TokensNavigation {
  const kept = v.safeParse(tokensViewSchemas.NAVIGATION, state);
  return kept.success ? kept.output : FIRST;
}
