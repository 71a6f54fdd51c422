import { LiveTranscripts, type ScannerFactory } from '../../rooms/transcript';
import {
  type ConfigDirUsage,
  describeReport,
  LocalDays,
  PriceBook,
  UsageCounter,
  type UsageCounterDeps,
} from '../../rooms/usage';
import { type Clock, createPacer, systemClock } from '../../rooms/util';
import type { Spending, UsageGrouping, UsageReport } from '../../../src/protocol/usage';
import type { SlowSum } from './slowReckoning';
import { plainScanner } from '../../support/plainScanner';

export function createTranscripts(createScanner: ScannerFactory, clock: Clock): LiveTranscripts {
  return new LiveTranscripts({ createScanner, clock, pacer: createPacer(10), pollMs: () => 200 });
}

/** A counter that is never paused, and that caches nothing unless requested. */
export function createCounter(configDir: string, parts: Partial<UsageCounterDeps> = {}): UsageCounter {
  const { createScanner = plainScanner, clock = systemClock } = parts;
  return new UsageCounter({
    configDir,
    createScanner,
    transcripts: createTranscripts(createScanner, clock),
    cache: null,
    liveSessions: () => Promise.resolve(new Set()),
    isBusy: () => false,
    clock: systemClock,
    ...parts,
  });
}

/** The complete usage of a config folder. */
export async function countAll(configDir: string, parts: Partial<UsageCounterDeps> = {}): Promise<ConfigDirUsage> {
  const counter = createCounter(configDir, parts);
  await counter.count();
  return counter.usage;
}

export function report(usage: ConfigDirUsage, by: UsageGrouping, timeZone = 'UTC'): UsageReport {
  return describeReport(usage, by, new LocalDays(timeZone), new PriceBook({}));
}

/** In the terms of the reference implementation. Dollars are rounded to billionths, because sums of fractions vary. */
export function plain({ messages, counts, cost }: Spending): SlowSum {
  return {
    messages,
    input: counts.input,
    output: counts.output,
    writes: counts.cacheWrite5m + counts.cacheWrite1h,
    writes1h: counts.cacheWrite1h,
    reads: counts.cacheRead,
    searches: counts.webSearches,
    fetches: counts.webFetches,
    usd: rounded(cost.usd ?? 0),
    unpriced: cost.unpricedTokens,
  };
}

export function roundedSum(sum: SlowSum): SlowSum {
  return { ...sum, usd: rounded(sum.usd) };
}

function rounded(usd: number): number {
  return Math.round(usd * 1e9) / 1e9;
}
