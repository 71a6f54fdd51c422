import { spawnSync } from 'node:child_process';
import { setupCcusage } from '../../scripts/setupCcusage.mjs';
import { LocalDays, NO_TIME, PriceBook, SpendingTable } from '../rooms/usage';
import { wasmScanners } from '../support/scannerModule';
import { countAll } from '../unit/usage/createCounter';

/** Tokens of one day and model. */
export interface Tally {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite: number;
  readonly cacheRead: number;
  /** US dollars; null if unknown. */
  readonly usd: number | null;
}

export interface Tallies {
  /** Keyed by day and model. */
  readonly parts: ReadonlyMap<string, Tally>;
  readonly total: Tally;
}

interface CcusageReport {
  readonly daily: readonly {
    readonly date: string;
    readonly modelBreakdowns: readonly {
      readonly modelName: string;
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly cacheCreationTokens: number;
      readonly cacheReadTokens: number;
      readonly cost: number;
    }[];
  }[];
  readonly totals: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cacheCreationTokens: number;
    readonly cacheReadTokens: number;
    readonly totalCost: number;
  };
}

/** The counts of the real ccusage for a config folder, with its bundled prices. */
export function runCcusage(configDir: string, timeZone: string, home: string): Tallies {
  const [program = '', ...args] = [
    ...setupCcusage('native'),
    ...['claude', 'daily', '--offline', '--json', '--timezone', timeZone],
  ];
  const env = { PATH: process.env['PATH'], HOME: home, USERPROFILE: home, CLAUDE_CONFIG_DIR: configDir };
  const { status, stdout, stderr } = spawnSync(program, args, { env, encoding: 'utf8', maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Error(`Failed to run ccusage: ${stderr}`);
  // SAFETY: what this version prints.
  const { daily, totals } = JSON.parse(stdout) as CcusageReport;
  const parts = new Map<string, Tally>();
  for (const { date, modelBreakdowns } of daily) {
    for (const each of modelBreakdowns) {
      parts.set(`${date} ${each.modelName}`, {
        input: each.inputTokens,
        output: each.outputTokens,
        cacheWrite: each.cacheCreationTokens,
        cacheRead: each.cacheReadTokens,
        usd: priceOf(each.cost),
      });
    }
  }
  const { inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens, totalCost } = totals;
  const cache = { cacheWrite: cacheCreationTokens, cacheRead: cacheReadTokens };
  return { parts, total: { input: inputTokens, output: outputTokens, ...cache, usd: priceOf(totalCost) } };
}

/** It prints 0 for models without a price. */
function priceOf(cost: number): number | null {
  return cost === 0 ? null : cost;
}

/** Our counts. */
export async function runOurs(configDir: string, timeZone: string): Promise<Tallies> {
  const { index } = await countAll(configDir, { createScanner: wasmScanners() });
  const calendar = new LocalDays(timeZone);
  const prices = new PriceBook({});
  const table = new SpendingTable(0);
  const rows = new Map<string, number>();
  index.buckets.forEach((bucket) => {
    const model = index.models[bucket.model] ?? null;
    const day = bucket.quarter === NO_TIME ? 'unknown' : calendar.dayOf(bucket.quarter);
    const key = `${day} ${model ?? 'unknown'}`;
    const row = rows.get(key) ?? table.addRow();
    rows.set(key, row);
    table.add(row, bucket.messages, bucket, prices.of(model)?.at(bucket.quarter, bucket.isLong) ?? null);
  });
  const tallyOf = (row: number): Tally => {
    const { counts, cost } = table.spending(row);
    const { input, output, cacheWrite5m, cacheWrite1h, cacheRead } = counts;
    return { input, output, cacheWrite: cacheWrite5m + cacheWrite1h, cacheRead, usd: cost.usd };
  };
  const total = table.addRow();
  for (const row of rows.values()) table.addFrom(total, row);
  return { parts: new Map(Array.from(rows, ([key, row]) => [key, tallyOf(row)])), total: tallyOf(total) };
}
