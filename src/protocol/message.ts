import type { ItemRole } from './conversation';
import type { Finding } from './repair';
import type { LiveStatus, SessionStatus } from './session';

/** What a row of a conversation says, with all of its text. */
export type SessionMessage = MessageRow | CompactionMark | BreakMark | FaultMark;

/** A row: one part of a message of Claude's, or a whole one of anybody else. */
export interface MessageRow {
  readonly kind: 'message';
  /** Place in what is shown, counted from 0. */
  readonly index: number;
  /** 1-based line of the transcript. */
  readonly line: number;
  readonly uuid: string | null;
  readonly role: ItemRole;
  /** Milliseconds since the epoch; null where the row tells no time. */
  readonly timeMs: number | null;
  /** `message.id`: rows of one message share it. */
  readonly messageId: string | null;
  readonly model: string | null;
  readonly gitBranch: string | null;
  readonly cwd: string | null;
  readonly isSidechain: boolean;
  /** It reaches the request that Claude would send on resume; null for rows that never do, and are no loss. */
  readonly isLoaded: boolean | null;
  readonly parts: readonly MessagePart[];
  /** Other ways the conversation went on from here, by the line of their last row: `--branch` takes it. */
  readonly branches: readonly { readonly leafLine: number; readonly rows: number; readonly label: string }[];
}

export type MessagePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string; readonly isRedacted: boolean }
  | MessageToolCall
  /** A result whose call is not shown. */
  | { readonly kind: 'result'; readonly toolUseId: string | null; readonly result: MessageToolResult }
  | { readonly kind: 'image'; readonly mediaType: string; readonly bytes: number }
  /** The summary that stands for what was compacted. */
  | { readonly kind: 'summary'; readonly text: string }
  | { readonly kind: 'interruption'; readonly duringTool: boolean }
  | { readonly kind: 'error'; readonly text: string }
  /** What the client wrote down for itself, or for Claude. */
  | { readonly kind: 'note'; readonly title: string; readonly text: string | null }
  /** Whatever is not known, as JSON. */
  | { readonly kind: 'raw'; readonly title: string; readonly text: string };

/** A call of a tool, with its result where the transcript has one. */
export interface MessageToolCall {
  readonly kind: 'tool';
  readonly id: string | null;
  readonly name: string;
  /** One line that says what it is about: a command, a path, a pattern. */
  readonly title: string;
  /** As the transcript holds it. */
  readonly input: unknown;
  readonly result: (MessageToolResult & { readonly line: number }) | null;
  /** Absolute path of the transcript of the subagent that the call started. */
  readonly subagent: string | null;
}

export interface MessageToolResult {
  readonly isError: boolean;
  readonly text: string | null;
  readonly images: number;
  /** Absolute path of the file that holds the whole output, where it was too long for the transcript. */
  readonly persisted: string | null;
}

/** The conversation was compacted here: what stands above reaches Claude as a summary alone. */
export interface CompactionMark {
  readonly kind: 'compaction';
  readonly index: number;
  readonly line: number;
  readonly uuid: string | null;
  readonly timeMs: number | null;
  readonly trigger: string | null;
  readonly tokensBefore: number | null;
}

/** A link leads nowhere: what stands above does not reach Claude, unless the client heals it by time. */
export interface BreakMark {
  readonly kind: 'break';
  readonly index: number;
  readonly line: number;
  readonly isHealed: boolean;
  readonly findings: readonly Finding[];
}

/** A line that is no row. */
export interface FaultMark {
  readonly kind: 'fault';
  readonly index: number;
  readonly line: number;
  readonly findings: readonly Finding[];
}

/**
 * What a session is doing: what the registry of running clients says, else what the last rows of its resumed chain say.
 */
export type SessionState =
  /** A client runs it. */
  | { readonly kind: 'running'; readonly status: LiveStatus }
  /** Claude had the last word. */
  | { readonly kind: 'ended' }
  /** A person stopped Claude, or nothing came after the last prompt or result. */
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
  /** There is no message. */
  | { readonly kind: 'empty' };

/** How a session that nobody runs ended, as `SessionState` has it, without the lines that tell it. */
export type SessionEnd =
  | { readonly kind: 'ended' }
  | { readonly kind: 'interrupted'; readonly by: 'person' | 'unknown'; readonly duringTool: boolean }
  /** Names of the tools, each once. */
  | { readonly kind: 'waitingOnTool'; readonly tools: readonly string[] }
  | { readonly kind: 'apiError'; readonly text: string };

/** A subagent that the session started. */
export interface SubagentLink {
  /** Absolute path of its transcript. */
  readonly filePath: string;
  readonly agentId: string;
  readonly agentType: string | null;
  readonly description: string | null;
  /** The call that started it; null when nothing names it. */
  readonly toolUseId: string | null;
}

/** What is known of a session, as `show` prints it. */
export interface SessionOverview {
  readonly sessionId: string;
  readonly filePath: string;
  /** As Claude shows it. */
  readonly title: string | null;
  /** Working directory of the last row that names one: never decoded from the folder's name. */
  readonly cwd: string | null;
  readonly gitBranch: string | null;
  readonly model: string | null;
  readonly clientVersion: string | null;
  /** Times of the first and the last message, in milliseconds since the epoch; null where no message tells one. */
  readonly createdMs: number | null;
  readonly updatedMs: number | null;
  readonly state: SessionState;
  readonly health: SessionStatus;
  readonly resume: { readonly loads: number; readonly of: number };
  /** Bytes. */
  readonly fileSize: number;
  readonly subagents: readonly SubagentLink[];
}
