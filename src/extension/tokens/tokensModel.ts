import * as v from 'valibot';
import type { SessionSummary } from '../../protocol/channels/sessions';
import {
  type TokensNavigation,
  type TokensSession,
  type TokensSnapshot,
  tokensViewSchemas,
} from '../../protocol/channels/tokensView';
import type { UsageView } from '../../protocol/channels/usage';
import type { ProjectSpending, SessionUsage, UsageOverview } from '../../protocol/usage';
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
  readonly labelOf: (project: ProjectSpending) => string;
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

/** The content of the Tokens view. The worker counts only while the view is visible. */
export class TokensModel extends Disposable {
  readonly #deps: TokensModelDeps;
  readonly #changed = this._register(new Emitter<TokensSnapshot>());
  #settings: TokensSettings;
  #isWatching = false;
  /** Number of the latest watch request. */
  #watch = 0;
  #overview: UsageOverview | null = null;
  /** Latest revision received from the worker since the last request; each worker counts from the beginning. */
  #receivedRevision = 0;
  #problem: string | null = null;
  #revision = 0;
  #session: TokensSession | null = null;
  #sessionRequests = 0;
  #isCountingSession = false;
  #timer: NodeJS.Timeout | undefined;

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
        this.setWatching(false);
      },
    });
  }

  get snapshot(): TokensSnapshot {
    const { labelOf, texts } = this.#deps;
    const { invalidPrices } = this.#settings;
    return {
      revision: this.#revision,
      session: this.#session,
      overview: this.#overview === null ? null : limitOverview(this.#overview, labelOf),
      problem: this.#problem,
      priceProblem: invalidPrices.length === 0 ? null : texts.invalidPrices(invalidPrices),
    };
  }

  /** Called when the view becomes visible or hidden. */
  setWatching(isWatching: boolean): void {
    if (this.#isWatching === isWatching) return;
    this.#isWatching = isWatching;
    clearInterval(this.#timer);
    if (isWatching) {
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
    if (!this.#isWatching) return;
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
    void this.#countSession();
  }

  /** Called when rows were appended to a session's transcript. */
  sessionGrew(filePath: string): void {
    if (this.#isWatching && this.#session?.filePath === filePath) void this.#countSession();
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
    void this.#countSession();
  }

  /** One request at a time; changes in the meantime are requested after it. */
  async #countSession(): Promise<void> {
    this.#sessionRequests++;
    if (this.#isCountingSession) return;
    this.#isCountingSession = true;
    for (let answered = 0; answered !== this.#sessionRequests && this.#isWatching;) {
      answered = this.#sessionRequests;
      await this.#countShown();
    }
    this.#isCountingSession = false;
  }

  async #countShown(): Promise<void> {
    const { client, describe, texts } = this.#deps;
    const filePath = this.#session?.filePath;
    const { view } = this.#settings;
    if (filePath === undefined || view === null) return;
    let change: Pick<TokensSession, 'usage' | 'problem'>;
    try {
      const usage = await client.usage.sessionUsage(filePath, view);
      change = { usage, problem: usage === null ? texts.gone() : null };
    } catch (error) {
      if (isWorkerDeath(error)) return;
      change = { usage: null, problem: describe(error) };
    }
    if (this.isDisposed || this.#session === null) return;
    if (this.#session.filePath !== filePath) {
      this.#sessionRequests++;
      return;
    }
    if (isSame(change.usage, this.#session.usage) && change.problem === this.#session.problem) return;
    this.#session = { ...this.#session, ...change };
    this.#notify();
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
    this.#changed.fire(this.snapshot);
  }
}

function isSame(one: SessionUsage | null, other: SessionUsage | null): boolean {
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
