import { basename } from 'node:path';
import type {
  OtherSpending,
  TokensCache,
  TokensOverview,
  TokensPlace,
  TokensRange,
  TokensPageFigures,
} from '../../protocol/channels/tokensView';
import {
  type CacheSpending,
  type ProjectSpending,
  type RangeSpending,
  type Spending,
  totalTokens,
  type UsageOverview,
} from '../../protocol/usage';
import { shortenHome } from '../text/formats';

/** Nobody reads more bars than these; the rest is combined in one bar. */
const MAX_MODELS = 10;
const MAX_PROJECTS = 12;

/**
 * The overview of all sessions as a page shows it, small enough to be sent with each change. `labelOf`: returns the label of
 * a project. `others`: what the page shows beside the tokens.
 */
export function limitOverview(
  { days, otherDays, files, problem, ranges, calendar }: UsageOverview,
  place: TokensPlace,
  labelOf: (project: ProjectSpending) => string,
  others: Pick<TokensPageFigures, 'resumes' | 'tools'>,
): TokensOverview {
  const today = ranges.find(({ range }) => range === 'today')?.total ?? NOTHING;
  if (place === 'view') return { today, files, problem, page: null };
  const page = { days, otherDays, calendar, ranges: ranges.map((range) => limitRange(range, labelOf)), ...others };
  return { today, files, problem, page };
}

const NOTHING: Spending = {
  messages: 0,
  counts: { input: 0, output: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, webSearches: 0, webFetches: 0 },
  cost: { usd: 0, unpricedTokens: 0 },
};

function limitRange(range: RangeSpending, labelOf: (project: ProjectSpending) => string): TokensRange {
  const [models, moreModels] = split(range.models, MAX_MODELS);
  const [projects, moreProjects] = split(range.projects.toSorted(byCost), MAX_PROJECTS);
  return {
    range: range.range,
    total: range.total,
    models,
    otherModels: addUp(moreModels),
    cache: limitCache(range.cache, models.length),
    projects: projects.map((project) => ({ ...project, label: labelOf(project) })),
    otherProjects: addUp(moreProjects),
  };
}

function limitCache(cache: readonly CacheSpending[], listed: number): readonly TokensCache[] {
  const others = cache.slice(listed);
  const first = cache.slice(0, listed).map((each): TokensCache => ({ ...each, others: 0 }));
  if (others.length === 0) return first;
  const usd = (of: (each: CacheSpending) => number | null): number | null =>
    others.reduce<number | null>((sum, each) => (of(each) === null ? sum : (sum ?? 0) + (of(each) ?? 0)), null);
  return [
    ...first,
    {
      model: null,
      others: others.length,
      promptTokens: others.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
      readTokens: others.reduce((sum, { readTokens }) => sum + readTokens, 0),
      savedUsd: usd(({ savedUsd }) => savedUsd),
      writeExtraUsd: usd(({ writeExtraUsd }) => writeExtraUsd),
    },
  ];
}

/** One entry above the limit takes no more space than a bar for the rest. */
function split<T>(list: readonly T[], limit: number): readonly [readonly T[], readonly T[]] {
  return list.length <= limit + 1 ? [list, []] : [list.slice(0, limit), list.slice(limit)];
}

function byCost(one: Spending, other: Spending): number {
  return (other.cost.usd ?? 0) - (one.cost.usd ?? 0) || totalTokens(other.counts) - totalTokens(one.counts);
}

function addUp(parts: readonly Spending[]): OtherSpending | null {
  const [first, ...rest] = parts;
  if (first === undefined) return null;
  const { messages, counts, cost } = rest.reduce(add, first);
  return { count: parts.length, messages, counts, cost };
}

function add(one: Spending, other: Spending): Spending {
  const [a, b] = [one.counts, other.counts];
  return {
    messages: one.messages + other.messages,
    counts: {
      input: a.input + b.input,
      output: a.output + b.output,
      cacheWrite5m: a.cacheWrite5m + b.cacheWrite5m,
      cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
      cacheRead: a.cacheRead + b.cacheRead,
      webSearches: a.webSearches + b.webSearches,
      webFetches: a.webFetches + b.webFetches,
    },
    cost: {
      usd: one.cost.usd === null && other.cost.usd === null ? null : (one.cost.usd ?? 0) + (other.cost.usd ?? 0),
      unpricedTokens: one.cost.unpricedTokens + other.cost.unpricedTokens,
    },
  };
}

/** Label of a project's bar: its folder's name, as in the tree. */
export function projectLabel({ cwd, folder }: Pick<ProjectSpending, 'cwd' | 'folder'>, homeDir: string): string {
  // The name of the folder under `projects/` cannot be decoded, so it is shown unchanged.
  const path = cwd === null || cwd.trim() === '' ? folder : cwd;
  if (path === homeDir) return shortenHome(path, homeDir);
  return basename(path) || path;
}
