import { type ConversationEnd, type SessionOverview } from './message';
import type { Liveness, ResumeSummary, SessionRef, SessionStatus } from './session';
import { isWaitingState, type SessionActivity, type SessionSource, type SessionStateName } from './sessionActivity';
import type { Spending } from './usage';

/** What the last rows of a transcript say. */
export interface TranscriptTail {
  readonly end: ConversationEnd;
  /** The client has written the row with which it ends a session, and no later run has begun. */
  readonly isClosed: boolean;
  /** From the last row that names one. */
  readonly entrypoint: string | null;
  /** The call that has no result yet, such as `Bash: npm test`. */
  readonly call: string | null;
}

/** How a transcript ends. */
export interface TranscriptEnd extends Omit<TranscriptTail, 'call'> {
  /** Of the last message, in milliseconds since the epoch. */
  readonly lastMessageMs: number | null;
}

/** One session without its messages. Its field names are a contract with scripts. Times are ISO 8601. */
export interface SessionInfo {
  /** Null: not judged yet. */
  readonly status: SessionStatus | null;
  readonly provider: SessionRef['provider'];
  readonly sessionId: string;
  readonly filePath: string;
  /** Empty if the session has none. */
  readonly title: string;
  /** The working directory. */
  readonly folder: string | null;
  /** Of the first and the last message, never the time of the file; of a fork, not before the fork. */
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  /** Prompts and replies: the rows of one reply count once. */
  readonly messages: number;
  /** Prompts. */
  readonly turns: number;
  readonly model: string | null;
  readonly branch: string | null;
  /** Of the session and its subagents. */
  readonly tokens: SessionTokens;
  /** US dollars by the price list; null if no model has a price. */
  readonly costUsd: number | null;
  readonly state: SessionStateName;
  readonly isInferred: boolean;
  readonly live: Liveness;
  readonly source: SessionSource;
  /** The call that runs, or what the session waits for. */
  readonly doing: string | null;
  readonly since: string | null;
  readonly pid: number | null;
  readonly parentSessionId: string | null;
  readonly agentName: string | null;
  /** When Claude Code's own retention would delete the transcript. */
  readonly sweptAt: string | null;
}

export interface SessionTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** What is known of a session beside its transcript. */
export interface SessionSurroundings {
  /** What it used, with its subagents; null if that was not counted. */
  readonly spending: Spending | null;
  /** When retention would delete the transcript, in milliseconds since the epoch; null if never, or unknown. */
  readonly sweptMs: number | null;
}

/** Whether no row loads, and nothing brings one back. A client that runs the session still remembers it. */
export function isUnrecoverable(session: {
  readonly live: Liveness;
  readonly resume: Pick<ResumeSummary, 'loads' | 'of'>;
  /** A repair mends something, or a person can choose what does. */
  readonly isMendable: boolean;
}): boolean {
  const { live, resume, isMendable } = session;
  return live === 'not-live' && resume.of > 0 && resume.loads === 0 && !isMendable;
}

/** The call that runs, or what the session waits for. `call`: the one that has no result yet. */
export function doingOf({ state, waitingFor }: SessionActivity, call: string | null): string | null {
  if (isWaitingState(state)) return call ?? waitingFor;
  return state === 'busy' ? call : null;
}

export function describeSessionInfo(
  overview: SessionOverview,
  { spending, sweptMs }: SessionSurroundings,
): SessionInfo {
  const { activity, live } = overview;
  const counts = spending?.counts ?? null;
  return {
    status: overview.health,
    provider: 'claude',
    sessionId: overview.sessionId,
    filePath: overview.filePath,
    title: overview.title ?? '',
    folder: overview.cwd,
    createdAt: isoTime(overview.createdMs),
    updatedAt: isoTime(overview.updatedMs),
    messages: overview.messages,
    turns: overview.turns,
    model: overview.model,
    branch: overview.gitBranch,
    tokens: {
      input: counts?.input ?? 0,
      output: counts?.output ?? 0,
      cacheRead: counts?.cacheRead ?? 0,
      cacheWrite: (counts?.cacheWrite5m ?? 0) + (counts?.cacheWrite1h ?? 0),
    },
    costUsd: spending?.cost.usd ?? null,
    state: isUnrecoverable(overview) ? 'unrecoverable' : activity.state,
    isInferred: activity.isInferred,
    live,
    source: activity.source,
    doing: doingOf(activity, overview.call),
    since: isoTime(activity.sinceMs),
    pid: activity.pid,
    parentSessionId: overview.parentSessionId,
    agentName: activity.agentName,
    sweptAt: isoTime(sweptMs),
  };
}

/** A session whose transcript is not there yet. */
export function emptySessionInfo(session: {
  readonly sessionId: string;
  /** Where it will be. */
  readonly filePath: string;
  readonly cwd: string | null;
  readonly activity: SessionActivity;
  readonly live: Liveness;
}): SessionInfo {
  const { sessionId, filePath, cwd, activity, live } = session;
  return {
    status: null,
    provider: 'claude',
    sessionId,
    filePath,
    title: '',
    folder: cwd,
    createdAt: null,
    updatedAt: null,
    messages: 0,
    turns: 0,
    model: null,
    branch: null,
    tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    costUsd: null,
    state: activity.state,
    isInferred: activity.isInferred,
    live,
    source: activity.source,
    doing: activity.waitingFor,
    since: isoTime(activity.sinceMs),
    pid: activity.pid,
    parentSessionId: null,
    agentName: activity.agentName,
    sweptAt: null,
  };
}

/** The largest time that a Date can hold. */
const MAX_DATE_MS = 8.64e15;

function isoTime(timeMs: number | null): string | null {
  return timeMs === null || !(Math.abs(timeMs) <= MAX_DATE_MS) ? null : new Date(timeMs).toISOString();
}
