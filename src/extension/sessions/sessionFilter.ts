import * as v from 'valibot';
import type { ProjectSummary, SessionsSnapshot, SessionSummary } from '../../protocol/channels/sessions';
import { isWaitingState } from '../../protocol/sessionActivity';
import { configDirOf } from '../config/settings';
import { Disposable, Emitter } from '../lifetime';
import { isRunning } from './sessionsState';

/** Properties by which the tree can be filtered. A session has to have all that are chosen. */
export const FILTER_MARKS = ['broken', 'repaired', 'running', 'waiting', 'fork', 'expiring', 'thisFolder'] as const;

export type FilterMark = (typeof FILTER_MARKS)[number];

/** Which sessions the tree shows: those that fit every part of it. An empty part fits all. */
export interface FilterValue {
  /** Words that the title contains, or with which the id begins. */
  readonly text: string;
  readonly marks: readonly FilterMark[];
  /** Absolute paths of project folders, of which the session is in one. */
  readonly projects: readonly string[];
  /** Absolute paths of config folders, of which the session is in one. */
  readonly configDirs: readonly string[];
}

export const NO_FILTER: FilterValue = { text: '', marks: [], projects: [], configDirs: [] };

/** The key in the workspace state under which the filter is stored, so that it survives a reload of the window. */
const KEPT_FILTER = 'sessionsFilter';

const KEPT = v.object({
  text: v.string(),
  marks: v.array(v.picklist(FILTER_MARKS)),
  projects: v.array(v.string()),
  configDirs: v.array(v.string()),
});

/** Where choices of the person are stored. */
export interface ChoiceMemory {
  get(key: string): unknown;
  update(key: string, value: unknown): Thenable<void>;
}

/** What a filter leaves of a snapshot. */
export interface FilteredSessions {
  readonly snapshot: SessionsSnapshot;
  /** Number of sessions that are left. */
  readonly shown: number;
  /** Number of sessions in the unfiltered snapshot. */
  readonly total: number;
}

/** The filter of the tree. Every session is matched once for each filter, however often the result is asked for. */
export class SessionFilter extends Disposable {
  readonly #changed = this._register(new Emitter<void>());
  readonly #memory: ChoiceMemory | null;
  #value: FilterValue;
  #expiring: ReadonlySet<string> = new Set();
  /** A project of which nothing changed stays the same object, so that it is not drawn again. */
  #filtered = new WeakMap<ProjectSummary, ProjectSummary>();
  #latest: (FilteredSessions & { readonly of: SessionsSnapshot }) | null = null;

  readonly onChange = this.#changed.event;

  constructor(memory: ChoiceMemory | null = null) {
    super();
    this.#memory = memory;
    const kept = v.safeParse(KEPT, memory?.get(KEPT_FILTER));
    this.#value = kept.success ? kept.output : NO_FILTER;
  }

  get value(): FilterValue {
    return this.#value;
  }

  get isActive(): boolean {
    return !isSameFilter(this.#value, NO_FILTER);
  }

  has(mark: FilterMark): boolean {
    return this.#value.marks.includes(mark);
  }

  /** Changes some parts of the filter. */
  set(change: Partial<FilterValue>): void {
    const value = { ...this.#value, ...change };
    if (isSameFilter(value, this.#value)) return;
    this.#value = value;
    // The list first: VS Code stores the value in the process that also draws the list.
    this.#forget();
    void this.#memory?.update(KEPT_FILTER, this.isActive ? value : undefined);
  }

  toggle(mark: FilterMark): void {
    const { marks } = this.#value;
    this.set({ marks: marks.includes(mark) ? marks.filter((each) => each !== mark) : [...marks, mark] });
  }

  /** Shows all sessions. */
  clear(): void {
    this.set(NO_FILTER);
  }

  /** The transcripts that clients will delete soon. */
  setExpiring(paths: ReadonlySet<string>): void {
    this.#expiring = paths;
    if (this.has('expiring')) this.#forget();
  }

  /** Without the sessions that do not match, and the projects that have none left. */
  apply(snapshot: SessionsSnapshot): FilteredSessions {
    if (this.#latest?.of !== snapshot) this.#latest = { of: snapshot, ...this.#apply(snapshot) };
    return this.#latest;
  }

  #apply(snapshot: SessionsSnapshot): FilteredSessions {
    const total = count(snapshot.projects);
    if (!this.isActive) return { snapshot, shown: total, total };
    const projects = snapshot.projects
      .map((project) => this.#filter(project))
      .filter((each) => each.sessions.length > 0);
    return { snapshot: { ...snapshot, projects }, shown: count(projects), total };
  }

  #filter(project: ProjectSummary): ProjectSummary {
    const known = this.#filtered.get(project);
    if (known !== undefined) return known;
    const isOut = !fitsProject(project, this.#value);
    const matches = matcher(this.#value, this.#expiring);
    const sessions = isOut ? [] : project.sessions.filter(matches);
    const filtered = sessions.length === project.sessions.length ? project : { ...project, sessions };
    this.#filtered.set(project, filtered);
    return filtered;
  }

  #forget(): void {
    this.#filtered = new WeakMap();
    this.#latest = null;
    this.#changed.fire();
  }
}

function fitsProject(project: ProjectSummary, { marks, projects, configDirs }: FilterValue): boolean {
  if (marks.includes('thisFolder') && !project.inWorkspace) return false;
  if (projects.length > 0 && !projects.includes(project.folder)) return false;
  return configDirs.length === 0 || configDirOf(project.folder, configDirs) !== null;
}

/** Whether a session of a project that fits is shown. */
function matcher({ text, marks }: FilterValue, expiring: ReadonlySet<string>): (session: SessionSummary) => boolean {
  const words = searchWords(text);
  return (session) => marks.every((mark) => isMarked(session, mark, expiring)) && containsWords(session, words);
}

function isMarked(session: SessionSummary, mark: FilterMark, expiring: ReadonlySet<string>): boolean {
  switch (mark) {
    case 'broken':
      return session.health === 'corrupted';
    case 'repaired':
      return session.health === 'repaired';
    case 'running':
      return isRunning(session);
    case 'waiting':
      return session.activity !== null && isWaitingState(session.activity.state);
    case 'fork':
      return session.parentSessionId !== null;
    case 'expiring':
      return expiring.has(session.path);
    case 'thisFolder':
      return true;
  }
}

/** The words of a typed text. */
export function searchWords(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

interface SearchedTexts {
  readonly title: string;
  readonly id: string;
}

/** In lower case, so that they are not converted again with every letter that is typed. */
const searchedTexts = new WeakMap<SessionSummary, SearchedTexts>();
/** A shorter word begins the ids of many sessions by chance. */
const MIN_ID_CHARACTERS = 4;

/** Whether the title of the session contains each of the words, or its id begins with it. */
export function containsWords(session: SessionSummary, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const { title, id } = searchedTextsOf(session);
  for (const word of words) {
    const isId = word.length >= MIN_ID_CHARACTERS && id.startsWith(word);
    if (!isId && !title.includes(word)) return false;
  }
  return true;
}

function searchedTextsOf(session: SessionSummary): SearchedTexts {
  const known = searchedTexts.get(session);
  if (known !== undefined) return known;
  const texts = { title: session.title?.toLowerCase() ?? '', id: session.id.toLowerCase() };
  searchedTexts.set(session, texts);
  return texts;
}

function count(projects: readonly ProjectSummary[]): number {
  return projects.reduce((sum, { sessions }) => sum + sessions.length, 0);
}

function isSameFilter(a: FilterValue, b: FilterValue): boolean {
  const isSame = (some: readonly string[], others: readonly string[]): boolean =>
    some.length === others.length && some.every((each) => others.includes(each));
  return (
    a.text.trim() === b.text.trim() &&
    isSame(a.marks, b.marks) &&
    isSame(a.projects, b.projects) &&
    isSame(a.configDirs, b.configDirs)
  );
}
