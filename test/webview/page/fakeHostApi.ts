import type { PanelAction, PanelNavigation } from '../../../src/protocol/channels/panel';
import type { ConversationView, FindResult } from '../../../src/protocol/conversation';

/** What a test can have happen to the conversation in the page. */
export interface FakeHost {
  append(rows: number): void;
  /** Rows that come before all others, as when a repair brings back what was lost. */
  insertBefore(rows: number): void;
  /** A call that starts a subagent. */
  startSubagent(): void;
  /** The subagent says more. */
  appendToSubagent(rows: number): void;
  truncate(to: number): void;
  /** Another file takes the place of the transcript. */
  replace(count: number): void;
  remove(why: string): void;
  /** Rows come, and what is told of it is of another view than the one that is shown. */
  changeOf(view: ConversationView, rows: number): void;
  /** The host's worker is another one, which counts revisions from the beginning; a row came meanwhile. */
  restart(): void;
  /** The host's worker has given up; it reads again when the person tries again, and a row came meanwhile. */
  stop(): void;
  /** @param sought  what led there */
  reveal(line: number, sought?: string): void;
  openFind(): void;
  /** What is found from here on, whatever is looked for. */
  answerFind(result: Pick<FindResult, 'items' | 'counts' | 'hits' | 'matched'>): void;
  actions(): readonly PanelAction[];
  itemCalls(): readonly { readonly from: number; readonly count: number }[];
  /** What the panel last had VS Code keep. */
  navigation(): PanelNavigation | null;
}

declare global {
  interface Window {
    readonly fake: FakeHost;
  }
}
