import type { LengthRefusal, MessageWeight } from '../format/contextFacts';
import { type ContextWindow, contextWindow, namesLargeWindow, resumableModel } from '../format/contextWindow';
import { SYNTHETIC_MODEL } from '../format/rowTypes';
import { NO_ID } from '../../../transcript/idTable';
import { isOwnReply, RowFlag, RowKind } from '../../../transcript/rowFlags';
import type { RowTable } from '../../../transcript/rowTable';
import type { TranscriptIndex } from '../../../transcript/transcriptIndex';
import type { LoaderRules } from './rules';

/** What a resume loads, as far as its size is concerned. */
export interface LoadedHistory {
  readonly index: TranscriptIndex;
  readonly rules: LoaderRules;
  /** Its rows, oldest first. */
  readonly history: ArrayLike<number>;
  /** Whether the content of a row reaches the request. */
  isKept(row: number): boolean;
}

/** What the client does with a history because of its size. (docs/format.md, "Full context") */
export type ContextPressure =
  /** It compacts before it sends. If automatic compaction is off, it sends the history. */
  | 'compacts'
  /** It compacts before it sends. If automatic compaction is off, it refuses the prompt. */
  | 'compacts-or-refuses'
  /** It sends the history, which the API refuses, and then compacts. If automatic compaction is off, it refuses the prompt. */
  | 'exceeds';

/** How far a history fills the context window. */
export interface FullContext {
  /** The client's estimate of the history in tokens, or the API's count if it refused the history; null if unknown. */
  readonly tokens: number | null;
  /** The API counted the tokens. */
  readonly isCounted: boolean;
  /** Tokens of the window; null if unknown. */
  readonly window: number | null;
  readonly model: string | null;
  /** Null if the history is sent, or nothing is known of the window. */
  readonly pressure: ContextPressure | null;
  /** The row of the last attempt, if it was refused because the history is too long. */
  readonly refusal: number | null;
  /** The newest row that ends a turn in which the history was still sent; `NO_ID` if there is none. */
  readonly lastFit: number;
}

/** Tokens below the window from which on the client compacts before it sends. */
const COMPACTS_BELOW = 33_000;
/** The same for the refusal of the prompt if automatic compaction is off. */
const REFUSES_BELOW = 23_000;
/** What the client adds to the history and the prompt itself, at least: 1,660 is the smallest number seen. */
const OWN_TOKENS = 1_600;
/** Tokens below the window at which there is surely room for a prompt. */
const ROOM_BELOW = 36_000;
const MEDIA_TOKENS = 2_000;
const NO_WEIGHT: MessageWeight = { characters: 0, media: 0 };
/** A text is never estimated at more than a token for this many of its bytes. */
const BYTES_PER_TOKEN = 3;
/** For a few pictures that have fewer bytes than their tokens would need. */
const SMALL_MEDIA_TOKENS = 10_000;
/** The smallest threshold of any model. */
const SMALLEST_LIMIT = 200_000 - COMPACTS_BELOW - OWN_TOKENS;

/** Null if the client sends the history as it is, as far as can be told, and its last attempt was not refused. */
export function findFullContext(loaded: LoadedHistory): FullContext | null {
  if (!needsWeights(loaded.index)) return null;
  const end = new HistoryEnd(loaded);
  const { refusal } = end;
  const window = end.window();
  const tokens = window === null ? null : end.estimate(window, refusal === null ? limitOf(window) : 0);
  const pressure = tokens === null || window === null ? null : pressureOf(tokens, window, end);
  if (pressure === null && refusal === null) return null;
  const counted = refusal?.facts.counted ?? null;
  const size = counted?.allowed ?? window?.tokens ?? null;
  return {
    tokens: counted?.tokens ?? tokens,
    isCounted: counted !== null,
    window: size,
    model: end.model,
    pressure,
    refusal: refusal?.row ?? null,
    lastFit: size === null ? NO_ID : end.lastFit(size - ROOM_BELOW),
  };
}

/** The fewest tokens of a history that the client may not send. */
function limitOf({ compactsFirst, tokens }: ContextWindow): number {
  return compactsFirst ? tokens - COMPACTS_BELOW - OWN_TOKENS : tokens;
}

function pressureOf(tokens: number, window: ContextWindow, end: HistoryEnd): ContextPressure | null {
  if (!window.compactsFirst) return tokens > window.tokens ? 'exceeds' : null;
  const left = window.tokens - tokens - OWN_TOKENS;
  if (left <= REFUSES_BELOW) return 'compacts-or-refuses';
  return left <= COMPACTS_BELOW && end.hasTwoReplies() ? 'compacts' : null;
}

/**
 * Whether a transcript may have a full context, without loading it: its highest count of tokens, and what the rows that no
 * count covers may add, reach the smallest limit of the models that it names.
 */
export function mayBeFull(index: TranscriptIndex): boolean {
  if (mostByTheSize(index) < SMALLEST_LIMIT) return false;
  const most = mostCounted(index) + uncountedTokens(index);
  if (most < SMALLEST_LIMIT) return false;
  return index.rows.models.some((model) => {
    const window = contextWindow(model, null);
    return window !== null && most >= limitOf(window);
  });
}

/** More than the rows can give, as far as that can be told without looking at each. */
function mostByTheSize({ rows, fileSize }: TranscriptIndex): number {
  const from = rows.counted < 0 ? 0 : rows.offset(rows.counted);
  return rows.mostTokens + (fileSize - from) / BYTES_PER_TOKEN + SMALL_MEDIA_TOKENS;
}

/**
 * The client starts its estimate from at most so many counted tokens. In a straight transcript, they are those of the newest message
 * that has any.
 */
function mostCounted({ rows, straight }: TranscriptIndex): number {
  if (straight === null) return rows.mostTokens;
  let most = 0;
  for (let row = rows.counted; row >= straight.root && row < rows.count; row++) {
    const tokens = rows.contextTokens(row);
    // The client passes over such counts.
    if (tokens > 0 && rows.model(row) === SYNTHETIC_MODEL) return rows.mostTokens;
    most = Math.max(most, tokens);
  }
  return most;
}

/** Whether rows have to be weighed to tell how full the context is. */
export function needsWeights(index: TranscriptIndex): boolean {
  return index.refusals.size > 0 || mayBeFull(index);
}

/** What the client may estimate at most for the rows that no count covers. */
function uncountedTokens(index: TranscriptIndex): number {
  const { rows } = index;
  let bytes = 0;
  for (let row = rows.counted + 1; row < rows.count; row++) if (isWeighed(rows, row)) bytes += bytesOf(index, row);
  return bytes === 0 ? 0 : bytes / BYTES_PER_TOKEN + SMALL_MEDIA_TOKENS;
}

/** Other rows, such as attachments, add nothing to the client's estimate. */
function isWeighed(rows: RowTable, row: number): boolean {
  const kind = rows.kind(row);
  return kind === RowKind.user || kind === RowKind.assistant;
}

/** Bytes of a row, and of the lines after it that hold none. */
function bytesOf({ rows, fileSize }: TranscriptIndex, row: number): number {
  return rows.offsetAfter(row, fileSize) - rows.offset(row);
}

/** The rows of a history from the newest on which the client counts, or its last compaction. */
class HistoryEnd {
  readonly #loaded: LoadedHistory;
  /** Row of the last compaction. What is before it in the file has no counts for the client. */
  readonly #boundary: number;
  /** The model of the newest reply; null if there is none. */
  readonly model: string | null;
  /** The last attempt, if it was refused because the history is too long. */
  readonly refusal: { readonly row: number; readonly facts: LengthRefusal } | null;
  /** Position of the newest reply that counts tokens, or -1. */
  readonly #counted: number;
  /** Position of the first row of its message, or of the compaction. */
  readonly #anchor: number;

  constructor(loaded: LoadedHistory) {
    this.#loaded = loaded;
    const { index, history } = loaded;
    const { rows } = index;
    this.#boundary = index.boundaries.at(-1)?.row ?? NO_ID;
    let model: string | null = null;
    let refusal: HistoryEnd['refusal'] = null;
    let isLast = true;
    let counted = -1;
    let at = history.length - 1;
    for (; at >= 0; at--) {
      const row = history[at] ?? 0;
      if (rows.has(row, RowFlag.compactBoundary)) break;
      if (rows.kind(row) !== RowKind.assistant) continue;
      // The client's own reply to a prompt without one is no attempt.
      if (isLast && !isOwnReply(rows.flags(row))) {
        const facts = row > this.#boundary ? index.refusals.get(row) : undefined;
        if (facts !== undefined) refusal = { row, facts };
        isLast = false;
      }
      const named = rows.model(row);
      if (named === SYNTHETIC_MODEL) continue;
      model ??= named;
      if (counted < 0 && this.#tokensOf(row) > 0) counted = at;
      if (counted >= 0 && model !== null) break;
    }
    this.model = model;
    this.refusal = refusal;
    this.#counted = counted;
    this.#anchor = counted < 0 ? at : this.#firstOfMessage(counted);
  }

  /**
   * The client's estimate of the history; null if it is below `limit`. Rows are weighed until the sizes of the others tell, the
   * largest first, so that few have to be parsed.
   */
  estimate({ charactersPerToken }: ContextWindow, limit: number): number | null {
    const { index, history } = this.#loaded;
    if (this.#countedTokens + uncountedTokens(index) < limit) return null;
    const rows: { readonly row: number; readonly most: number }[] = [];
    for (let at = this.#anchor + 1; at < history.length; at++) {
      const row = history[at] ?? 0;
      if (!isWeighed(index.rows, row) || !this.#loaded.isKept(row)) continue;
      rows.push({ row, most: this.#mostTokensOf(row, charactersPerToken) });
    }
    rows.sort((a, b) => a.most - b.most);
    /** At most this many tokens are in the rows up to each one. */
    let sum = 0;
    const mostUpTo = rows.map(({ most }) => (sum += most));
    let tokens = this.#countedTokens;
    for (let at = rows.length - 1; at >= 0; at--) {
      if (tokens + (mostUpTo[at] ?? 0) < limit) return null;
      const { characters, media } = index.uncounted?.weightOf(rows[at]?.row ?? NO_ID) ?? NO_WEIGHT;
      tokens += Math.round(characters / charactersPerToken) + media * MEDIA_TOKENS;
    }
    return tokens;
  }

  /** An upper bound of a row's tokens by its size. */
  #mostTokensOf(row: number, charactersPerToken: number): number {
    const { index } = this.#loaded;
    if (index.uncounted?.mayHoldMedia(row) === true) return Infinity;
    return Math.ceil(bytesOf(index, row) / charactersPerToken);
  }

  /** Whether there are two replies since the last compaction. The client has nothing to compact before that. */
  hasTwoReplies(): boolean {
    const { index, history } = this.#loaded;
    const { rows } = index;
    let last: number | null = null;
    for (let at = history.length - 1; at >= 0; at--) {
      const row = history[at] ?? 0;
      if (rows.has(row, RowFlag.compactBoundary)) return false;
      if (rows.kind(row) !== RowKind.assistant) continue;
      const message = rows.message(row);
      if (last !== null && (message === NO_ID || message !== last)) return true;
      last = message;
    }
    return false;
  }

  /** The window of the model with which a resume continues; null if unknown. */
  window(): ContextWindow | null {
    if (this.model === null || resumableModel(this.model, this.#loaded.rules.retiredModels) === null) return null;
    return contextWindow(this.model, this.#announced());
  }

  /** The newest row that ends a turn after which the context had at most so many tokens, or `NO_ID`. */
  lastFit(most: number): number {
    const { index, history } = this.#loaded;
    const { rows } = index;
    for (let at = history.length - 1; at >= 0; at--) {
      const row = history[at] ?? 0;
      if (rows.has(row, RowFlag.compactBoundary)) break;
      const tokens = this.#tokensOf(row);
      const isReply = rows.has(row, RowFlag.hasText) && !rows.has(row, RowFlag.hasToolUse | RowFlag.apiError);
      if (isReply && tokens > 0 && tokens <= most) {
        const next = this.#nextMessage(at);
        if (next === NO_ID || !rows.has(next, RowFlag.hasToolResult)) return row;
      }
    }
    return NO_ID;
  }

  get #countedTokens(): number {
    return this.#counted < 0 ? 0 : this.#tokensOf(this.#loaded.history[this.#counted] ?? 0);
  }

  /** Tokens as the client sees them: the counts of replies that a compaction kept are no longer those of the context. */
  #tokensOf(row: number): number {
    return row > this.#boundary ? this.#loaded.index.rows.contextTokens(row) : 0;
  }

  #firstOfMessage(from: number): number {
    const { index, history } = this.#loaded;
    const { rows } = index;
    const message = rows.message(history[from] ?? 0);
    let first = from;
    for (let at = from - 1; message !== NO_ID && at >= 0; at--) {
      const row = history[at] ?? 0;
      if (rows.has(row, RowFlag.compactBoundary)) break;
      const other = rows.message(row);
      if (other === message) first = at;
      else if (other !== NO_ID) break;
    }
    return first;
  }

  /** The user or assistant row after a position that is of another message, or `NO_ID`. */
  #nextMessage(from: number): number {
    const { index, history } = this.#loaded;
    const { rows } = index;
    const message = rows.message(history[from] ?? 0);
    for (let at = from + 1; at < history.length; at++) {
      const row = history[at] ?? 0;
      const kind = rows.kind(row);
      if (kind === RowKind.user || (kind === RowKind.assistant && rows.message(row) !== message)) return row;
    }
    return NO_ID;
  }

  /** The name under which the session uses its model, from the newest attachment that says so. */
  #announced(): string | null {
    const { index, history } = this.#loaded;
    // Other names say nothing that the model of the replies does not.
    if (!index.rows.models.some(namesLargeWindow)) return null;
    for (let at = history.length - 1; at >= 0; at--) {
      const row = history[at] ?? 0;
      const model = index.rows.kind(row) === RowKind.attachment ? index.rows.model(row) : null;
      if (model !== null) return model;
    }
    return null;
  }
}
