// Fake figures, the same each time: the usage of a person after some weeks.
import type {
  TokensOverview,
  TokensRange,
  TokensSession,
  TokensSnapshot,
} from '../../../src/protocol/channels/tokensView';
import type { DaySpending, ModelSpending, SessionUsage, Spending, TokenCounts } from '../../../src/protocol/usage';

const MODELS = ['claude-opus-5-5', 'claude-sonnet-5', 'claude-haiku-4-5-20251001', 'someone/else-1'] as const;
const TODAY = Date.UTC(2026, 10, 22);
const DAY_MS = 24 * 3600_000;

export function spending(scale: number, hasPrice = true): Spending {
  const counts: TokenCounts = {
    input: Math.round(1200 * scale),
    output: Math.round(5400 * scale),
    cacheWrite5m: Math.round(48_000 * scale),
    cacheWrite1h: Math.round(9000 * scale),
    cacheRead: Math.round(910_000 * scale),
    webSearches: Math.round(scale),
    webFetches: 0,
  };
  const tokens = counts.input + counts.output + counts.cacheWrite5m + counts.cacheWrite1h + counts.cacheRead;
  const cost = hasPrice ? { usd: 1.0237 * scale, unpricedTokens: 0 } : { usd: null, unpricedTokens: tokens };
  return { messages: Math.round(31 * scale), counts, cost };
}

export const NOTHING: Spending = {
  messages: 0,
  counts: { input: 0, output: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, webSearches: 0, webFetches: 0 },
  cost: { usd: 0, unpricedTokens: 0 },
};

function sum(parts: readonly Spending[]): Spending {
  return parts.reduce(
    (all, { messages, counts, cost }) => ({
      messages: all.messages + messages,
      counts: {
        input: all.counts.input + counts.input,
        output: all.counts.output + counts.output,
        cacheWrite5m: all.counts.cacheWrite5m + counts.cacheWrite5m,
        cacheWrite1h: all.counts.cacheWrite1h + counts.cacheWrite1h,
        cacheRead: all.counts.cacheRead + counts.cacheRead,
        webSearches: all.counts.webSearches + counts.webSearches,
        webFetches: all.counts.webFetches + counts.webFetches,
      },
      cost: {
        usd: cost.usd === null ? all.cost.usd : (all.cost.usd ?? 0) + cost.usd,
        unpricedTokens: all.cost.unpricedTokens + cost.unpricedTokens,
      },
    }),
    NOTHING,
  );
}

function model(at: number, scale: number): ModelSpending {
  const name = MODELS[at] ?? null;
  const hasPrice = name !== 'someone/else-1';
  return { model: name, hasPrice, ...spending(scale, hasPrice) };
}

function days(): DaySpending[] {
  return Array.from({ length: 30 }, (_, at) => {
    const day = new Date(TODAY - (29 - at) * DAY_MS).toISOString().slice(0, 10);
    const weight = [0, 6.5, 4, 7, 9, 2.5, 0][at % 7] ?? 0;
    const models =
      weight === 0
        ? []
        : [model(0, weight), model(1, weight * 0.6), model(2, weight / 8), ...(at % 5 === 0 ? [model(3, 0.4)] : [])];
    return { day, models, ...sum(models) };
  });
}

const PROJECTS = [
  'weather-station',
  'recipe-box',
  'a-library-with-a-name-that-is-longer-than-the-side-bar-is-wide',
  'notes',
];

function range(name: TokensRange['range'], scale: number): TokensRange {
  const models = [model(0, scale), model(1, scale * 0.55), model(2, scale * 0.1), model(3, scale * 0.02)];
  return {
    range: name,
    total: sum(models),
    models,
    otherModels: null,
    projects: PROJECTS.map((label, at) => ({
      label,
      cwd: `/home/someone/src/${label}`,
      folder: `/home/someone/.claude/projects/-home-someone-src-${label}`,
      ...spending(scale / (at + 1.5)),
    })),
    otherProjects: name === 'all' ? { count: 41, ...spending(scale / 9) } : null,
  };
}

export function fullOverview(): TokensOverview {
  return {
    days: days(),
    otherDays: spending(842),
    ranges: [range('today', 4.2), range('week', 31), range('month', 118), range('all', 960)],
    files: { total: 1240, waiting: 0 },
    problem: null,
  };
}

export function emptyOverview(total: number): TokensOverview {
  return {
    days: days().map(({ day }) => ({ day, models: [], ...NOTHING })),
    otherDays: NOTHING,
    ranges: (['today', 'week', 'month', 'all'] as const).map((each) => ({
      range: each,
      total: NOTHING,
      models: [],
      otherModels: null,
      projects: [],
      otherProjects: null,
    })),
    files: { total, waiting: 0 },
    problem: null,
  };
}

export function sessionUsage(): SessionUsage {
  const own = spending(1.1);
  const subagents = spending(0.2);
  return {
    sessionId: '1f0c',
    filePath: '/home/someone/.claude/projects/-home-someone-src-recipe-box/1f0c.jsonl',
    own,
    subagents,
    total: sum([own, subagents]),
    shared: spending(0.4),
    models: [model(0, 1.1), model(2, 0.2)],
    context: { tokens: 84_312, model: 'claude-opus-5-5', window: 200_000 },
    resumeCost: { usd: 0.5271, unpricedTokens: 0 },
    clientTally: { usd: 1.31, counts: spending(1.28).counts, isPartlyUnknown: false },
  };
}

export function fullSession(change: Partial<TokensSession> = {}): TokensSession {
  const usage = sessionUsage();
  return {
    filePath: usage.filePath,
    title: 'Import recipes from text files',
    isRunning: true,
    usage,
    problem: null,
    ...change,
  };
}

export function fullSnapshot(): TokensSnapshot {
  return { revision: 1, session: fullSession(), overview: fullOverview(), problem: null, priceProblem: null };
}
