import * as v from 'valibot';
import type { ProjectSummary, SessionsSnapshot, SessionSummary } from '../../protocol/channels/sessions';
import { Disposable, Emitter } from '../lifetime';
import type { ChoiceMemory } from './sessionFilter';

/** By what sessions are sorted: the latest, the largest or the most first. */
export const SESSION_SORTS = ['activity', 'created', 'size', 'tokens'] as const;

export type SessionSort = (typeof SESSION_SORTS)[number];

/** By how much a session is large, in the order that the list has. */
export interface SessionAmount {
  readonly unit: 'bytes' | 'tokens';
  readonly count: number;
}

/** Days by which sessions are grouped, the latest first. */
export const DATE_RANGES = ['today', 'yesterday', 'last7Days', 'last30Days', 'older'] as const;

export type DateRange = (typeof DATE_RANGES)[number];

/** The sessions of some days; never empty. */
export interface DateGroup {
  readonly range: DateRange;
  readonly sessions: readonly SessionSummary[];
}

/** The sessions as the tree shows them. */
export interface OrderedSessions {
  readonly snapshot: SessionsSnapshot;
  /** The same sessions by date; null if they are shown by project. */
  readonly dates: readonly DateGroup[] | null;
}

/** The key in the workspace state under which the order is stored, so that it survives a reload of the window. */
const KEPT_ORDER = 'sessionsOrder';

const KEPT = v.object({ sort: v.picklist(SESSION_SORTS), isByDate: v.boolean() });

type OrderValue = v.InferOutput<typeof KEPT>;

const FIRST_ORDER: OrderValue = { sort: 'activity', isByDate: false };

/** In which order the tree shows sessions, and whether by project or by date. */
export class SessionOrder extends Disposable {
  readonly #changed = this._register(new Emitter<void>());
  readonly #memory: ChoiceMemory | null;
  #value: OrderValue;
  /** By transcript; sessions without tokens that are known come last. */
  #tokens: ReadonlyMap<string, number> = new Map();
  /** A project of which nothing changed stays the same object, so that it is not drawn again. */
  #sorted = new WeakMap<ProjectSummary, ProjectSummary>();

  readonly onChange = this.#changed.event;

  constructor(memory: ChoiceMemory | null = null) {
    super();
    this.#memory = memory;
    const kept = v.safeParse(KEPT, memory?.get(KEPT_ORDER));
    this.#value = kept.success ? kept.output : FIRST_ORDER;
  }

  get sort(): SessionSort {
    return this.#value.sort;
  }

  get isByDate(): boolean {
    return this.#value.isByDate;
  }

  set(change: Partial<OrderValue>): void {
    this.#value = { ...this.#value, ...change };
    void this.#memory?.update(KEPT_ORDER, this.#value);
    this.#forget();
  }

  /** How many tokens sessions used, by the paths of their transcripts. */
  setTokens(tokens: ReadonlyMap<string, number>): void {
    this.#tokens = tokens;
    if (this.sort === 'tokens') this.#forget();
  }

  /** What the session is sorted by, beside a time; null if it is sorted by one, or nothing is known. */
  amountOf({ bytes, path }: SessionSummary): SessionAmount | null {
    switch (this.sort) {
      case 'activity':
      case 'created':
        return null;
      case 'size':
        return bytes === null ? null : { unit: 'bytes', count: bytes };
      case 'tokens': {
        const count = this.#tokens.get(path);
        return count === undefined ? null : { unit: 'tokens', count };
      }
    }
  }

  apply(snapshot: SessionsSnapshot, nowMs: number): OrderedSessions {
    const ordered = this.sort === 'activity' ? snapshot : { ...snapshot, projects: this.#sortProjects(snapshot) };
    return { snapshot: ordered, dates: this.isByDate ? this.#byDate(ordered.projects, nowMs) : null };
  }

  /** The projects of the window stay first; the others follow by the first of their sessions. */
  #sortProjects({ projects }: SessionsSnapshot): readonly ProjectSummary[] {
    const keyOf = this.#keyOf();
    const firstKey = ({ sessions: [first] }: ProjectSummary): number => (first === undefined ? -1 : keyOf(first));
    const sorted = projects.map((project) => this.#sortProject(project, keyOf));
    const others = sorted.filter(({ inWorkspace }) => !inWorkspace);
    return [...sorted.filter(({ inWorkspace }) => inWorkspace), ...others.sort((a, b) => firstKey(b) - firstKey(a))];
  }

  #sortProject(project: ProjectSummary, keyOf: SortKey): ProjectSummary {
    const known = this.#sorted.get(project);
    if (known !== undefined) return known;
    const sorted = { ...project, sessions: sortBy(project.sessions, keyOf) };
    this.#sorted.set(project, sorted);
    return sorted;
  }

  #byDate(projects: readonly ProjectSummary[], nowMs: number): readonly DateGroup[] {
    const isByCreation = this.sort === 'created';
    const starts = rangeStarts(nowMs);
    const groups = DATE_RANGES.map((range) => ({ range, sessions: [] as SessionSummary[] }));
    for (const { sessions } of projects) {
      for (const session of sessions) {
        const timeMs = isByCreation ? (session.createdMs ?? session.activityMs) : session.activityMs;
        groups[starts.findIndex((startMs) => timeMs >= startMs)]?.sessions.push(session);
      }
    }
    const keyOf = this.#keyOf();
    return groups
      .filter(({ sessions }) => sessions.length > 0)
      .map(({ range, sessions }) => ({ range, sessions: sortBy(sessions, keyOf) }));
  }

  #keyOf(): SortKey {
    switch (this.sort) {
      case 'activity':
        return ({ activityMs }) => activityMs;
      case 'created':
        return ({ createdMs, activityMs }) => createdMs ?? activityMs;
      case 'size':
        return ({ bytes }) => bytes ?? -1;
      case 'tokens':
        return ({ path }) => this.#tokens.get(path) ?? -1;
    }
  }

  #forget(): void {
    this.#sorted = new WeakMap();
    this.#changed.fire();
  }
}

type SortKey = (session: SessionSummary) => number;

/** The largest keys first. Sessions with equal keys keep their order. */
function sortBy(sessions: readonly SessionSummary[], keyOf: SortKey): readonly SessionSummary[] {
  return sessions.toSorted((a, b) => keyOf(b) - keyOf(a));
}

/** When the ranges begin, in the time zone of this machine. */
function rangeStarts(nowMs: number): readonly number[] {
  const now = new Date(nowMs);
  const daysAgo = (days: number): number => new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).getTime();
  return [daysAgo(0), daysAgo(1), daysAgo(7), daysAgo(30), -Infinity];
}
