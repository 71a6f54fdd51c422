import * as v from 'valibot';
import { call, type Calls, cancellable, defineChannel, event, notice, type Schemas } from '../channel';
import {
  type CacheSpending,
  type ModelSpending,
  type ProjectSpending,
  type SessionResume,
  type SessionUsage,
  type Spending,
  type ToolUsage,
  USAGE_RANGES,
  type UsageOverview,
  type UsageRange,
} from '../usage';

/** Between the extension and a page that shows tokens: that of the side view, or the one in an editor tab. */
export const tokensViewChannel = defineChannel(
  'tokensView',
  {
    /** The first call: returns what to show. Snapshots follow as events. */
    ready: call<() => TokensStart>({ timeoutMs: 120_000 }),
    navigated: notice<(navigation: TokensNavigation) => void>(),
    /** How wide the side view is, in pixels. */
    resized: notice<(pixels: number) => void>(),
    /** An export waits for the person, without a time limit. */
    act: cancellable<(action: TokensAction) => void>(),
    /** Opens the conversation of a session that the snapshot names. `filePath`: its transcript. */
    openSession: call<(filePath: string) => void>({ timeoutMs: 120_000 }),
  },
  // Not answered, because a hidden page cannot answer.
  { changed: event<(snapshot: TokensSnapshot) => void>() },
);

export type TokensViewCalls = Calls<typeof tokensViewChannel>;

export const TOKENS_MEASURES = ['cost', 'tokens'] as const;

/** What the length of a bar measures. */
export type TokensMeasure = (typeof TOKENS_MEASURES)[number];

export const TOKENS_CHARTS = ['calendar', 'day', 'model', 'project', 'tool', 'cache', 'resume'] as const;

export type TokensChart = (typeof TOKENS_CHARTS)[number];

/** Where a page is: the side view shows the session and what today cost, the editor tab shows all sessions. */
export type TokensPlace = 'view' | 'page';

/** State of a page, the only part of it that VS Code keeps. */
export interface TokensNavigation {
  readonly range: UsageRange;
  readonly measure: TokensMeasure;
  /** Charts whose tables are expanded. */
  readonly tables: readonly TokensChart[];
}

/** The session that the person has open. */
export interface TokensSession {
  readonly filePath: string;
  /** Title as shown in lists. */
  readonly title: string;
  /** A client runs it. */
  readonly isRunning: boolean;
  /** Null until counted. */
  readonly usage: SessionUsage | null;
  /** Why it cannot be counted, in one sentence. */
  readonly problem: string | null;
}

/** Sum of the entries that do not fit into a list. */
export interface OtherSpending extends Spending {
  /** Number of these entries; 1 or more. */
  readonly count: number;
}

/** A range as the page shows it, with a limited number of models and projects listed individually. */
export interface TokensRange {
  readonly range: UsageRange;
  readonly total: Spending;
  readonly models: readonly ModelSpending[];
  readonly otherModels: OtherSpending | null;
  /** Of the listed models and, with the name null and last, of all others together. */
  readonly cache: readonly TokensCache[];
  readonly projects: readonly (ProjectSpending & { readonly label: string })[];
  readonly otherProjects: OtherSpending | null;
}

/** What the cache did for one model, or for several if `others` is not 0. */
export interface TokensCache extends CacheSpending {
  /** Number of models that are combined; 0 for a single model. */
  readonly others: number;
}

export interface TokensOverview extends Pick<UsageOverview, 'files' | 'problem'> {
  /** What was used today. */
  readonly today: Spending;
  /** What only the page shows; null in the side view, so that its snapshots stay small. */
  readonly page: TokensPageFigures | null;
}

/** The figures of all sessions. */
export interface TokensPageFigures extends Pick<UsageOverview, 'days' | 'otherDays' | 'calendar'> {
  readonly ranges: readonly TokensRange[];
  /** Most expensive first; null until they are known. */
  readonly resumes: readonly TokensResume[] | null;
  readonly tools: TokensTools;
}

/** The calls of tools, which are counted after the tokens. */
export type TokensTools =
  | { readonly kind: 'waiting' }
  /** `problem`: why they cannot be counted, in one sentence. */
  | { readonly kind: 'failed'; readonly problem: string }
  | ({ readonly kind: 'counted' } & ToolUsage);

/** A session whose next request is expensive. */
export interface TokensResume extends Pick<SessionResume, 'filePath' | 'context' | 'resumeCost'> {
  /** Title as shown in lists. */
  readonly title: string;
  /** A client runs it. */
  readonly isRunning: boolean;
}

/** Everything that a page shows. */
export interface TokensSnapshot {
  /** Increases with each snapshot. */
  readonly revision: number;
  /** Always null in the page of the editor tab. */
  readonly session: TokensSession | null;
  /** Null until the first answer. */
  readonly overview: TokensOverview | null;
  /** The list of sessions names one, whether or not its tokens are counted yet. */
  readonly hasSessions: boolean;
  /** Why counting has stopped, in one sentence; the figures counted before remain in the snapshot. */
  readonly problem: string | null;
  /** Which price in the settings is invalid, in one sentence. */
  readonly priceProblem: string | null;
}

const TOKENS_ACTIONS = ['export', 'openPage', 'openPrices', 'openFolderSetting', 'tryAgain'] as const;

export type TokensAction = (typeof TOKENS_ACTIONS)[number];

export interface TokensStart {
  readonly place: TokensPlace;
  readonly navigation: TokensNavigation;
  readonly snapshot: TokensSnapshot;
  /** Texts of the pages in the window's language, keyed by their English text. */
  readonly texts: Readonly<Record<string, string>>;
  /** Used to format numbers and dates. */
  readonly locale: string;
}

/** The longest path of any system has 32,767 characters. */
const MAX_PATH_LENGTH = 32_767;

/**
 * Calls from a page are refused unless they match the types. The page itself does not need the schemas: the call is marked
 * as pure, so it is left out of the page's bundle.
 */
export const tokensViewSchemas = /* @__PURE__ */ createTokensViewSchemas();

function createTokensViewSchemas() {
  const NAVIGATION = v.object({
    range: v.picklist(USAGE_RANGES),
    measure: v.picklist(TOKENS_MEASURES),
    tables: v.pipe(v.array(v.picklist(TOKENS_CHARTS)), v.maxLength(TOKENS_CHARTS.length)),
  });
  const calls: Schemas<typeof tokensViewChannel> = {
    ready: v.tuple([]),
    navigated: v.tuple([NAVIGATION]),
    resized: v.tuple([v.number()]),
    act: v.tuple([v.picklist(TOKENS_ACTIONS)]),
    openSession: v.tuple([v.pipe(v.string(), v.maxLength(MAX_PATH_LENGTH))]),
  };
  return { NAVIGATION, calls };
}
