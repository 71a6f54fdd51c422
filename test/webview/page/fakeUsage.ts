// Fake figures, the same each time: the usage of a person after some weeks.
import type {
  TokensOverview,
  TokensPageFigures,
  TokensRange,
  TokensSession,
  TokensSnapshot,
} from '../../../src/protocol/channels/tokensView';
import {
  type DaySpending,
  type ModelSpending,
  type SessionUsage,
  type Spending,
  type TokenCounts,
  totalTokens,
  type ToolUsage,
  USAGE_RANGES,
  type UsageCalendar,
} from '../../../src/protocol/usage';

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
    cache: models.map(({ model: each, counts, hasPrice }) => ({
      model: each,
      others: 0,
      promptTokens: totalTokens(counts) - counts.output,
      readTokens: counts.cacheRead,
      savedUsd: hasPrice ? counts.cacheRead * 3.8e-6 : null,
      writeExtraUsd: hasPrice ? counts.cacheWrite5m * 1e-6 + counts.cacheWrite1h * 4e-6 : null,
    })),
    projects: PROJECTS.map((label, at) => ({
      label,
      cwd: `/home/someone/src/${label}`,
      folder: `/home/someone/.claude/projects/-home-someone-src-${label}`,
      ...spending(scale / (at + 1.5)),
    })),
    otherProjects: name === 'all' ? { count: 41, ...spending(scale / 9) } : null,
  };
}

/** A year in which each weekday has its own weight, with two weeks of vacation. */
function calendar(): UsageCalendar {
  const weights = Array.from({ length: 371 }, (_, at) =>
    at > 200 && at < 215 ? 0 : ([0, 6.5, 4, 7, 9, 2.5, 0][at % 7] ?? 0) * (1 + (at % 11) / 8),
  );
  return {
    firstDay: new Date(TODAY - 370 * DAY_MS).toISOString().slice(0, 10),
    messages: weights.map((weight) => Math.round(weight * 31)),
    tokens: weights.map((weight) => Math.round(weight * 973_600)),
    usd: weights.map((weight) => weight * 1.0237),
  };
}

const RESUMES = [
  ['Find out why the barometer of the third station jumps at midnight', 187_312, 1.1707],
  ['Import recipes from text files', 84_312, 0.5271],
  ['Draw the tides', 62_004, 0.3875],
  ['Sort the notes', 9120, null],
] as const;

const TOOLS = [
  ['Bash', 412, 37, 1_204_000],
  ['Read', 390, 3, 5_800_000],
  ['Edit', 201, 12, 90_400],
  ['Grep', 96, 0, 310_000],
  ['mcp__almanac__lookup', 41, 41, 12_000],
  ['TodoWrite', 22, 0, 3520],
  ['mcp__a-server-with-a-long-name__a_tool_with_a_name_that_is_longer_than_the_side_bar', 3, 1, 0],
  ['WebSearch', 1, 0, 1],
] as const;

export function toolUsage(waiting = 0): ToolUsage {
  return {
    ranges: USAGE_RANGES.map((range, at) => ({
      range,
      tools: TOOLS.slice(0, 2 + 2 * at).map(([name, calls, failed, resultCharacters]) => ({
        ...{ name, calls, failed, resultCharacters },
      })),
      others: range === 'all' ? { calls: 12, failed: 2, resultCharacters: 4000 } : null,
    })),
    files: { total: 1240, waiting, unreadable: 0 },
  };
}

export function fullPage(): TokensPageFigures {
  return {
    days: days(),
    otherDays: spending(842),
    calendar: calendar(),
    ranges: [range('today', 4.2), range('week', 31), range('month', 118), range('all', 960)],
    resumes: RESUMES.map(([title, tokens, usd], at) => ({
      filePath: `/home/someone/.claude/projects/-home-someone-src-recipe-box/${at}.jsonl`,
      title,
      isRunning: at === 1,
      context: { tokens, model: MODELS[0], window: at === 2 ? 1_000_000 : 200_000 },
      resumeCost: { usd, unpricedTokens: usd === null ? tokens : 0 },
    })),
    tools: { kind: 'counted', ...toolUsage() },
  };
}

export function fullOverview(): TokensOverview {
  return { today: range('today', 4.2).total, files: { total: 1240, waiting: 0 }, problem: null, page: fullPage() };
}

export function emptyOverview(total: number): TokensOverview {
  const page: TokensPageFigures = {
    days: days().map(({ day }) => ({ day, models: [], ...NOTHING })),
    otherDays: NOTHING,
    calendar: { ...calendar(), messages: Array<number>(371).fill(0), tokens: Array<number>(371).fill(0) },
    ranges: (['today', 'week', 'month', 'all'] as const).map((each) => ({
      range: each,
      total: NOTHING,
      models: [],
      otherModels: null,
      cache: [],
      projects: [],
      otherProjects: null,
    })),
    resumes: [],
    tools: { kind: 'waiting' },
  };
  return { today: NOTHING, files: { total, waiting: 0 }, problem: null, page };
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
  return {
    revision: 1,
    session: fullSession(),
    overview: fullOverview(),
    hasSessions: true,
    problem: null,
    priceProblem: null,
  };
}
