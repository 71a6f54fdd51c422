import * as v from 'valibot';
import { call, type Calls, defineChannel, event, notice, type Schemas } from '../channel';
import { SEARCH_AUTHORS, type SearchAuthor, type SearchMatch, type SearchPlace } from './search';

/** Between the Search view's page and the extension, which holds the results: the page is discarded whenever it is hidden. */
export const searchViewChannel = defineChannel(
  'searchView',
  {
    /** The first call: returns what to show. News follow as events. */
    ready: call<() => SearchStart>({ timeoutMs: 120_000 }),
    /** Ends the running search. An empty text clears the results. */
    search: notice<(form: SearchForm) => void>(),
    /** The filters were shown or hidden, groups folded, or the list scrolled. */
    navigated: notice<(navigation: SearchNavigation) => void>(),
    open: notice<(hit: HitPlace, manner: OpenManner) => void>(),
    /** Whether the page has the focus. */
    focused: notice<(hasFocus: boolean) => void>(),
    /** How wide the page is, in pixels. */
    resized: notice<(pixels: number) => void>(),
  },
  // Not answered, because a hidden page cannot answer.
  {
    changed: event<(news: SearchNews) => void>(),
    projectsChanged: event<(projects: readonly SearchedProject[]) => void>(),
    /** The person wants to type. */
    focusInput: event<() => void>(),
  },
);

export type SearchViewCalls = Calls<typeof searchViewChannel>;

/** A search ends after this many hits: more are no help to anybody, and the page renders all of them. */
export const MAX_HITS = 1000;

export const SEARCH_DATES = ['any', 'today', 'week', 'month', 'older'] as const;

/** `week` and `month`: the last 7 and 30 days. `older`: before these 30 days. */
export type SearchDate = (typeof SEARCH_DATES)[number];

/** What the person looks for. */
export interface SearchForm {
  readonly text: string;
  readonly isRegExp: boolean;
  readonly isCaseSensitive: boolean;
  readonly author: SearchAuthor | null;
  readonly tool: string;
  readonly date: SearchDate;
  readonly place: SearchPlace | null;
  readonly branch: string;
}

export const EMPTY_FORM: SearchForm = {
  text: '',
  isRegExp: false,
  isCaseSensitive: false,
  author: null,
  tool: '',
  date: 'any',
  place: null,
  branch: '',
};

/** How the person left the page. */
export interface SearchNavigation {
  readonly hasFilters: boolean;
  /** Folded groups: the folders of projects, and the transcripts of sessions. */
  readonly folded: readonly string[];
  /** Pixels. */
  readonly scrollTop: number;
}

/** Identifies a hit: a row yields at most one. */
export interface HitPlace {
  readonly filePath: string;
  /** 1-based. */
  readonly line: number;
}

/** `preview`: in a tab that the next one replaces, and the focus stays. `keep`: in a tab of its own, which gets the focus. */
export type OpenManner = 'preview' | 'keep';

/** Who a hit is from, as far as its row tells. */
export type HitAuthor = SearchAuthor | 'client';

export interface FoundHit extends Pick<SearchMatch, 'line' | 'timeMs' | 'excerpt' | 'hit'> {
  readonly author: HitAuthor;
}

/** A project that can be searched alone. */
export interface SearchedProject {
  /** Absolute path of its folder under `projects/`. */
  readonly folder: string;
  readonly label: string;
  /** The folder around it, to distinguish projects with the same label; may be empty. */
  readonly around: string;
}

export interface FoundSession {
  readonly filePath: string;
  readonly title: string;
  /** Time since its last message, in few characters; null if no message has a time. */
  readonly age: string | null;
  readonly project: SearchedProject;
  /** In line order; 1 or more. */
  readonly hits: readonly FoundHit[];
}

export type SearchStatus =
  | { readonly kind: 'idle' }
  | { readonly kind: 'searching'; readonly sessionsDone: number; readonly sessionsTotal: number }
  | {
      readonly kind: 'done';
      readonly sessionsTotal: number;
      /** There may be more hits. */
      readonly isCut: boolean;
      /** Transcripts that could not be read: their names, and one sentence each. */
      readonly unreadable: readonly { readonly name: string; readonly problem: string }[];
    }
  /** Why nothing or not everything was searched, in one sentence. */
  | { readonly kind: 'failed'; readonly problem: string };

/**
 * A change of the results. `hits` counts the hits before those of `found`: a page that has another number has missed something.
 * The first of the sessions continues the last one of the page, if it is the same.
 */
export type SearchNews =
  | { readonly kind: 'started' }
  | { readonly kind: 'found'; readonly hits: number; readonly sessions: readonly FoundSession[] }
  | { readonly kind: 'status'; readonly status: SearchStatus }
  /** Another hit was opened from outside of the page. */
  | { readonly kind: 'current'; readonly current: HitPlace };

export interface SearchStart {
  readonly form: SearchForm;
  readonly navigation: SearchNavigation;
  /** Those of a project follow each other. */
  readonly sessions: readonly FoundSession[];
  readonly status: SearchStatus;
  /** The hit that was opened last; null if there is none. */
  readonly current: HitPlace | null;
  readonly projects: readonly SearchedProject[];
  /** A folder is open in the window. */
  readonly hasFolder: boolean;
  /** The person wants to type. */
  readonly focusInput: boolean;
  /** Texts of the view in the window's language, keyed by their English text. */
  readonly texts: Readonly<Record<string, string>>;
  /** Used to format numbers and dates. */
  readonly locale: string;
}

/** In UTF-16 units. */
const MAX_TEXT = 10_000;
const MAX_NAME = 500;
const MAX_PATH = 4096;
const MAX_FOLDED = 2000;

/**
 * Calls from a page are refused unless they match the types. The page itself does not need the schemas: the call is marked
 * as pure, so it is left out of the page's bundle.
 */
export const searchViewSchemas = /* @__PURE__ */ createSearchViewSchemas();

function createSearchViewSchemas() {
  const PATH = v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_PATH));
  const NAME = v.pipe(v.string(), v.maxLength(MAX_NAME));
  const PLACE = v.variant('kind', [
    v.object({ kind: v.literal('workspace') }),
    v.object({ kind: v.literal('project'), folder: PATH }),
  ]);
  const FORM = v.object({
    text: v.pipe(v.string(), v.maxLength(MAX_TEXT)),
    isRegExp: v.boolean(),
    isCaseSensitive: v.boolean(),
    author: v.nullable(v.picklist(SEARCH_AUTHORS)),
    tool: NAME,
    date: v.picklist(SEARCH_DATES),
    place: v.nullable(PLACE),
    branch: NAME,
  });
  const NAVIGATION = v.object({
    hasFilters: v.boolean(),
    folded: v.pipe(v.array(PATH), v.maxLength(MAX_FOLDED)),
    scrollTop: v.pipe(v.number(), v.finite(), v.minValue(0)),
  });
  const HIT = v.object({ filePath: PATH, line: v.pipe(v.number(), v.safeInteger(), v.minValue(1)) });
  /** What is stored across a reload of the window: no text of a message. */
  const KEPT = v.object({ form: FORM, navigation: NAVIGATION, current: v.nullable(HIT) });
  const calls: Schemas<typeof searchViewChannel> = {
    ready: v.tuple([]),
    search: v.tuple([FORM]),
    navigated: v.tuple([NAVIGATION]),
    open: v.tuple([HIT, v.picklist(['preview', 'keep'])]),
    focused: v.tuple([v.boolean()]),
    resized: v.tuple([v.number()]),
  };
  return { KEPT, calls };
}
