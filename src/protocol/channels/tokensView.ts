import * as v from 'valibot';
import { call, type Calls, cancellable, defineChannel, event, notice, type Schemas } from '../channel';
import type { LiveStatus } from '../session';
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
    /** The first call: what to show. Snapshots follow. */
    ready: call<() => TokensStart>({ timeoutMs: 120_000 }),
    navigated: notice<(navigation: TokensNavigation) => void>(),
    /** An export waits for the person, who may take as long as they like. */
    act: cancellable<(action: TokensAction) => void>(),
  },
  // None is answered: a hidden page could not.
  { changed: event<(snapshot: TokensSnapshot) => void>() },
);

export type TokensViewCalls = Calls<typeof tokensViewChannel>;

export const TOKENS_MEASURES = ['cost', 'tokens'] as const;

/** What the lengths of the bars stand for. */
export type TokensMeasure = (typeof TOKENS_MEASURES)[number];

export const TOKENS_CHARTS = ['day', 'model', 'project'] as const;

export type TokensChart = (typeof TOKENS_CHARTS)[number];

/** How the person left the view: all that VS Code keeps of its page. */
export interface TokensNavigation {
  readonly range: UsageRange;
  readonly measure: TokensMeasure;
  /** Charts whose tables are open. */
  readonly tables: readonly TokensChart[];
}

/** The session that the person has before them. */
export interface TokensSession {
  readonly filePath: string;
  /** As lists name it. */
  readonly title: string;
  readonly live: LiveStatus | null;
  /** Null until it is counted. */
  readonly usage: SessionUsage | null;
  /** Why it cannot be counted, in a sentence. */
  readonly problem: string | null;
}

/** What does not fit into a list, added up. */
export interface OtherSpending extends Spending {
  /** How many of them there are; 1 or more. */
  readonly count: number;
}

/** A range as the view shows it: only so many models and projects one by one. */
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

/** All that the view shows. */
export interface TokensSnapshot {
  /** Goes up with each. */
  readonly revision: number;
  readonly session: TokensSession | null;
  /** Null until there is an answer. */
  readonly overview: TokensOverview | null;
  /** Why nothing is counted any more, in a sentence; what was counted before is still told. */
  readonly problem: string | null;
  /** What in the settings is no price, in a sentence. */
  readonly priceProblem: string | null;
}

export type TokensAction = 'export' | 'openPrices' | 'openFolderSetting' | 'tryAgain';

const TOKENS_ACTIONS: readonly TokensAction[] = ['export', 'openPrices', 'openFolderSetting', 'tryAgain'];

export interface TokensStart {
  readonly navigation: TokensNavigation;
  readonly snapshot: TokensSnapshot;
  /** Sentences and words of the view in the language of the window, by their English text. */
  readonly texts: Readonly<Record<string, string>>;
  /** For figures and dates. */
  readonly locale: string;
}

/**
 * What a page sends is refused unless it is what the types say. A page itself needs none of this: marked as pure, the call is
 * left out of its bundle.
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
