import type { UsageOverview } from '../../../shared/usage';

/** More may come: transcripts are still being looked for, or read. */
export function isCounting({ waiting, isListing = false }: UsageOverview['files']): boolean {
  return waiting > 0 || isListing;
}
