import type { Finding } from './repair';

/** What of a transcript is shown, oldest first. */
export type ConversationView =
  /** The resumed chain, with what came before its breaks and compactions. */
  | { readonly kind: 'chain' }
  /** The chain of another leaf: the 1-based line of its row. */
  | { readonly kind: 'branch'; readonly leafLine: number }
  /** Every row in the order of the file. */
  | { readonly kind: 'file' };

/** Who a row is from. */
export type ItemRole = 'user' | 'assistant' | 'system' | 'attachment' | 'progress' | 'unknown';

/** A row of the transcript, ready to be shown. Long values are cut; the rest is asked for. */
export interface RowItem {
  readonly kind: 'row';
  /** 1-based line of the transcript: what a row is named by, stable while the file grows. */
  readonly line: number;
  readonly uuid: string | null;
  readonly role: ItemRole;
  /** Milliseconds since the epoch; null where the row tells no time. */
  readonly timeMs: number | null;
  /** It reaches the request that Claude would send on resume. Null for rows that never do, and are no loss. */
  readonly isLoaded: boolean | null;
  readonly isSidechain: boolean;
  /** It goes on the message of the item before it. */
  readonly continues: boolean;
  readonly model: string | null;
  readonly blocks: readonly ContentBlock[];
  /** Other ways the conversation went on from this row. */
  readonly branches: readonly Branch[];
  /** Branches that are left out; not there when none is. */
  readonly moreBranches?: number;
}

export interface Branch {
  /** Line of the branch's leaf. */
  readonly leafLine: number;
  /** Rows of the branch alone. */
  readonly rows: number;
  /** First words of its first prompt or reply. */
  readonly label: string;
  readonly timeMs: number | null;
}

/** Text of which the panel has the beginning. */
export interface CutText {
  readonly text: string;
  /** UTF-16 units that were left out; 0 when it is whole. */
  readonly more: number;
}

export type ContentBlock =
  /** What a person typed, or Claude replied: Markdown. */
  | { readonly kind: 'text'; readonly path: string; readonly body: CutText }
  | { readonly kind: 'thinking'; readonly path: string; readonly body: CutText; readonly isRedacted: boolean }
  | ToolBlock
  /** A result whose call is not in the view. */
  | { readonly kind: 'result'; readonly path: string; readonly toolUseId: string | null; readonly result: ToolResult }
  | { readonly kind: 'image'; readonly path: string; readonly mediaType: string; readonly bytes: number }
  | {
      readonly kind: 'compaction';
      readonly trigger: string | null;
      readonly tokensBefore: number | null;
      readonly earlierRows: number;
    }
  /** The summary that stands for what was compacted: Markdown. */
  | { readonly kind: 'summary'; readonly path: string; readonly body: CutText }
  | { readonly kind: 'interruption'; readonly duringTool: boolean }
  | { readonly kind: 'error'; readonly path: string; readonly body: CutText }
  /** A quiet line: what the client wrote down for itself. */
  | { readonly kind: 'note'; readonly title: string; readonly path: string; readonly body: CutText | null }
  /** Whatever is not known: JSON, or the bytes of a line that holds none. */
  | { readonly kind: 'raw'; readonly title: string; readonly path: string; readonly body: CutText };

/** A call of a tool, with its result where the transcript has one. */
export interface ToolBlock {
  readonly kind: 'tool';
  readonly path: string;
  readonly id: string | null;
  readonly name: string;
  /** One line that says what it is about: a command, a path, a pattern. */
  readonly title: string;
  readonly input: ToolInput;
  readonly result: (ToolResult & { readonly line: number }) | null;
  /** Path of the transcript of the subagent that the call started. */
  readonly subagent: string | null;
  /** Line of the last row of the subagent that the call started, where its rows stand in this transcript. */
  readonly subagentLeaf?: number;
}

export type ToolInput =
  | { readonly kind: 'bash'; readonly command: CutText; readonly description: string | null }
  | { readonly kind: 'read'; readonly filePath: string; readonly offset: number | null; readonly limit: number | null }
  | { readonly kind: 'diff'; readonly filePath: string; readonly hunks: readonly DiffHunk[]; readonly more: number }
  | { readonly kind: 'write'; readonly filePath: string; readonly content: CutText }
  | { readonly kind: 'search'; readonly pattern: string; readonly where: string | null }
  | { readonly kind: 'web'; readonly url: string | null; readonly query: string | null; readonly prompt: string | null }
  | { readonly kind: 'agent'; readonly agentType: string | null; readonly prompt: CutText }
  | { readonly kind: 'todos'; readonly todos: readonly { readonly text: string; readonly status: string }[] }
  /** Any other tool: its input as JSON. */
  | { readonly kind: 'json'; readonly json: CutText };

export interface DiffHunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly { readonly kind: 'context' | 'added' | 'removed'; readonly text: string }[];
}

export interface ToolResult {
  readonly path: string;
  readonly isError: boolean;
  /** Terminal output may hold ANSI colours. */
  readonly text: CutText | null;
  readonly images: readonly { readonly path: string; readonly mediaType: string; readonly bytes: number }[];
  /** Absolute path of the file that holds the whole output, where it was too long for the transcript. */
  readonly persisted: string | null;
}

/** The history is broken here: what stands above it in the view does not reach Claude. */
export interface BreakItem {
  readonly kind: 'break';
  /** Line of the row whose link leads nowhere. */
  readonly line: number;
  /** The client goes on above it by time. */
  readonly isHealed: boolean;
  readonly findings: readonly Finding[];
}

/** A line that is no row: torn, glued or of NULs. */
export interface FaultItem {
  readonly kind: 'fault';
  readonly line: number;
  readonly findings: readonly Finding[];
}

export type ConversationItem = RowItem | BreakItem | FaultItem;

/** What is known of the whole conversation, without its text. */
export interface ConversationHead {
  /** Counts up with every change of the file. */
  readonly revision: number;
  readonly filePath: string;
  readonly sessionId: string;
  readonly title: string | null;
  readonly cwd: string | null;
  readonly model: string | null;
  readonly gitBranch: string | null;
  readonly loads: number;
  readonly of: number;
  readonly findings: readonly Finding[];
  /** The view that was asked for last: what `count` is of. */
  readonly view: ConversationView;
  /** Items of the view. */
  readonly count: number;
  /** Branches of the resumed chain, those that were written to last first, as many as a menu holds; and the one that is the view. */
  readonly branches: readonly Branch[];
  /** Branches that are left out. */
  readonly moreBranches: number;
  /** Bytes of the transcript. */
  readonly fileSize: number;
  /** Times that the file was found to hold something else than what was read of it: it was cut, replaced or rewritten. */
  readonly replacements: number;
  /** A client runs the session. */
  readonly isLive: boolean;
  /** Why there is nothing to show: it was deleted, or cannot be read. */
  readonly problem: string | null;
}

export interface ItemsPage {
  readonly revision: number;
  readonly from: number;
  /** Fewer than asked for at the end of the conversation. */
  readonly items: readonly ConversationItem[];
}

/** A prompt, for jumping: the outline. */
export interface OutlineEntry {
  readonly index: number;
  readonly line: number;
  /** First words. */
  readonly label: string;
  readonly timeMs: number | null;
  readonly isLoaded: boolean;
}

export interface FindQuery {
  readonly text: string;
  readonly isRegExp: boolean;
  readonly isCaseSensitive: boolean;
  /** Empty: everybody. */
  readonly roles: readonly ItemRole[];
  /** Part of the name of a tool, as the transcript has it or as it is shown: only calls and results of such. */
  readonly tool: string | null;
}

export interface FindResult {
  readonly revision: number;
  /** Indexes of items with a hit, ascending. */
  readonly items: readonly number[];
  /** Hits in each of the items. */
  readonly counts: readonly number[];
  /** Hits in all of them. */
  readonly hits: number;
  /** Of a regular expression: what it matched. Null for a plain text. */
  readonly matched: MatchedTexts | null;
  /** The search ended at its bound; there may be more. */
  readonly isCut: boolean;
  /** Why there is no result, or only a part of one: the regular expression is none, or takes too long. */
  readonly problem: string | null;
}

/**
 * By this a panel marks the hits of a regular expression, which it never runs itself: some would run for ever. Bounded: of
 * what is found in many items, or in many ways, not all may be told.
 */
export interface MatchedTexts {
  readonly texts: readonly MatchedText[];
  /** For each item of the result: places in `texts`. */
  readonly ofItems: readonly (readonly number[])[];
}

/** What was matched, or the beginning of it, as it is written. */
export interface MatchedText {
  readonly text: string;
  readonly before: MatchEdge;
  readonly after: MatchEdge;
}

/** What stands beside a match: nothing more on the line, no letter or digit, one of these, or whatever there may be. */
export type MatchEdge = 'line' | 'gap' | 'inside' | 'any';

/** Items that a panel asks for at once: page n holds those from n times as many. */
export const PAGE_ITEMS = 40;

/** Numbers of the pages of an item and of those on both sides of it; of the last items when it is null. */
export function pagesAround(index: number | null, count: number): number[] {
  const middle = index ?? count - 1;
  return pagesOf(Math.max(0, middle - PAGE_ITEMS / 2), Math.min(count - 1, middle + PAGE_ITEMS / 2));
}

/** Numbers of the pages of the items `[from, to]`. */
export function pagesOf(from: number, to: number): number[] {
  const pages: number[] = [];
  for (let page = Math.floor(from / PAGE_ITEMS); page <= Math.floor(to / PAGE_ITEMS); page++) pages.push(page);
  return pages;
}
