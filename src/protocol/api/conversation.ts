import type {
  ConversationHead,
  ConversationView,
  FindQuery,
  FindResult,
  ItemsPage,
  OutlineEntry,
} from '../conversation';

/** What the worker tells of conversations; `filePath` names one. Every answer is made of what the file says at that time. */
export interface ConversationsApi {
  /** Opens the conversation if it is not, and says what is known of it. */
  openConversation(filePath: string, view: ConversationView): Promise<ConversationHead>;
  closeConversation(filePath: string): Promise<void>;
  conversationItems(filePath: string, view: ConversationView, from: number, count: number): Promise<ItemsPage>;
  conversationOutline(filePath: string, view: ConversationView): Promise<readonly OutlineEntry[]>;
  /** All of a text that was cut: `path` of its block or result in the row at `line`. Null when it is not there any more. */
  conversationText(filePath: string, line: number, path: string): Promise<string | null>;
  /** An image as a data URL; null when it is none, or too large. */
  conversationImage(filePath: string, line: number, path: string): Promise<string | null>;
  /** The output that the client kept in a file of the session. */
  persistedOutput(filePath: string, outputPath: string): Promise<string | null>;
  findInConversation(filePath: string, view: ConversationView, query: FindQuery): Promise<FindResult>;
  /** Index of the item that shows the row at `line`; null when it is in another view. */
  indexOfLine(filePath: string, view: ConversationView, line: number): Promise<number | null>;
  /** The line as it stands in the file; null when there is none. Of a line beyond 16 MiB, the beginning. */
  conversationLine(filePath: string, line: number): Promise<string | null>;
  /** What the edit, or the writing, at `path` (of the call's block) in the row at `line` changed; null when it is none. */
  conversationEdit(filePath: string, line: number, path: string): Promise<EditTexts | null>;
}

/** A file before and after an edit: all of it where the transcript tells, else the passage that was replaced. */
export interface EditTexts {
  /** Of the edited file, as the call names it. */
  readonly filePath: string;
  readonly before: string;
  readonly after: string;
}

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

/** What the panel asks of its host. Paths name rows of its own conversation, or of a subagent of it. */
export interface PanelHostApi {
  /** The first call: where to begin. */
  ready(): Promise<PanelStart>;
  head(view: ConversationView): Promise<ConversationHead>;
  items(filePath: string, view: ConversationView, from: number, count: number): Promise<ItemsPage>;
  outline(view: ConversationView): Promise<readonly OutlineEntry[]>;
  text(filePath: string, line: number, path: string): Promise<string | null>;
  image(filePath: string, line: number, path: string): Promise<string | null>;
  persisted(outputPath: string): Promise<string | null>;
  find(view: ConversationView, query: FindQuery): Promise<FindResult>;
  indexOfLine(view: ConversationView, line: number): Promise<number | null>;
  /** Where the panel begins when it is shown again; the webview gives the same to `setState`, with the file's path. */
  navigated(navigation: Omit<PanelNavigation, 'filePath'>): void;
  /** The first screen stands. */
  shown(times: PageTimes): void;
  act(action: PanelAction): Promise<void>;
  /** Starts what reads the transcripts again, after `stopped`. What it has to tell comes by `changed`. */
  tryAgain(): Promise<void>;
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
  /** As `PanelApi.stopped` tells it; null while the conversation is followed. */
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

/** What the host tells the panel. */
export interface PanelApi {
  /** The file changed: whatever was shown is to be asked for again. */
  changed(head: ConversationHead): void;
  /** The transcript of a subagent changed that the panel has shown: its items are to be asked for again. */
  subagentChanged(filePath: string): void;
  /** @param find  what led there, and is to be shown where it stands */
  reveal(line: number, find: FindQuery | null): void;
  openFind(): void;
  /** Nothing is read any more, for the reason given, until the person tries again: what is shown may grow old. */
  stopped(why: string): void;
}
