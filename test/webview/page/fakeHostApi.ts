import type { PanelAction, PanelNavigation, ShownParts } from '../../../src/protocol/channels/panel';
import type { ConversationView, FindResult } from '../../../src/protocol/conversation';
import type { RepairScope } from '../../../src/protocol/repair';

/** A repair or an undo that the page requested. */
export type PageRepair = 'repair' | 'repair wrong-leaf' | 'undo';

/** The changes to the conversation that a test can trigger in the page. */
export interface FakeHost {
  append(rows: number): void;
  /** Rows before all others, as when a repair restores lost ones. */
  insertBefore(rows: number): void;
  /** The undo of a repair breaks the history before the item at `index`; no row is added to the file. */
  undoRepair(index: number): void;
  /** A call that starts a subagent. */
  startSubagent(): void;
  /** The subagent adds a row. */
  appendToSubagent(rows: number): void;
  truncate(to: number): void;
  /** Another file replaces the transcript. */
  replace(count: number): void;
  /** The transcript is deleted: nothing of it can be read any more. */
  remove(why: string): void;
  /** It is there again. */
  bringBack(count: number): void;
  /** Rows are added, and the notification is for a view other than the one shown. */
  changeOf(view: ConversationView, rows: number): void;
  /** The extension's worker was replaced by one that counts revisions from the beginning; a row was added meanwhile. */
  restart(): void;
  /** The extension's worker has given up; it reads again when the person retries, and a row was added meanwhile. */
  stop(): void;
  /** The session was found again after a restart of the window. */
  reconnect(atMs: number): void;
  /** @param sought  what led there */
  reveal(line: number, sought?: string): void;
  openFind(): void;
  /** The search result from here on, whatever is searched for. */
  answerFind(result: Pick<FindResult, 'items' | 'counts' | 'hits' | 'matched'>): void;
  goToPrompt(step: 1 | -1): void;
  foldAll(): void;
  copyMessage(line: number, as: 'text' | 'markdown'): void;
  offerRepair(scope: RepairScope): void;
  actions(): readonly PanelAction[];
  /** The repairs and undos that the page requested. */
  repairs(): readonly PageRepair[];
  /** How often the page asked what a repair would do. */
  proposals(): number;
  /** How often the page asked what the session used. */
  usageCalls(): number;
  itemCalls(): readonly { readonly from: number; readonly count: number }[];
  /** The state that the panel last stored in VS Code. */
  navigation(): PanelNavigation | null;
  /** The parts of messages that the panel last said to show. */
  shownParts(): ShownParts;
}

declare global {
  interface Window {
    readonly fake: FakeHost;
  }
}
