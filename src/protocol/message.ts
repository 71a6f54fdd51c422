import type { Branch, ItemRole } from './conversation';
import type { Finding } from './repair';
import type { Liveness, ResumeSummary, SessionStatus } from './session';
import type { SessionActivity } from './sessionActivity';

/** One entry of a conversation with its complete text. */
export type SessionMessage = MessageRow | CompactionMark | BreakMark | FaultMark;

/** A row: one part of a message by Claude, or a whole message by anyone else. */
export interface MessageRow {
  readonly kind: 'message';
  /** 0-based position in the output. */
  readonly index: number;
  /** 1-based line of the transcript. */
  readonly line: number;
  readonly uuid: string | null;
  readonly role: ItemRole;
  /** Milliseconds since the epoch; null if the row has no time. */
  readonly timeMs: number | null;
  /** `message.id`; the rows of one message share it. */
  readonly messageId: string | null;
  readonly model: string | null;
  readonly gitBranch: string | null;
  readonly cwd: string | null;
  readonly isSidechain: boolean;
  /** The row is part of the request that Claude would send on resume; null for rows that a request never includes. */
  readonly isLoaded: boolean | null;
  readonly parts: readonly MessagePart[];
  /** Other branches from this row, identified by the line of their last row, as `--branch` expects it. */
  readonly branches: readonly Pick<Branch, 'leafLine' | 'rows' | 'messages' | 'label'>[];
}

export type MessagePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string; readonly isRedacted: boolean }
  | MessageToolCall
  /** A result whose call is not shown. */
  | { readonly kind: 'result'; readonly toolUseId: string | null; readonly result: MessageToolResult }
  | { readonly kind: 'image'; readonly mediaType: string; readonly bytes: number }
  /** The summary that replaces the compacted rows. */
  | { readonly kind: 'summary'; readonly text: string }
  | { readonly kind: 'interruption'; readonly duringTool: boolean }
  | { readonly kind: 'error'; readonly text: string }
  /** A record that the client wrote for itself or for Claude. */
  | { readonly kind: 'note'; readonly title: string; readonly text: string | null }
  /** Anything of an unknown kind, as JSON. */
  | { readonly kind: 'raw'; readonly title: string; readonly text: string };

/** A tool call, with its result if the transcript has one. */
export interface MessageToolCall {
  readonly kind: 'tool';
  readonly id: string | null;
  readonly name: string;
  /** One-line summary: a command, a path or a pattern. */
  readonly title: string;
  /** Unchanged from the transcript. */
  readonly input: unknown;
  readonly result: (MessageToolResult & { readonly line: number }) | null;
  /** Absolute path of the transcript of the subagent that the call started. */
  readonly subagent: string | null;
}

export interface MessageToolResult {
  readonly isError: boolean;
  readonly text: string | null;
  readonly images: number;
  /** Absolute path of the file with the complete output, if it was too long for the transcript. */
  readonly persisted: string | null;
}

/** The conversation was compacted here: only a summary of the rows above reaches Claude. */
export interface CompactionMark {
  readonly kind: 'compaction';
  readonly index: number;
  readonly line: number;
  readonly uuid: string | null;
  readonly timeMs: number | null;
  readonly trigger: string | null;
  readonly tokensBefore: number | null;
}

/** A link points to a missing row: the rows above do not reach Claude, unless the client heals the break by time. */
export interface BreakMark {
  readonly kind: 'break';
  readonly index: number;
  readonly line: number;
  readonly isHealed: boolean;
  readonly findings: readonly Finding[];
}

/** A line that is not a row. */
export interface FaultMark {
  readonly kind: 'fault';
  readonly index: number;
  readonly line: number;
  readonly findings: readonly Finding[];
}

/** How a conversation ends, by the last rows of its resumed chain. A client may be going on with it. */
export type ConversationEnd =
  /** The last row is a reply by Claude. */
  | { readonly kind: 'ended' }
  /** A person interrupted Claude, or nothing follows the last prompt or result. */
  | {
      readonly kind: 'interrupted';
      readonly by: 'person' | 'unknown';
      readonly duringTool: boolean;
      readonly line: number;
    }
  /** Calls without a result. */
  | {
      readonly kind: 'waitingOnTool';
      readonly calls: readonly { readonly id: string | null; readonly name: string; readonly line: number }[];
    }
  | { readonly kind: 'apiError'; readonly text: string; readonly line: number }
  /** There are no messages. */
  | { readonly kind: 'empty' };

/** A `ConversationEnd` without the lines it was derived from. */
export type SessionEnd =
  | { readonly kind: 'ended' }
  | { readonly kind: 'interrupted'; readonly by: 'person' | 'unknown'; readonly duringTool: boolean }
  /** Distinct names of the tools. */
  | { readonly kind: 'waitingOnTool'; readonly tools: readonly string[] }
  | { readonly kind: 'apiError'; readonly text: string };

/** Null if there are no messages. */
export function withoutLines(end: ConversationEnd): SessionEnd | null {
  switch (end.kind) {
    case 'interrupted':
      return { kind: 'interrupted', by: end.by, duringTool: end.duringTool };
    case 'waitingOnTool':
      return { kind: 'waitingOnTool', tools: [...new Set(end.calls.map(({ name }) => name))] };
    case 'apiError':
      return { kind: 'apiError', text: end.text };
    case 'ended':
      return { kind: 'ended' };
    case 'empty':
      return null;
  }
}

/** A subagent that the session started. */
export interface SubagentLink {
  /** Absolute path of its transcript. */
  readonly filePath: string;
  readonly agentId: string;
  readonly agentType: string | null;
  readonly description: string | null;
  /** The call that started it; null if unknown. */
  readonly toolUseId: string | null;
}

/** What `show` and `list` say of a session beside its messages. */
export interface SessionOverview {
  readonly sessionId: string;
  readonly filePath: string;
  /** Title as Claude shows it. */
  readonly title: string | null;
  /** Working directory from the last row that names one, never decoded from the folder's name. */
  readonly cwd: string | null;
  readonly gitBranch: string | null;
  readonly model: string | null;
  readonly clientVersion: string | null;
  /** Session that this one was forked from; null if it is not a fork. */
  readonly parentSessionId: string | null;
  /** The beginnings of the first prompt and of the last text that Claude wrote; null if there is none. */
  readonly firstPrompt: string | null;
  readonly lastAnswer: string | null;
  /** Times of the first and the last message, in milliseconds since the epoch; null if no message has a time. */
  readonly createdMs: number | null;
  readonly updatedMs: number | null;
  /** Prompts and replies: the rows of one reply count once. */
  readonly messages: number;
  /** Those of them that Claude remembers: all their rows are loaded. */
  readonly remembered: number;
  /** Claude also has the summary of what was compacted. */
  readonly hasSummary: boolean;
  /** Claude does not remember all of the current thread, without a summary of the rest. Absent if it does. */
  readonly losesMessages?: true;
  /** Prompts. */
  readonly turns: number;
  /** How the conversation ends. */
  readonly end: ConversationEnd;
  readonly activity: SessionActivity;
  readonly live: Liveness;
  /** The call that has no result yet, such as `Bash: npm test`; null if there is none, and if nothing runs the session. */
  readonly call: string | null;
  readonly health: SessionStatus;
  /** A repair mends something, or a person can choose what does. */
  readonly isMendable: boolean;
  readonly resume: Pick<ResumeSummary, 'loads' | 'of' | 'client' | 'isExact'>;
  /** Bytes. */
  readonly fileSize: number;
  readonly subagents: readonly SubagentLink[];
}

/** Whether a row in the person's name is what a tool gave, shown apart from its call. */
export function isResultAlone(role: string, parts: readonly { readonly kind: string }[]): boolean {
  if (role !== 'user' || parts.some(({ kind }) => kind === 'text' || kind === 'image')) return false;
  return parts.some(({ kind }) => kind === 'result');
}
