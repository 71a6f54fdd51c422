import type { Clock, Pacer } from '../util/scheduling';
import { LiveTranscript, type OpenTranscript, type TranscriptChange } from './liveTranscript';
import type { ScannerFactory } from './scanner';
import type { TranscriptFiles } from './transcriptTail';

/** Refreshes or listeners that take longer than this no longer delay the next round for the other transcripts. */
const SLOW_ROUND_MS = 1_000;

/**
 * Larger transcripts are scanned again as a whole by features that need them only occasionally, because following them costs too
 * much memory. Features that show all of a transcript follow it regardless of its size.
 */
export const MAX_FOLLOWED_BYTES = 128 * 1024 * 1024;
/** Few sessions run at the same time, so one subscriber follows at most this many: the ones that it requested last. */
export const MAX_FOLLOWED = 8;

export interface LiveTranscriptsDeps {
  readonly createScanner: ScannerFactory;
  readonly pacer: Pacer;
  readonly clock: Clock;
  /** Milliseconds between two polling rounds. */
  readonly pollMs: () => number;
  /** While this returns true, no round is started. */
  readonly isClosing?: () => boolean;
  readonly files?: TranscriptFiles;
}

/**
 * Called after each refresh by the poller, even if nothing changed, but never before its previous call has settled: `change`
 * covers everything since that call began. Errors from the listener are ignored.
 */
export type ChangeListener = (change: TranscriptChange) => void | Promise<void>;

export interface LiveSubscription extends OpenTranscript {
  /** The transcript is refreshed in each round while one of its subscribers has a listener. Null removes the listener. */
  listen(listener: ChangeListener | null): void;
}

/**
 * The open transcripts. Each is followed once, however many subscribers it has, and one poller refreshes them all. The
 * subscribers limit their number: panels hold up to 16, the tasks one, and the sessions view and the usage index
 * `MAX_FOLLOWED` each, none of them larger than `MAX_FOLLOWED_BYTES`.
 */
export class LiveTranscripts {
  readonly #deps: LiveTranscriptsDeps;
  readonly #open = new Map<string, FollowedFile>();
  #cancelTimer: (() => void) | null = null;
  #isInRound = false;
  #isClosed = false;

  constructor(deps: LiveTranscriptsDeps) {
    this.#deps = deps;
  }

  /** Nothing is read until a caller refreshes the transcript or listens. `filePath` is absolute. */
  open(filePath: string): LiveSubscription {
    const file = this.#open.get(filePath) ?? this.#follow(filePath);
    const subscription = new Subscription(file.transcript, {
      listens: () => {
        this.#schedule();
      },
      closes: () => {
        file.subscriptions.delete(subscription);
        if (file.subscriptions.size === 0) {
          file.transcript.close();
          if (this.#open.get(filePath) === file) this.#open.delete(filePath);
        }
        this.#schedule();
      },
    });
    if (this.#isClosed) subscription.close();
    else file.subscriptions.add(subscription);
    return subscription;
  }

  /** Closes permanently. */
  close(): void {
    this.#isClosed = true;
    for (const { subscriptions } of [...this.#open.values()]) for (const each of [...subscriptions]) each.close();
    this.#schedule();
  }

  #follow(filePath: string): FollowedFile {
    const subscriptions = new Set<Subscription>();
    const { createScanner, pacer, files } = this.#deps;
    const transcript = new LiveTranscript({
      filePath,
      createScanner,
      pacer,
      ...(files === undefined ? {} : { files }),
      withUsage: true,
      onChange: (change) => {
        for (const each of subscriptions) each.note(change);
      },
    });
    const file: FollowedFile = { transcript, subscriptions, isRefreshing: false };
    if (!this.#isClosed) this.#open.set(filePath, file);
    return file;
  }

  /** A timer runs only while there is a listener. */
  #schedule(): void {
    const isWanted = !this.#isClosed && this.#deps.isClosing?.() !== true && this.#listened().length > 0;
    if (!isWanted) {
      this.#cancelTimer?.();
      this.#cancelTimer = null;
    } else if (!this.#isInRound) {
      this.#cancelTimer ??= this.#deps.clock.after(this.#deps.pollMs(), () => {
        this.#cancelTimer = null;
        void this.#round();
      });
    }
  }

  #listened(): FollowedFile[] {
    return [...this.#open.values()].filter(({ subscriptions }) => [...subscriptions].some((each) => each.isListening));
  }

  async #round(): Promise<void> {
    if (this.#deps.isClosing?.() === true) return;
    this.#isInRound = true;
    const refreshes = this.#listened().map((file) => this.#refreshFile(file));
    let cancelLimit: () => void = () => undefined;
    const limit = new Promise<void>((resolve) => {
      cancelLimit = this.#deps.clock.after(SLOW_ROUND_MS, () => {
        cancelLimit = () => undefined;
        resolve();
      });
    });
    await Promise.race([Promise.all(refreshes), limit]);
    cancelLimit();
    this.#isInRound = false;
    this.#schedule();
  }

  async #refreshFile(file: FollowedFile): Promise<void> {
    if (file.isRefreshing) return;
    file.isRefreshing = true;
    await file.transcript.refresh();
    file.isRefreshing = false;
    await Promise.all([...file.subscriptions].map((each) => each.notify()));
  }
}

interface FollowedFile {
  readonly transcript: LiveTranscript;
  readonly subscriptions: Set<Subscription>;
  isRefreshing: boolean;
}

class Subscription implements LiveSubscription {
  readonly #on: { readonly listens: () => void; readonly closes: () => void };
  #listener: ChangeListener | null = null;
  #pending: TranscriptChange = 'unchanged';
  #isNotifying = false;
  #isClosed = false;

  constructor(
    readonly transcript: LiveTranscript,
    on: { readonly listens: () => void; readonly closes: () => void },
  ) {
    this.#on = on;
  }

  get isListening(): boolean {
    return this.#listener !== null;
  }

  listen(listener: ChangeListener | null): void {
    if (this.#isClosed) return;
    this.#listener = listener;
    this.#on.listens();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#listener = null;
    this.#on.closes();
  }

  /** Combines the changes that the listener has not received: 'appended' never overrides a more significant change. */
  note(change: TranscriptChange): void {
    if (change !== 'appended' || this.#pending === 'unchanged') this.#pending = change;
  }

  /** Resolves when the listener is done; immediately if an earlier call is still running. */
  async notify(): Promise<void> {
    if (this.#listener === null || this.#isNotifying) return;
    const change = this.#pending;
    this.#pending = 'unchanged';
    this.#isNotifying = true;
    try {
      await this.#listener(change);
    } catch {
      // A failing subscriber must not affect the others.
    } finally {
      this.#isNotifying = false;
    }
  }
}
