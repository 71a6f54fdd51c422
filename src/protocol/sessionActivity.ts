export const SESSION_STATES = [
  'starting',
  'busy',
  'waiting-answer',
  'waiting-approval',
  'shell',
  'idle',
  'ended',
  'failed',
  'interrupted',
  'crashed',
  'reconnecting',
  'missing',
  'unrecoverable',
] as const;

/**
 * What a session is doing, or how it ended. `shell`: the turn is over, and a command in the background still runs.
 * `unrecoverable`: no row loads, and no repair brings one back.
 */
export type SessionStateName = (typeof SESSION_STATES)[number];

const RUNNING: ReadonlySet<SessionStateName> = new Set([
  'starting',
  'busy',
  'waiting-answer',
  'waiting-approval',
  'shell',
  'idle',
  'reconnecting',
]);

/** Whether a client runs the session, as far as its state tells. */
export function isRunningState(state: SessionStateName): boolean {
  return RUNNING.has(state);
}

const BY_URGENCY: readonly (readonly SessionStateName[])[] = [
  ['waiting-approval', 'waiting-answer'],
  ['busy', 'starting', 'reconnecting', 'shell'],
  ['idle'],
];

/** For sorting: what waits for the person comes first, then what is at work, then what is idle, and at last what does not run. */
export function urgencyOf(state: SessionStateName): number {
  const at = BY_URGENCY.findIndex((states) => states.includes(state));
  return at < 0 ? BY_URGENCY.length : at;
}

/** Whether the session waits for the person. */
export function isWaitingState(state: SessionStateName): boolean {
  return state === 'waiting-answer' || state === 'waiting-approval';
}

/** Where a session was started. `here`: by this window. */
export type SessionSource = 'terminal' | 'vscode' | 'sdk' | 'background' | 'here' | 'unknown';

/** What a session is doing, and how that is known. */
export interface SessionActivity {
  readonly state: SessionStateName;
  /** The state is read off rows and times; no registry, job or process says it. */
  readonly isInferred: boolean;
  readonly source: SessionSource;
  /** The process that runs it; null if none does, or it cannot be seen from here. */
  readonly pid: number | null;
  /** Since when, in milliseconds since the epoch; null if unknown. */
  readonly sinceMs: number | null;
  /** What it waits for, in the client's words. */
  readonly waitingFor: string | null;
  /** Name of the agent that the session runs as. */
  readonly agentName: string | null;
}
