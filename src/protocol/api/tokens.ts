import type { LiveStatus } from '../session';
import type { ModelSpending, ProjectSpending, SessionUsage, Spending, UsageOverview, UsageRange } from '../usage';

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

export const TOKENS_ACTIONS: readonly TokensAction[] = ['export', 'openPrices', 'openFolderSetting', 'tryAgain'];

export interface TokensStart {
  readonly navigation: TokensNavigation;
  readonly snapshot: TokensSnapshot;
  /** Sentences and words of the view in the language of the window, by their English text. */
  readonly texts: Readonly<Record<string, string>>;
  /** For figures and dates. */
  readonly locale: string;
}

/** What the view's page asks of the extension. */
export interface TokensHostApi {
  /** The first call: what to show. Snapshots follow. */
  ready(): Promise<TokensStart>;
  navigated(navigation: TokensNavigation): void;
  act(action: TokensAction): Promise<void>;
}

/** What the extension tells the view's page. */
export interface TokensApi {
  changed(snapshot: TokensSnapshot): void;
}
