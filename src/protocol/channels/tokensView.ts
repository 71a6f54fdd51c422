import * as v from 'valibot';
import { call, type Calls, cancellable, defineChannel, event, notice, type Schemas } from '../channel';
import {
  type ModelSpending,
  type ProjectSpending,
  type SessionUsage,
  type Spending,
  USAGE_RANGES,
  type UsageOverview,
  type UsageRange,
} from '../usage';

/** Between the Tokens view's page and the extension. */
export const tokensViewChannel = defineChannel(
  'tokensView',
  {
    /** The first call: returns what to show. Snapshots follow as events. */
    ready: call<() => TokensStart>({ timeoutMs: 120_000 }),
    navigated: notice<(navigation: TokensNavigation) => void>(),
    /** An export waits for the person, without a time limit. */
    act: cancellable<(action: TokensAction) => void>(),
  },
  // Not answered, because a hidden page cannot answer.
  { changed: event<(snapshot: TokensSnapshot) => void>() },
);

export type TokensViewCalls = Calls<typeof tokensViewChannel>;

export const TOKENS_MEASURES = ['cost', 'tokens'] as const;

/** What the length of a bar measures. */
export type TokensMeasure = (typeof TOKENS_MEASURES)[number];

export const TOKENS_CHARTS = ['day', 'model', 'project'] as const;

export type TokensChart = (typeof TOKENS_CHARTS)[number];

/** State of the view's page, the only part of it that VS Code keeps. */
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

/** A range as the view shows it, with a limited number of models and projects listed individually. */
export interface TokensRange {
  readonly range: UsageRange;
  readonly total: Spending;
  readonly models: readonly ModelSpending[];
  readonly otherModels: OtherSpending | null;
  readonly projects: readonly (ProjectSpending & { readonly label: string })[];
  readonly otherProjects: OtherSpending | null;
}

export interface TokensOverview extends Pick<UsageOverview, 'days' | 'otherDays' | 'files' | 'problem'> {
  readonly ranges: readonly TokensRange[];
}

/** Everything that the view shows. */
export interface TokensSnapshot {
  /** Increases with each snapshot. */
  readonly revision: number;
  readonly session: TokensSession | null;
  /** Null until the first answer. */
  readonly overview: TokensOverview | null;
  /** Why counting has stopped, in one sentence; the figures counted before remain in the snapshot. */
  readonly problem: string | null;
  /** Which price in the settings is invalid, in one sentence. */
  readonly priceProblem: string | null;
}

export type TokensAction = 'export' | 'openPrices' | 'openFolderSetting' | 'tryAgain';

const TOKENS_ACTIONS: readonly TokensAction[] = ['export', 'openPrices', 'openFolderSetting', 'tryAgain'];

export interface TokensStart {
  readonly navigation: TokensNavigation;
  readonly snapshot: TokensSnapshot;
  /** Texts of the view in the window's language, keyed by their English text. */
  readonly texts: Readonly<Record<string, string>>;
  /** Used to format numbers and dates. */
  readonly locale: string;
}

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
    act: v.tuple([v.picklist(TOKENS_ACTIONS)]),
  };
  return { NAVIGATION, calls };
}
