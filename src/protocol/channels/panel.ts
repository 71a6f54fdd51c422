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
import { type Finding, type FindingOffer, type RepairScope, WRONG_LEAF } from '../repair';
import type { SessionUsage } from '../usage';

/** Longer than the extension's own timeout for its worker. */
const PAGE_TIMEOUT_MS = 120_000;
/** Counting a transcript of several gigabytes takes minutes. */
const USAGE_TIMEOUT_MS = 11 * 60_000;
/** Repairing a transcript of several gigabytes takes minutes. */
const REPAIR_TIMEOUT_MS = 20 * 60_000;

/**
 * Between a conversation panel's page and the extension. Paths identify rows of the panel's conversation or of one of its
 * subagents.
 */
export const panelChannel = defineChannel(
  'panel',
  {
    /** The first call: returns what to show first, unless the event `started` has brought it. */
    ready: call<() => PanelStart | SentStart>({ timeoutMs: PAGE_TIMEOUT_MS }),
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
    /**
     * Reports where the panel starts when it is shown again. The page passes the same to `setState`, with the file's path.
     */
    navigated: notice<(navigation: Omit<PanelNavigation, 'filePath'>) => void>(),
    /** Null for what has no usage of its own, such as a subagent. Counts the session and its subagents if they changed. */
    usage: call<() => PanelUsage | null>({ timeoutMs: USAGE_TIMEOUT_MS }),
    /** The person chose which parts of messages are shown, in all conversations. */
    showParts: notice<(parts: ShownParts) => void>(),
    /** The first screen is drawn. */
    shown: notice<(times: PageTimes) => void>(),
    act: call<(action: PanelAction) => void>({ timeoutMs: PAGE_TIMEOUT_MS }),
    /** What a repair of the session would do. Changes nothing. */
    repairProposal: call<(scope: RepairScope) => RepairProposal>({ timeoutMs: REPAIR_TIMEOUT_MS }),
    /** `isInsisted`: also if a client may be running the session. */
    repair: call<(scope: RepairScope, isInsisted: boolean) => RepairAnswer>({ timeoutMs: REPAIR_TIMEOUT_MS }),
    undoRepair: call<(isInsisted: boolean) => RepairAnswer>({ timeoutMs: REPAIR_TIMEOUT_MS }),
    /** Restarts the worker that reads the transcripts, after `stopped`. Results arrive as `changed`. */
    tryAgain: call<() => void>({ timeoutMs: PAGE_TIMEOUT_MS }),
  },
  // Not answered, because a hidden page cannot answer.
  {
    /**
     * What to show first. It is sent to a panel that was just made, while its page is still being loaded; VS Code delivers it before it
     * delivers an answer.
     */
    started: event<(start: PanelStart) => void>(),
    /** The file changed: the page must request everything it shows again. */
    changed: event<(head: ConversationHead) => void>(),
    /** The transcript of a subagent that the panel has shown changed: its items must be requested again. */
    subagentChanged: event<(filePath: string) => void>(),
    /** `find`: the query that led to the line; its hits are marked there. */
    reveal: event<(line: number, find: FindQuery | null) => void>(),
    openFind: event<() => void>(),
    /** Scrolls to the next prompt (1) or the previous one (-1). */
    goToPrompt: event<(step: 1 | -1) => void>(),
    /** Copies the message at a line, as `act` does with its text. */
    copyMessage: event<(line: number, as: 'text' | 'markdown') => void>(),
    /** Closes what the person has opened in messages. */
    foldAll: event<() => void>(),
    /** The person asked for a repair outside the panel: it is offered at the break. */
    offerRepair: event<(scope: RepairScope) => void>(),
    /** The repair that the page shows in the history; null once it was undone. */
    repaired: event<(seam: RepairSeam | null) => void>(),
    /**
     * The session's terminal was found again after a restart of the window: when, in milliseconds since the epoch; null if it was not,
     * or once its client has ended.
     */
    reconnected: event<(atMs: number | null) => void>(),
    /** Reading has stopped, for the given reason, until the person tries again: the content shown may become outdated. */
    stopped: event<(why: string) => void>(),
  },
);

export type PanelCalls = Calls<typeof panelChannel>;
export type PanelEvents = Events<typeof panelChannel>;

/**
 * Position of a panel, kept when the window reloads. VS Code keeps only what the webview passes to `setState`, so it passes
 * exactly this.
 */
export interface PanelNavigation {
  readonly filePath: string;
  readonly view: ConversationView;
  /**
   * The line at the top, and how many pixels of its item are above the viewport; null for the end, where rows are appended.
   */
  readonly at: { readonly line: number; readonly offsetPx: number } | null;
}

export type PanelAction =
  | { readonly kind: 'copy'; readonly text: string }
  | { readonly kind: 'copyLink'; readonly line: number }
  | { readonly kind: 'revealLine'; readonly filePath: string; readonly line: number }
  /** A relative path is resolved against the session's folder. Lines are 1-based. */
  | { readonly kind: 'openFile'; readonly path: string; readonly line?: number; readonly endLine?: number }
  | { readonly kind: 'openDiff'; readonly filePath: string; readonly line: number; readonly path: string }
  | { readonly kind: 'openConversation'; readonly filePath: string }
  | { readonly kind: 'resume' }
  /** Asks where to fork. */
  | { readonly kind: 'forkSession' }
  /** Asks which prompt to go back to. */
  | { readonly kind: 'rewindFiles' }
  | { readonly kind: 'showChanges' }
  | { readonly kind: 'export' }
  | { readonly kind: 'copySessionId' }
  /** Creates a session that ends with the row at `line`. */
  | { readonly kind: 'fork'; readonly line: number }
  /** Opens what is said about repairs of findings with this code. */
  | { readonly kind: 'explainRepair'; readonly code: string }
  /** Does what a finding of the session offers. */
  | { readonly kind: 'takeOffer'; readonly offer: FindingOffer['kind'] }
  /** Restores the files to their state before the prompt at `line`. */
  | { readonly kind: 'rewind'; readonly line: number }
  | { readonly kind: 'openLink'; readonly href: string };

/** What a session used, and what resuming it means, as far as its panel shows it. */
export interface PanelUsage extends Pick<SessionUsage, 'total' | 'context'> {
  /** Null if it is not known, or there is nothing to resume. */
  readonly preflight: PanelPreflight | null;
  /** What only a close look at the session finds: the head of its conversation does not have it. */
  readonly findings: readonly Finding[];
}

/** What resuming the session means. The sentences are in the window's language. */
export interface PanelPreflight {
  /** What is sent, how much of it is not cached, and what it costs. */
  readonly request: string;
  readonly why: string;
  /** What the client starts again by itself; null if nothing. */
  readonly rearms: string | null;
  /** When another answer is true; milliseconds since the epoch, null for never. */
  readonly changesAtMs: number | null;
}

/** A repair as the page offers it; the sentences are in the window's language. */
export type RepairProposal =
  | {
      readonly kind: 'repair';
      /** What Claude would remember. */
      readonly effect: string;
      readonly changes: RepairedPart;
      /** What else the person should know before. */
      readonly notes: readonly string[];
      /** Every edit in the style of a diff: removed values begin with `-`, added values with `+`. */
      readonly change: string;
    }
  | { readonly kind: 'nothing'; readonly why: string };

/** What a repair changes: what connects messages, the content of messages as well, or only with which message Claude goes on. */
export type RepairedPart = 'links' | 'content' | 'branch';

/** How a repair or its undo ended. */
export type RepairAnswer =
  | { readonly kind: 'done' }
  /** `canInsist`: a client may be running the session, and the person can accept the risk. */
  | { readonly kind: 'refused'; readonly why: string; readonly canInsist: boolean };

/** A repair that was done and can be undone, shown where it changed the history. */
export interface RepairSeam {
  /**
   * 1-based lines of the messages that were connected to others, ascending; empty if lines were split, so that those below
   * have other numbers, or if no message was connected.
   */
  readonly lines: readonly number[];
}

/** Which parts of messages, and what beside them, a panel shows. */
export interface ShownParts {
  readonly thinking: boolean;
  /** Calls and their results. */
  readonly tools: boolean;
  readonly notes: boolean;
  readonly timestamps: boolean;
  /** The list of prompts, where there is room beside the conversation. */
  readonly prompts: boolean;
}

export const ALL_PARTS: ShownParts = { thinking: true, tools: true, notes: true, timestamps: true, prompts: true };

export interface PanelStart {
  readonly navigation: PanelNavigation;
  /** Line to show first and to mark: a search hit or the target of a link. */
  readonly reveal: number | null;
  /** The query that led to that line; its hits are marked there. */
  readonly find: FindQuery | null;
  readonly head: ConversationHead;
  readonly shown: ShownParts;
  /** The pages of items (`PAGE_ITEMS`) visible first. */
  readonly pages: readonly ItemsPage[];
  /** Texts of the panel in the window's language, keyed by their English text. */
  readonly texts: Readonly<Record<string, string>>;
  /** Used to format dates and numbers. */
  readonly locale: string;
  /** The reason from the event `stopped`; null while the conversation is followed. */
  readonly stopped: string | null;
  /** The time from the event `reconnected`; null if the session was not lost sight of. */
  readonly reconnectedMs: number | null;
  /** The repair from the event `repaired`; null if there is none. */
  readonly seam: RepairSeam | null;
  /** As the event `offerRepair`; null if the person has not asked for one. */
  readonly offersRepair: RepairScope | null;
}

/** What the person asked for after `started` was sent. */
export interface SentStart extends Pick<PanelStart, 'reveal' | 'find' | 'offersRepair'> {
  readonly isSent: true;
}

/** Times of the stages of loading a panel's page, in milliseconds since the epoch. */
export interface PageTimes {
  /** The browser started to load the page. */
  readonly beganMs: number;
  /** The page's script ran. */
  readonly ranMs: number;
  /** The first call was answered. */
  readonly answeredMs: number;
  /** The first rows were in the page, without an empty placeholder. */
  readonly drawnMs: number;
  /** The rows were painted. */
  readonly paintedMs: number;
}

/** Maximum number of items in one answer. */
const MAX_ITEMS = 500;
/** Maximum length of a search text, in UTF-16 units. */
const MAX_QUERY_LENGTH = 10_000;
const MAX_COPY_LENGTH = 64 * 1024 * 1024;

/**
 * Content of a transcript might make the page send calls, so a call is refused unless all of its arguments match the types.
 * The page itself does not need the schemas: the call is marked as pure, so it is left out of the page's bundle.
 */
export const panelSchemas = /* @__PURE__ */ createPanelSchemas();

function createPanelSchemas() {
  const PATH = v.pipe(v.string(), v.minLength(1), v.maxLength(4096));
  /** Path of a block within its row. */
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

  const SHOWN_PARTS = v.object({
    thinking: v.boolean(),
    tools: v.boolean(),
    notes: v.boolean(),
    timestamps: v.boolean(),
    // What an earlier version stored does not have it.
    prompts: v.optional(v.boolean(), true),
  });

  const SCOPE = v.picklist(['all', WRONG_LEAF]);

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
    v.object({ kind: v.picklist(['resume', 'forkSession', 'rewindFiles', 'showChanges', 'export', 'copySessionId']) }),
    v.object({ kind: v.literal('explainRepair'), code: v.pipe(v.string(), v.regex(/^[a-z-]{1,40}$/)) }),
    v.object({
      kind: v.literal('takeOffer'),
      offer: v.picklist(['choose-branch', 'fork-newest', 'open-original', 'fork-branch']),
    }),
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
    usage: v.tuple([]),
    showParts: v.tuple([SHOWN_PARTS]),
    shown: v.tuple([PAGE_TIMES]),
    act: v.tuple([ACTION]),
    repairProposal: v.tuple([SCOPE]),
    repair: v.tuple([SCOPE, v.boolean()]),
    undoRepair: v.tuple([v.boolean()]),
    tryAgain: v.tuple([]),
  };
  return { BLOCK_PATH, LINE, NAVIGATION, PATH, SHOWN_PARTS, calls };
}
