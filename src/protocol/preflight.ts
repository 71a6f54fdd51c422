import type { Finding } from './repair';

/** How long the API keeps what a request wrote to its prompt cache, counted from its last use. */
export type CacheLifetime = '5m' | '1h';

/** Why tokens of the next request cannot be read from the prompt cache, or why that is not known. */
export type PreflightCause =
  /** Claude has not replied yet: nothing is counted. */
  | { readonly code: 'no-reply' }
  /** Nothing was counted since the conversation was compacted. */
  | { readonly code: 'compacted' }
  /** The client that resumes sends other instructions and tools than the one that wrote the last reply. */
  | { readonly code: 'version-changed'; readonly from: string; readonly to: string }
  /** Each model has its own cache. */
  | { readonly code: 'model-changed'; readonly from: string; readonly to: string }
  /** The client does not know the model, or it has retired: the client may go on with its default, which depends on the account. */
  | { readonly code: 'model-unknown'; readonly model: string }
  /** The last request used no cache. */
  | { readonly code: 'not-cached' }
  /** All that was cached for this long, or the part of it that was, has expired. `ageMs`: since its last use. */
  | {
      readonly code: 'cache-expired';
      readonly lifetime: CacheLifetime;
      readonly ageMs: number;
      readonly isPartial: boolean;
    }
  /** It is not known when the last request was made. */
  | { readonly code: 'unknown-age' }
  /** It is not known for how long the last request was cached. */
  | { readonly code: 'unknown-lifetime'; readonly ageMs: number }
  /** A repair has changed the transcript since the last reply, so other messages may be sent. */
  | { readonly code: 'repaired' }
  /** Claude does not find what came before a break, which the last request may have held. */
  | { readonly code: 'history-lost' }
  /** Only the last reply and what was not cached with it: it is sent for the first time. */
  | { readonly code: 'last-reply' };

/** What `sent` is: the tokens as the last request counted them, or a limit of what is sent. */
export type PreflightBound = 'about' | 'at-most' | 'at-least';

/** What a resumed client starts again by itself. */
export interface Rearm {
  readonly kind: RearmKind;
  /** Id by which the client knows it. */
  readonly id: string;
  /** The beginning of its prompt, on one line. */
  readonly what: string;
  /** When it runs, in the client's words or as a cron expression. */
  readonly when: string;
}

/** `loop`: a prompt that is repeated. `once`: a prompt for later. */
export type RearmKind = 'loop' | 'once';

/** What resuming a session means, and what only a close look at the session finds. */
export interface JudgedPreflight {
  readonly preflight: Preflight;
  /** What a list of sessions is not looked through for, such as what the API would refuse, if something can be done about it. */
  readonly findings: readonly Finding[];
}

/** What resuming a session means. Estimated from the last reply: no request is made. */
export interface Preflight {
  readonly sessionId: string;
  readonly filePath: string;
  /** The client that resumes, such as `2.1.330`. */
  readonly client: string;
  /** Messages that Claude remembers, of all messages, and whether it remembers a summary in place of earlier ones. */
  readonly messages: { readonly loads: number; readonly of: number; readonly hasSummary: boolean };
  readonly tokens: {
    /** Tokens of the next request without its prompt; null if unknown. */
    readonly sent: number | null;
    readonly bound: PreflightBound;
    /** Those of `sent` that are not read from the prompt cache; null if unknown. */
    readonly uncached: number | null;
  };
  /** The most important one first. Empty if nothing is remembered. */
  readonly causes: readonly PreflightCause[];
  /** US dollars by the price list, for `tokens`; null if unknown. */
  readonly costUsd: number | null;
  /** The model whose prices and cache count; null if unknown, as where the client may go on with another one. */
  readonly model: string | null;
  /** What the client starts again by itself. */
  readonly rearms: readonly Rearm[];
  /** When a part of the cache expires, so that another answer is true from then on. Milliseconds since the epoch; null for never. */
  readonly changesAtMs: number | null;
}
