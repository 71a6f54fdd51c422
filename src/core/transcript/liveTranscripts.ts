import type { Clock, Pacer } from '../util/scheduling';
import { LiveTranscript, type OpenTranscript, type TranscriptChange } from './liveTranscript';
import type { ScannerFactory } from './scanner';
import type { TranscriptFiles } from './transcriptTail';

/** Looks that take longer, or subscribers that do, keep the other transcripts waiting for no longer than this. */
const SLOW_ROUND_MS = 1_000;

/**
 * Larger transcripts are not worth the memory of following them where a scan now and then will do: they are read again as a
 * whole. Whoever shows all of a transcript follows it whatever its size.
 */
export const MAX_FOLLOWED_BYTES = 128 * 1024 * 1024;
/** Sessions that run at the same time are few: of those that one subscriber follows, the ones it asked for last are kept. */
export const MAX_FOLLOWED = 8;

export interface LiveTranscriptsDeps {
  readonly createScanner: ScannerFactory;
  readonly pacer: Pacer;
  readonly clock: Clock;
  /** Milliseconds between two rounds of looks. */
  readonly pollMs: () => number;
  /** Nothing is begun any more. */
  readonly isClosing?: () => boolean;
  readonly files?: TranscriptFiles;
}

/**
 * Called after each look of the poller, also when nothing changed, and not before its last call has settled: `change` is
 * whatever happened since that call began. What it throws is passed over.
 */
export type ChangeListener = (change: TranscriptChange) => void | Promise<void>;

export interface LiveSubscription extends OpenTranscript {
  /** The transcript is looked at in each round as long as one of its subscribers listens. Null ends that. */
  listen(listener: ChangeListener | null): void;
}

/**
 * The transcripts that are open: each is followed once, however many subscribers it has, and one poller looks at all of them.
 * How many there are is bound by the subscribers: panels hold up to 16, the tasks one, the tree and the tokens `MAX_FOLLOWED`
 * each, of which none is larger than `MAX_FOLLOWED_BYTES`.
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

  /** Nothing is read before somebody refreshes the transcript or listens. `filePath` is absolute. */
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

  /** For good. */
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
    const file: FollowedFile = { transcript, subscriptions, isBeingLookedAt: false };
    if (!this.#isClosed) this.#open.set(filePath, file);
    return file;
  }

  /** Keeps a timer exactly as long as somebody listens. */
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
    const looks = this.#listened().map((file) => this.#look(file));
    let cancelLimit: () => void = () => undefined;
    const limit = new Promise<void>((resolve) => {
      cancelLimit = this.#deps.clock.after(SLOW_ROUND_MS, () => {
        cancelLimit = () => undefined;
        resolve();
      });
    });
    await Promise.race([Promise.all(looks), limit]);
    cancelLimit();
    this.#isInRound = false;
    this.#schedule();
  }

  async #look(file: FollowedFile): Promise<void> {
    if (file.isBeingLookedAt) return;
    file.isBeingLookedAt = true;
    await file.transcript.refresh();
    file.isBeingLookedAt = false;
    await Promise.all([...file.subscriptions].map((each) => each.tell()));
  }
}

interface FollowedFile {
  readonly transcript: LiveTranscript;
  readonly subscriptions: Set<Subscription>;
  isBeingLookedAt: boolean;
}

class Subscription implements LiveSubscription {
  readonly #on: { readonly listens: () => void; readonly closes: () => void };
  #listener: ChangeListener | null = null;
  #pending: TranscriptChange = 'unchanged';
  #isTelling = false;
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

  /** Of changes that were not told yet, the one that says most is kept: what is appended to another file is not news. */
  note(change: TranscriptChange): void {
    if (change !== 'appended' || this.#pending === 'unchanged') this.#pending = change;
  }

  /** Resolves when the listener is done; at once when it is still at work. */
  async tell(): Promise<void> {
    if (this.#listener === null || this.#isTelling) return;
    const change = this.#pending;
    this.#pending = 'unchanged';
    this.#isTelling = true;
    try {
      await this.#listener(change);
    } catch {
      // One subscriber's failure is not the others'.
    } finally {
      this.#isTelling = false;
    }
  }
}
