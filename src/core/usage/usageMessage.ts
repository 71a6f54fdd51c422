import type { KeyHash } from '../scan/keyHash';

/** What one message used, as one transcript tells it. Input, writes and reads never overlap. */
export interface MessageCounts {
  readonly input: number;
  readonly output: number;
  /** All tokens written to the cache. */
  readonly writes: number;
  /** Those of them that are kept for an hour. */
  readonly writes1h: number;
  readonly reads: number;
  /** Calls, as `fetches`. */
  readonly searches: number;
  readonly fetches: number;
}

/** One message of one transcript. */
export interface UsageMessage extends MessageCounts {
  /** Stands for the message wherever it is copied to. */
  readonly key: KeyHash;
  /** See quarters.ts. */
  readonly quarter: number;
  readonly model: string | null;
  readonly isSidechain: boolean;
  /** Its row says that a fork copied it. */
  readonly isCopy: boolean;
}

/** Of a request with a longer prompt, each token has another price with some models. */
export const LONG_PROMPT_TOKENS = 200_000;

/** The prompt is everything that is not output. */
export function hasLongPrompt({ input, writes, reads }: MessageCounts): boolean {
  return input + writes + reads > LONG_PROMPT_TOKENS;
}
