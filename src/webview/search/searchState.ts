import { batch, type ReadonlySignal, computed, signal } from '@preact/signals';
import {
  EMPTY_FORM,
  type FoundHit,
  type FoundSession,
  type HitPlace,
  type OpenManner,
  type SearchedProject,
  type SearchForm,
  type SearchNavigation,
  type SearchNews,
  type SearchStart,
  type SearchStatus,
  type SearchViewCalls,
} from '../../protocol/channels/searchView';

/** From the last key press to the start of the search. */
const TYPING_MS = 250;
/** From the last change of the page's own state to its storage. */
const KEEPING_MS = 250;

/** A line of the tree. `key` identifies it while the results grow. */
export type TreeRow =
  | { readonly kind: 'project'; readonly key: string; readonly project: SearchedProject; readonly hits: number }
  | { readonly kind: 'session'; readonly key: string; readonly session: FoundSession; readonly parent: string }
  | {
      readonly kind: 'hit';
      readonly key: string;
      readonly place: HitPlace;
      readonly hit: FoundHit;
      readonly parent: string;
    };

/** The sessions of a project with hits. */
export interface FoundProject {
  readonly project: SearchedProject;
  readonly sessions: readonly FoundSession[];
  readonly hits: number;
}

/** What the page shows. The extension holds the results, and tells what changes. */
export class SearchState {
  readonly form = signal<SearchForm>(EMPTY_FORM);
  readonly hasFilters = signal(false);
  /** Folded groups: the folders of projects, and the transcripts of sessions. */
  readonly folded = signal<ReadonlySet<string>>(new Set());
  readonly sessions = signal<readonly FoundSession[]>([]);
  readonly status = signal<SearchStatus>({ kind: 'idle' });
  /** The hit that was opened last. */
  readonly current = signal<HitPlace | null>(null);
  /** Key of the row that the arrow keys start from. */
  readonly active = signal<string | null>(null);
  readonly projects = signal<readonly SearchedProject[]>([]);
  readonly hasFolder = signal(false);
  /** Increases when the person wants to type. */
  readonly inputAsked = signal(0);
  /** Where the list was scrolled to when the page was discarded; null once it is there again, or the person went elsewhere. */
  lostScrollTop: number | null = null;

  readonly hits = computed(() => this.sessions.value.reduce((sum, { hits }) => sum + hits.length, 0));
  readonly found = computed(() => projectsOf(this.sessions.value));
  /** The rows that are not folded away. */
  readonly rows: ReadonlySignal<readonly TreeRow[]> = computed(() => rowsOf(this.found.value, this.folded.value));
  /** Number of filters that exclude something. */
  readonly filters = computed(() => {
    const { author, tool, date, place, branch } = this.form.value;
    return [author !== null, tool !== '', date !== 'any', place !== null, branch !== ''].filter(Boolean).length;
  });

  readonly #host: SearchViewCalls;
  #typing: ReturnType<typeof setTimeout> | undefined;
  #keeping: ReturnType<typeof setTimeout> | undefined;
  #scrollTop = 0;

  constructor(host: SearchViewCalls) {
    this.#host = host;
  }

  begin(start: SearchStart): void {
    const { form, navigation, sessions, status, current, projects, hasFolder, focusInput } = start;
    batch(() => {
      this.form.value = form;
      this.hasFilters.value = navigation.hasFilters;
      this.folded.value = new Set(navigation.folded);
      this.sessions.value = sessions;
      this.status.value = status;
      this.current.value = current;
      this.active.value = current === null ? null : hitKey(current);
      this.projects.value = projects;
      this.hasFolder.value = hasFolder;
      if (focusInput) this.inputAsked.value++;
    });
    this.#scrollTop = navigation.scrollTop;
    this.lostScrollTop = navigation.scrollTop;
  }

  /** Returns false if the page has missed something and must begin again. */
  change(news: SearchNews): boolean {
    switch (news.kind) {
      case 'started':
        batch(() => {
          this.sessions.value = [];
          this.status.value = { kind: 'searching', sessionsDone: 0, sessionsTotal: 0 };
        });
        return true;
      case 'found':
        if (news.hits !== this.hits.peek()) return false;
        this.sessions.value = addFound(this.sessions.peek(), news.sessions);
        return true;
      case 'status':
        this.status.value = news.status;
        return true;
      case 'current':
        this.#show(news.current);
        return true;
    }
  }

  /** Changes the search. `isTyped`: more changes may follow soon. */
  edit(change: Partial<SearchForm>, isTyped = false): void {
    this.form.value = { ...this.form.peek(), ...change };
    clearTimeout(this.#typing);
    if (isTyped) {
      this.#typing = setTimeout(() => {
        this.search();
      }, TYPING_MS);
    } else this.search();
  }

  /** Searches now, also for the same again. */
  search(): void {
    clearTimeout(this.#typing);
    void this.#host.search(this.form.peek());
  }

  clearFilters(): void {
    const { author, tool, date, place, branch } = EMPTY_FORM;
    this.edit({ author, tool, date, place, branch });
  }

  toggleFilters(): void {
    this.hasFilters.value = !this.hasFilters.peek();
    this.#keep();
  }

  setFolded(key: string, isFolded: boolean): void {
    const folded = new Set(this.folded.peek());
    if (isFolded) folded.add(key);
    else folded.delete(key);
    this.folded.value = folded;
    this.#keep();
  }

  /** Folds all sessions, and then all projects. */
  foldAll(): void {
    const sessions = this.sessions.peek().map(({ filePath }) => filePath);
    const folded = this.folded.peek();
    const areFolded = sessions.every((each) => folded.has(each));
    const projects = areFolded ? this.found.peek().map(({ project }) => project.folder) : [];
    batch(() => {
      this.folded.value = new Set([...sessions, ...projects]);
      this.active.value = null;
    });
    this.#keep();
  }

  open(place: HitPlace, manner: OpenManner): void {
    batch(() => {
      this.current.value = place;
      this.active.value = hitKey(place);
    });
    void this.#host.open(place, manner);
  }

  scrolled(scrollTop: number): void {
    if (this.lostScrollTop !== null || scrollTop === this.#scrollTop) return;
    this.#scrollTop = scrollTop;
    this.#keep();
  }

  /** The person went elsewhere while the results of before were still coming in. */
  forgetScroll(): void {
    this.lostScrollTop = null;
  }

  #show(place: HitPlace): void {
    const session = this.sessions.peek().find(({ filePath }) => filePath === place.filePath);
    this.forgetScroll();
    batch(() => {
      const folded = new Set(this.folded.peek());
      if (session !== undefined) [session.filePath, session.project.folder].forEach((key) => folded.delete(key));
      this.folded.value = folded;
      this.current.value = place;
      this.active.value = hitKey(place);
    });
    this.#keep();
  }

  #keep(): void {
    clearTimeout(this.#keeping);
    this.#keeping = setTimeout(() => {
      void this.#host.navigated(this.#navigation);
    }, KEEPING_MS);
  }

  get #navigation(): SearchNavigation {
    // A folded group that is not found any more needs no memory.
    const keys = new Set(this.sessions.peek().flatMap(({ filePath, project }) => [filePath, project.folder]));
    return {
      hasFilters: this.hasFilters.peek(),
      folded: [...this.folded.peek()].filter((key) => keys.has(key)),
      scrollTop: Math.max(0, this.#scrollTop),
    };
  }
}

export function hitKey({ filePath, line }: HitPlace): string {
  return `${line}:${filePath}`;
}

function addFound(before: readonly FoundSession[], found: readonly FoundSession[]): readonly FoundSession[] {
  const [first, ...others] = found;
  const last = before.at(-1);
  if (first === undefined || last?.filePath !== first.filePath) return [...before, ...found];
  return [...before.slice(0, -1), { ...last, hits: [...last.hits, ...first.hits] }, ...others];
}

function projectsOf(sessions: readonly FoundSession[]): readonly FoundProject[] {
  const projects: { project: SearchedProject; sessions: FoundSession[]; hits: number }[] = [];
  for (const session of sessions) {
    let last = projects.at(-1);
    if (last?.project.folder !== session.project.folder) {
      last = { project: session.project, sessions: [], hits: 0 };
      projects.push(last);
    }
    last.sessions.push(session);
    last.hits += session.hits.length;
  }
  return projects;
}

function rowsOf(projects: readonly FoundProject[], folded: ReadonlySet<string>): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  for (const { project, sessions, hits } of projects) {
    rows.push({ kind: 'project', key: project.folder, project, hits });
    if (folded.has(project.folder)) continue;
    for (const session of sessions) {
      const { filePath } = session;
      rows.push({ kind: 'session', key: filePath, session, parent: project.folder });
      if (folded.has(filePath)) continue;
      for (const hit of session.hits) {
        const place = { filePath, line: hit.line };
        rows.push({ kind: 'hit', key: hitKey(place), place, hit, parent: filePath });
      }
    }
  }
  return rows;
}
