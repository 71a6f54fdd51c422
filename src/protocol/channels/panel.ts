import * as v from 'valibot';
import { call, type Calls, defineChannel, event, type Events, notice, type Schemas } from '../channel';
import type {
  ConversationHead,
  ConversationView,
  FindQuery,
  FindResult,
  ItemsPage,
  OutlineEntry,
} from '../conversation';

/** Longer than the extension itself waits for its worker. */
const PAGE_TIMEOUT_MS = 120_000;

/** Between a conversation panel's page and the extension. Paths name rows of the panel's own conversation, or of a subagent of it. */
export const panelChannel = defineChannel(
  'panel',
  {
    /** The first call: where to begin. */
    ready: call<() => PanelStart>({ timeoutMs: PAGE_TIMEOUT_MS }),
    head: call<(view: ConversationView) => ConversationHead>({ timeoutMs: PAGE_TIMEOUT_MS }),
    items: call<(filePath: string, view: ConversationView, from: number, count: number) => ItemsPage>({
      timeoutMs: PAGE_TIMEOUT_MS,
    }),
    outline: call<(view: ConversationView) => readonly OutlineEntry[]>({ timeoutMs: PAGE_TIMEOUT_MS }),
    text: call<(filePath: string, line: number, path: string) => string | null>({ timeoutMs: PAGE_TIMEOUT_MS }),
    image: call<(filePath: string, line: number, path: string) => string | null>({ timeoutMs: PAGE_TIMEOUT_MS }),
    persisted: call<(outputPath: string) => string | null>({ timeoutMs: PAGE_TIMEOUT_MS }),
    find: call<(view: ConversationView, query: FindQuery) => FindResult>({ timeoutMs: PAGE_TIMEOUT_MS }),
    indexOfLine: call<(view: ConversationView, line: number) => number | null>({ timeoutMs: PAGE_TIMEOUT_MS }),
    /** Where the panel begins when it is shown again; the page gives the same to `setState`, with the file's path. */
    navigated: notice<(navigation: Omit<PanelNavigation, 'filePath'>) => void>(),
    /** The first screen stands. */
    shown: notice<(times: PageTimes) => void>(),
    act: call<(action: PanelAction) => void>({ timeoutMs: PAGE_TIMEOUT_MS }),
    /** Starts what reads the transcripts again, after `stopped`. What it finds comes by `changed`. */
    tryAgain: call<() => void>({ timeoutMs: PAGE_TIMEOUT_MS }),
  },
  // None is answered: a hidden page could not.
  {
    /** The file changed: whatever was shown is to be asked for again. */
    changed: event<(head: ConversationHead) => void>(),
    /** The transcript of a subagent changed that the panel has shown: its items are to be asked for again. */
    subagentChanged: event<(filePath: string) => void>(),
    /** `find`: what led there, and is to be shown where it stands. */
    reveal: event<(line: number, find: FindQuery | null) => void>(),
    openFind: event<() => void>(),
    /** Nothing is read any more, for the reason given, until the person tries again: what is shown may grow old. */
    stopped: event<(why: string) => void>(),
  },
);

export type PanelCalls = Calls<typeof panelChannel>;
export type PanelEvents = Events<typeof panelChannel>;

/**
 * Where a panel stands: kept over a reload of the window. VS Code keeps what the webview gives to its `setState`, and
 * nothing else: this, and only this.
 */
export interface PanelNavigation {
  readonly filePath: string;
  readonly view: ConversationView;
  /** The line at the top, and how many pixels of its item are above it; null: at the end, where new rows come. */
  readonly at: { readonly line: number; readonly offsetPx: number } | null;
}

export type PanelAction =
  | { readonly kind: 'copy'; readonly text: string }
  | { readonly kind: 'copyLink'; readonly line: number }
  | { readonly kind: 'revealLine'; readonly filePath: string; readonly line: number }
  /** A path that is not absolute is below the session's folder. Lines count from 1. */
  | { readonly kind: 'openFile'; readonly path: string; readonly line?: number; readonly endLine?: number }
  | { readonly kind: 'openDiff'; readonly filePath: string; readonly line: number; readonly path: string }
  | { readonly kind: 'openConversation'; readonly filePath: string }
  | { readonly kind: 'repair' }
  /** A new session that ends with the row at `line`. */
  | { readonly kind: 'fork'; readonly line: number }
  /** Files go back to what they were before the prompt at `line`. */
  | { readonly kind: 'rewind'; readonly line: number }
  | { readonly kind: 'openLink'; readonly href: string };

export interface PanelStart {
  readonly navigation: PanelNavigation;
  /** Show this line first, and mark it: a hit, or a link. */
  readonly reveal: number | null;
  /** What led to that line: it is shown where it stands there. */
  readonly find: FindQuery | null;
  readonly head: ConversationHead;
  /** The pages of items (`PAGE_ITEMS`) that are seen first. */
  readonly pages: readonly ItemsPage[];
  /** Sentences and words of the panel in the language of the window, by their English text. */
  readonly texts: Readonly<Record<string, string>>;
  /** For dates and figures. */
  readonly locale: string;
  /** As the event `stopped` gives it; null while the conversation is followed. */
  readonly stopped: string | null;
}

/** When what happened in a panel's page, in milliseconds since the epoch. */
export interface PageTimes {
  /** The browser began to load it. */
  readonly beganMs: number;
  /** Its script ran. */
  readonly ranMs: number;
  /** It had the answer to its first call. */
  readonly answeredMs: number;
  /** The first rows were in it, and no place was empty. */
  readonly drawnMs: number;
  /** They could be seen. */
  readonly paintedMs: number;
}

/** Items in one answer. */
const MAX_ITEMS = 500;
/** UTF-16 units of a text that is searched for. */
const MAX_QUERY_LENGTH = 10_000;
const MAX_COPY_LENGTH = 64 * 1024 * 1024;

/**
 * What a page sends was perhaps sent by what a transcript holds, so that each call is refused unless all of its arguments are
 * what the types say. A page
 * itself needs none of this: marked as pure, the call is left out of its bundle.
 */
export const panelSchemas = /* @__PURE__ */ createPanelSchemas();

function createPanelSchemas() {
  const PATH = v.pipe(v.string(), v.minLength(1), v.maxLength(4096));
  /** Of a block within its row. */
  const BLOCK_PATH = v.pipe(v.string(), v.maxLength(1000));
  const LINE = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
  const FROM = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
  const COUNT = v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(MAX_ITEMS));

  const VIEW = v.variant('kind', [
    v.object({ kind: v.literal('chain') }),
    v.object({ kind: v.literal('branch'), leafLine: LINE }),
    v.object({ kind: v.literal('file') }),
  ]);

  const FIND_QUERY = v.object({
    text: v.pipe(v.string(), v.maxLength(MAX_QUERY_LENGTH)),
    isRegExp: v.boolean(),
    isCaseSensitive: v.boolean(),
    roles: v.pipe(
      v.array(v.picklist(['user', 'assistant', 'system', 'attachment', 'progress', 'unknown'])),
      v.maxLength(6),
    ),
    tool: v.nullable(v.pipe(v.string(), v.maxLength(500))),
  });

  const NAVIGATION = v.object({
    view: VIEW,
    at: v.nullable(v.object({ line: LINE, offsetPx: v.pipe(v.number(), v.finite()) })),
  });

  const TIME = v.pipe(v.number(), v.finite());
  const PAGE_TIMES = v.object({
    beganMs: TIME,
    ranMs: TIME,
    answeredMs: TIME,
    drawnMs: TIME,
    paintedMs: TIME,
  });

  const ACTION = v.variant('kind', [
    v.object({ kind: v.literal('copy'), text: v.pipe(v.string(), v.maxLength(MAX_COPY_LENGTH)) }),
    v.object({ kind: v.literal('copyLink'), line: LINE }),
    v.object({ kind: v.literal('revealLine'), filePath: PATH, line: LINE }),
    v.object({ kind: v.literal('openFile'), path: PATH, line: v.exactOptional(LINE), endLine: v.exactOptional(LINE) }),
    v.object({ kind: v.literal('openDiff'), filePath: PATH, line: LINE, path: BLOCK_PATH }),
    v.object({ kind: v.literal('openConversation'), filePath: PATH }),
    v.object({ kind: v.literal('repair') }),
    v.object({ kind: v.literal('fork'), line: LINE }),
    v.object({ kind: v.literal('rewind'), line: LINE }),
    v.object({ kind: v.literal('openLink'), href: v.pipe(v.string(), v.maxLength(8192)) }),
  ]);

  const calls: Schemas<typeof panelChannel> = {
    ready: v.tuple([]),
    head: v.tuple([VIEW]),
    items: v.tuple([PATH, VIEW, FROM, COUNT]),
    outline: v.tuple([VIEW]),
    text: v.tuple([PATH, LINE, BLOCK_PATH]),
    image: v.tuple([PATH, LINE, BLOCK_PATH]),
    persisted: v.tuple([PATH]),
    find: v.tuple([VIEW, FIND_QUERY]),
    indexOfLine: v.tuple([VIEW, LINE]),
    navigated: v.tuple([NAVIGATION]),
    shown: v.tuple([PAGE_TIMES]),
    act: v.tuple([ACTION]),
    tryAgain: v.tuple([]),
  };
  return { BLOCK_PATH, LINE, NAVIGATION, PATH, calls };
}
