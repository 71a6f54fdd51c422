import { call, type Calls, defineChannel, event } from '../channel';
import type { SessionRef } from '../session';

const MINUTE_MS = 60_000;

/** What endangers sessions while something can still be done about it. */
export const alarmsChannel = defineChannel(
  'alarms',
  {
    /**
     * Of these incidents, those that the window is to tell the person about: no window has told about them, and the person has not
     * dismissed them. They count as told from then on, also in other windows and after a restart.
     */
    claim: call<(alarms: readonly AlarmKey[]) => readonly string[]>({ timeoutMs: MINUTE_MS }),
    /** The person does not want to hear of the topic again. */
    dismiss: call<(topic: string) => void>({ timeoutMs: MINUTE_MS }),
  },
  {
    /** Sent when the alarms change. */
    alarmsChanged: event<(snapshot: AlarmsSnapshot) => void>(),
  },
);

export type AlarmsCalls = Calls<typeof alarmsChannel>;

/** All alarms of the config folder. Each snapshot replaces the one before. */
export interface AlarmsSnapshot {
  readonly revision: number;
  readonly alarms: readonly Alarm[];
  /** Sessions of all projects that clients will delete soon, the first to go first. */
  readonly expiring: readonly ExpiringSession[];
}

export interface AlarmKey {
  /** Identifies the incident: the person is told once. */
  readonly id: string;
  /** What a dismissal silences: this incident and all like it. */
  readonly topic: string;
  /** Shortest time between two messages about the topic, in milliseconds. */
  readonly pauseMs: number;
}

interface AlarmOf<Kind extends string> {
  readonly kind: Kind;
  /** The incidents that it is about: one for each session that will be deleted, else one. All have the same topic. */
  readonly keys: readonly AlarmKey[];
  /** It concerns a folder that the window has open. */
  readonly isOfWindow: boolean;
}

export type Alarm = UnsavedAlarm | TwoWritersAlarm | ExpiringAlarm | ShortRetentionAlarm;

/** Why a client's messages are not written; `unknown`: only that they are not is known. */
export type UnsavedCause = 'full-disk' | 'read-only' | 'deleted' | 'inherited' | 'unknown';

/** A client runs a session and writes nothing of it. */
export interface UnsavedAlarm extends AlarmOf<'unsaved'> {
  readonly cause: UnsavedCause;
  /** Null if it cannot be found out which session it is. */
  readonly session: SessionRef | null;
  readonly pid: number;
  /** Working folder of the client; null if unknown. */
  readonly cwd: string | null;
}

/** Two clients append to one transcript, and neither knows what the other writes. */
export interface TwoWritersAlarm extends AlarmOf<'two-writers'> {
  readonly session: SessionRef;
  /** Process ids of the clients, in ascending order. */
  readonly pids: readonly number[];
  readonly cwd: string | null;
}

/** Sessions of open folders that clients will delete soon. */
export interface ExpiringAlarm extends AlarmOf<'expiring'> {
  readonly sessions: readonly ExpiringSession[];
  readonly period: SweepPeriod;
}

/** The settings of one project shorten the period for the sessions of all projects. */
export interface ShortRetentionAlarm extends AlarmOf<'short-retention'> {
  /** Absolute path of the project. */
  readonly folder: string;
  readonly period: SweepPeriod;
  /** The period of clients in projects without such a setting. */
  readonly ownDays: number;
}

export interface ExpiringSession extends SessionRef {
  /** Of the incident. */
  readonly alarmId: string;
  /** From when on a client deletes it, in milliseconds since the epoch. May be in the past: clients delete once a day at most. */
  readonly sweptMs: number;
}

/** When and why clients delete a session. */
export interface Sweep {
  /** As in `ExpiringSession`. */
  readonly sweptMs: number;
  /** What sets it; null for a session of the desktop app, which has rules of its own. */
  readonly period: SweepPeriod | null;
}

export interface SweepPeriod {
  readonly days: number;
  /** Absolute path of the settings file that sets it; null if it is the default of Claude Code. */
  readonly settingsPath: string | null;
}
