import type { SessionUsage, Spending, ToolUsage, UsageOverview, UsageRange } from '../../../src/protocol/usage';

export const USAGE_PATH = '/c/projects/-p/44444444-4444-4444-8444-444444444444.jsonl';

export function spending(scale = 1, hasPrice = true): Spending {
  const tokens = 973_600 * scale;
  return {
    messages: 31 * scale,
    counts: {
      input: 1200 * scale,
      output: 5400 * scale,
      cacheWrite5m: 48_000 * scale,
      cacheWrite1h: 9000 * scale,
      cacheRead: 910_000 * scale,
      webSearches: scale,
      webFetches: 0,
    },
    cost: hasPrice ? { usd: 1.0237 * scale, unpricedTokens: 0 } : { usd: null, unpricedTokens: tokens },
  };
}

export function sessionUsage(change: Partial<SessionUsage> = {}): SessionUsage {
  return {
    sessionId: '44444444-4444-4444-8444-444444444444',
    filePath: USAGE_PATH,
    own: spending(),
    subagents: spending(0),
    total: spending(),
    shared: spending(0),
    models: [{ model: 'claude-opus-5-5', hasPrice: true, ...spending() }],
    context: { tokens: 84_312, model: 'claude-opus-5-5', window: 200_000 },
    resumeCost: { usd: 0.5271, unpricedTokens: 0 },
    clientTally: null,
    ...change,
  };
}

export function toolUsage(waiting = 0): ToolUsage {
  const tools = [{ name: 'Read', calls: 7 - waiting, failed: 1, resultCharacters: 400 }];
  return {
    ranges: RANGES.map((range) => ({ range, tools, others: null })),
    files: { total: 3, waiting, unreadable: 0 },
  };
}

const RANGES: readonly UsageRange[] = ['today', 'week', 'month', 'all'];

export function overview(revision: number, change: Partial<UsageOverview> = {}): UsageOverview {
  return {
    revision,
    timeZone: 'Europe/Berlin',
    nowMs: Date.UTC(2026, 10, 22, 12),
    days: [{ day: '2026-11-22', models: [], ...spending() }],
    otherDays: spending(),
    ranges: RANGES.map((range) => ({ range, total: spending(), models: [], projects: [], cache: [] })),
    calendar: { firstDay: '2026-11-22', messages: [31], tokens: [973_600], usd: [1.0237] },
    files: { total: 3, waiting: 0 },
    problem: null,
    ...change,
  };
}
