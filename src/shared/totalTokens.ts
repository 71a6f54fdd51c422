import type { TokenCounts } from './usage';

/** All tokens of any kind; calls are none. */
export function totalTokens(counts: TokenCounts): number {
  return counts.input + counts.output + counts.cacheWrite5m + counts.cacheWrite1h + counts.cacheRead;
}
