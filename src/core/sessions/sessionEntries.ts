import type { QuickMetadata, ScannedSession } from '../../protocol/session';
import type { FoundTranscript } from '../providers/provider';
import type { FileStamp } from '../util/diskFiles';

/** So many sessions whose transcripts are gone are listed. */
const MAX_GONE = 50;

/** The session entries, by path and by project. */
export class SessionEntries {
  readonly #byPath = new Map<string, SessionEntry>();
  readonly #byProject = new Map<string, Map<string, SessionEntry>>();
  readonly #onChange: (filePath: string, projectFolder: string) => void;

  /** @param onChange called for each entry that was set or deleted */
  constructor(onChange: (filePath: string, projectFolder: string) => void = () => undefined) {
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#byPath.size;
  }

  get projectFolders(): Iterable<string> {
    return this.#byProject.keys();
  }

  get(filePath: string): SessionEntry | undefined {
    return this.#byPath.get(filePath);
  }

  values(): Iterable<SessionEntry> {
    return this.#byPath.values();
  }

  ofProject(folder: string): Iterable<SessionEntry> {
    return this.#byProject.get(folder)?.values() ?? [];
  }

  /** Two project folders may hold the same id. */
  ofSessions(sessionIds: ReadonlySet<string>): readonly SessionEntry[] {
    return Array.from(this.#byPath.values()).filter(({ found }) => sessionIds.has(found.id));
  }

  set(entry: SessionEntry): void {
    this.setUnseen(entry);
    this.#onChange(entry.found.path, entry.found.projectFolder);
  }

  /** For an entry in which nothing has changed that is shown of its session. */
  setUnseen(entry: SessionEntry): void {
    const { path: filePath, projectFolder } = entry.found;
    const project = this.#byProject.get(projectFolder) ?? new Map<string, SessionEntry>();
    this.#byProject.set(projectFolder, project);
    project.set(filePath, entry);
    this.#byPath.set(filePath, entry);
  }

  /**
   * A transcript is not there any more. Its session stays listed if something is known of it, and if it did not move to another
   * folder.
   */
  vanish(filePath: string): void {
    const entry = this.#byPath.get(filePath);
    if (entry?.absence === 'expected' || entry?.absence === 'gone') return;
    if (entry === undefined || (entry.scan === null && entry.quickMetadata === null)) this.delete(filePath);
    else this.set({ ...entry, stamp: null, isOutdated: false, hasBackup: false, absence: 'gone' });
    this.#forgetSome();
  }

  /** To be called after everything was listed: forgets what has come back under the same id elsewhere. */
  settleGone(): void {
    const gone = this.#gone();
    if (gone.length === 0) return;
    const present = new Set<string>();
    for (const { absence, found } of this.values()) if (absence === undefined) present.add(found.id);
    for (const { found } of gone) if (present.has(found.id)) this.delete(found.path);
  }

  /** Of a whole project that was deleted, the list is not to be full. */
  #forgetSome(): void {
    const gone = this.#gone();
    for (const { found } of gone.slice(0, Math.max(0, gone.length - MAX_GONE))) this.delete(found.path);
  }

  #gone(): readonly SessionEntry[] {
    return [...this.values()].filter(({ absence }) => absence === 'gone');
  }

  delete(filePath: string): void {
    const entry = this.#byPath.get(filePath);
    if (entry === undefined) return;
    const { projectFolder } = entry.found;
    this.#byPath.delete(filePath);
    const project = this.#byProject.get(projectFolder);
    project?.delete(filePath);
    if (project?.size === 0) this.#byProject.delete(projectFolder);
    this.#onChange(filePath, projectFolder);
  }
}

/** What is known about one transcript. Replaced as a whole, never changed in place. */
export interface SessionEntry {
  readonly found: FoundTranscript;
  /** The file as it was when it was listed, or just before its scan began. */
  readonly stamp: FileStamp | null;
  /** Null until the first scan. */
  readonly scan: ScannedSession | null;
  /** Used until the first scan. */
  readonly quickMetadata: QuickMetadata | null;
  /** The file in its present state is waiting for a scan. */
  readonly isOutdated: boolean;
  readonly hasBackup: boolean;
  /**
   * `expected`: a client runs the session and has not written its transcript yet. `gone`: the transcript is not there any more.
   * Absent if it is there.
   */
  readonly absence?: 'expected' | 'gone';
}
