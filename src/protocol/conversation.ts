import type { Finding } from './repair';
import type { SessionRef } from './session';

/** Which rows of a transcript are shown, oldest first. */
export type ConversationView =
  /** The resumed chain, including the rows before its breaks and compactions. */
  | { readonly kind: 'chain' }
  /** The chain of another leaf, identified by the 1-based line of its row. */
  | { readonly kind: 'branch'; readonly leafLine: number }
  /** Every row in file order. */
  | { readonly kind: 'file' };

/** Author of a row. */
export type ItemRole = 'user' | 'assistant' | 'system' | 'attachment' | 'progress' | 'unknown';

/** Why Claude does not have a message in its memory. */
export type ForgottenAs =
  /** A compaction replaced it by a summary. */
  | 'summarised'
  /** The history is broken below it, or the client cannot read it. */
  | 'lost'
  /** The conversation went on without it. */
  | 'otherBranch';

/** A row of the transcript, ready for display. Long values are truncated; the rest is requested separately. */
export interface RowItem {
  readonly kind: 'row';
  /** 1-based line of the transcript; identifies the row and is stable while the file grows. */
  readonly line: number;
  readonly uuid: string | null;
  readonly role: ItemRole;
  /** Milliseconds since the epoch; null if the row has no time. */
  readonly timeMs: number | null;
  /** The row is part of the request that Claude would send on resume; null for rows that a request never includes. */
  readonly isLoaded: boolean | null;
  /** Absent if Claude has the row in its memory, and if the row does not matter to it. */
  readonly forgottenAs?: ForgottenAs;
  readonly isSidechain: boolean;
  /** The row has no header, because its author has one above it in the same turn. */
  readonly continues: boolean;
  readonly model: string | null;
  /** The model differs from that of the header before, so that the header names it. */
  readonly isModelNew?: true;
  readonly blocks: readonly ContentBlock[];
  /** Other branches that start from this row. */
  readonly branches: readonly Branch[];
  /** Number of omitted branches; absent if there are none. */
  readonly moreBranches?: number;
}

export interface Branch {
  /** Line of the branch's leaf. */
  readonly leafLine: number;
  /** Number of rows that belong only to this branch. */
  readonly rows: number;
  /** Number of prompts and replies that belong only to this branch. */
  readonly messages: number;
  /** First words of its first prompt or reply. */
  readonly label: string;
  readonly timeMs: number | null;
}

/** Text of which the panel has only the beginning, if it is long. */
export interface CutText {
  readonly text: string;
  /** Number of UTF-16 units omitted; 0 if the text is complete. */
  readonly more: number;
}

export type ContentBlock =
  /** A prompt by a person or a reply by Claude: Markdown. */
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
  /** The summary that replaces the compacted rows: Markdown. */
  | { readonly kind: 'summary'; readonly path: string; readonly body: CutText }
  | { readonly kind: 'interruption'; readonly duringTool: boolean }
  | { readonly kind: 'error'; readonly path: string; readonly body: CutText }
  | NoteBlock
  /** Anything of an unknown kind: JSON, or the bytes of a line that is not JSON. */
  | { readonly kind: 'raw'; readonly title: string; readonly path: string; readonly body: CutText };

/** A record of the client, shown unobtrusively. */
export interface NoteBlock {
  readonly kind: 'note';
  readonly title: string;
  readonly path: string;
  readonly body: CutText | null;
  /** The client showed it to the person, such as the output of a command. Without it, the note is context for Claude. */
  readonly isForPerson?: true;
}

/** A tool call, with its result if the transcript has one. */
export interface ToolBlock {
  readonly kind: 'tool';
  readonly path: string;
  readonly id: string | null;
  readonly name: string;
  /** One-line summary: a command, a path or a pattern. */
  readonly title: string;
  readonly input: ToolInput;
  readonly result: (ToolResult & { readonly line: number }) | null;
  /** Path of the transcript of the subagent that the call started. */
  readonly subagent: string | null;
  /** Line of the last row of the subagent that the call started, if its rows are in this transcript. */
  readonly subagentLeaf?: number;
}

export type ToolInput =
  | { readonly kind: 'bash'; readonly command: CutText; readonly description: string | null }
  | { readonly kind: 'read'; readonly filePath: string; readonly offset: number | null; readonly limit: number | null }
  | {
      readonly kind: 'diff';
      readonly filePath: string;
      readonly hunks: readonly DiffHunk[];
      readonly more: number;
      readonly counts?: LineCounts;
    }
  | { readonly kind: 'write'; readonly filePath: string; readonly content: CutText }
  | { readonly kind: 'search'; readonly pattern: string; readonly where: string | null }
  | { readonly kind: 'web'; readonly url: string | null; readonly query: string | null; readonly prompt: string | null }
  | { readonly kind: 'agent'; readonly agentType: string | null; readonly prompt: CutText }
  | { readonly kind: 'todos'; readonly todos: readonly { readonly text: string; readonly status: string }[] }
  /** Any other tool: its input as JSON. */
  | { readonly kind: 'json'; readonly json: CutText };

/** Number of lines that a change adds and removes. */
export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

export interface DiffHunk {
  /** Line number of the first line before the change; null if the transcript does not say where in the file it is. */
  readonly oldStart: number | null;
  /** The same after the change. */
  readonly newStart: number | null;
  readonly lines: readonly { readonly kind: 'context' | 'added' | 'removed'; readonly text: string }[];
}

export interface ToolResult {
  readonly path: string;
  readonly isError: boolean;
  /** Can contain ANSI colours of terminal output. */
  readonly text: CutText | null;
  readonly images: readonly { readonly path: string; readonly mediaType: string; readonly bytes: number }[];
  /** Absolute path of the file with the complete output, if it was too long for the transcript. */
  readonly persisted: string | null;
}

/** The history is broken here: rows above it in the view do not reach Claude. */
export interface BreakItem {
  readonly kind: 'break';
  /** Line of the row whose link points to a missing row. */
  readonly line: number;
  /** The client continues above the break by time. */
  readonly isHealed: boolean;
  readonly findings: readonly Finding[];
}

/** A line that is not a row: torn, glued or filled with NULs. */
export interface FaultItem {
  readonly kind: 'fault';
  readonly line: number;
  readonly findings: readonly Finding[];
}

export type ConversationItem = RowItem | BreakItem | FaultItem;

/** Two or more consecutive rows between messages: calls, thinking and notes. The panel shows them as one item. */
export interface StepsItem {
  readonly kind: 'steps';
  /** That of the first row. */
  readonly line: number;
  readonly rows: readonly RowItem[];
}

/** An item as the panel shows it. */
export type PanelItem = ConversationItem | StepsItem;

/** What Claude remembers when the session is resumed. Messages are prompts and replies; the summary is neither. */
export interface MemoryCounts {
  readonly remembered: number;
  readonly messages: number;
  /** Claude also has the summary of what was compacted. */
  readonly hasSummary: boolean;
}

/** Information about the whole conversation, without its text. */
export interface ConversationHead extends SessionRef {
  /** Increases with every change of the file. */
  readonly revision: number;
  readonly title: string | null;
  readonly cwd: string | null;
  readonly model: string | null;
  readonly gitBranch: string | null;
  readonly loads: number;
  readonly of: number;
  /** Absent if nothing could be read. */
  readonly memory?: MemoryCounts;
  /** Claude does not remember all of the current thread, without a summary of the rest. Absent if it does. */
  readonly losesMessages?: true;
  readonly findings: readonly Finding[];
  /** The view that was last requested; `count` refers to it. */
  readonly view: ConversationView;
  /** Number of items in the view. */
  readonly count: number;
  /**
   * Branches of the resumed chain, most recently written first, at most as many as a menu holds, plus the branch in the
   * view.
   */
  readonly branches: readonly Branch[];
  /** Number of omitted branches. */
  readonly moreBranches: number;
  /** Bytes of the transcript. */
  readonly fileSize: number;
  /** Number of lines of the transcript; absent if it cannot be read. Rows that are added increase it, a repair does not. */
  readonly lineCount?: number;
  /**
   * How often the file was found to be truncated, replaced or rewritten, so that it no longer matched what had been read.
   */
  readonly replacements: number;
  /** A client is running the session. */
  readonly isLive: boolean;
  /** Why there is nothing to show: the file was deleted or cannot be read. */
  readonly problem: string | null;
}

export interface ItemsPage {
  readonly revision: number;
  readonly from: number;
  /** Fewer than requested at the end of the conversation. */
  readonly items: readonly PanelItem[];
}

/** A prompt in the outline, to jump to. */
export interface OutlineEntry {
  readonly index: number;
  readonly line: number;
  /** First words of the prompt. */
  readonly label: string;
  readonly timeMs: number | null;
  readonly isLoaded: boolean;
  /** Absent if Claude has the prompt in its memory. */
  readonly forgottenAs?: ForgottenAs;
}

export interface FindQuery {
  readonly text: string;
  readonly isRegExp: boolean;
  readonly isCaseSensitive: boolean;
  /** Empty for all roles. */
  readonly roles: readonly ItemRole[];
  /** Part of a tool's name, as in the transcript or as shown; limits the search to calls and results of matching tools. */
  readonly tool: string | null;
}

export interface FindResult {
  readonly revision: number;
  /** Indexes of matching items, ascending. */
  readonly items: readonly number[];
  /** Number of hits in each of the items. */
  readonly counts: readonly number[];
  /** Total number of hits. */
  readonly hits: number;
  /** The texts that a regular expression matched; null for a plain text. */
  readonly matched: MatchedTexts | null;
  /** The search reached its limit; there may be more. */
  readonly isCut: boolean;
  /** Why there is no result or only a partial one: the regular expression is invalid or takes too long. */
  readonly problem: string | null;
}

/**
 * Lets a panel mark the hits of a regular expression without running it, since some never finish. Bounded: with many
 * matching items or many different matches, it may be incomplete.
 */
export interface MatchedTexts {
  readonly texts: readonly MatchedText[];
  /** For each item of the result: indexes into `texts`. */
  readonly ofItems: readonly (readonly number[])[];
}

/** The matched text, or its beginning, verbatim. */
export interface MatchedText {
  readonly text: string;
  readonly before: MatchEdge;
  readonly after: MatchEdge;
}

/** What is next to a match: the end of the line, no letter or digit, a letter or digit, or anything. */
export type MatchEdge = 'line' | 'gap' | 'inside' | 'any';

/** Number of items that a panel requests at once; page n starts at item n * PAGE_ITEMS. */
export const PAGE_ITEMS = 40;

/** Page numbers around an item, on both sides of it; around the last item if `index` is null. */
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
