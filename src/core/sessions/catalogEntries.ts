import type { QuickMetadata, ScannedSession } from '../../protocol/session';
import type { FoundTranscript } from '../providers/provider';
import type { FileStamp } from '../util/diskFiles';

/** The entries of a catalog, by path and by project. */
export class CatalogEntries {
  readonly #byPath = new Map<string, CatalogEntry>();
  readonly #byProject = new Map<string, Map<string, CatalogEntry>>();
  readonly #onChange: (filePath: string, projectFolder: string) => void;

  /** `onChange` is told of each entry that was set or deleted. */
  constructor(onChange: (filePath: string, projectFolder: string) => void = () => undefined) {
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#byPath.size;
  }

  get projectFolders(): Iterable<string> {
    return this.#byProject.keys();
  }

  get(filePath: string): CatalogEntry | undefined {
    return this.#byPath.get(filePath);
  }

  values(): Iterable<CatalogEntry> {
    return this.#byPath.values();
  }

  ofProject(folder: string): Iterable<CatalogEntry> {
    return this.#byProject.get(folder)?.values() ?? [];
  }

  /** One id may lie in two project folders. */
  ofSessions(sessionIds: ReadonlySet<string>): readonly CatalogEntry[] {
    return Array.from(this.#byPath.values()).filter(({ found }) => sessionIds.has(found.sessionId));
  }

  set(entry: CatalogEntry): void {
    const { filePath, projectFolder } = entry.found;
    const project = this.#byProject.get(projectFolder) ?? new Map<string, CatalogEntry>();
    this.#byProject.set(projectFolder, project);
    project.set(filePath, entry);
    this.#byPath.set(filePath, entry);
    this.#onChange(filePath, projectFolder);
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

/** What the catalog knows of one transcript. Replaced as a whole, never changed in place. */
export interface CatalogEntry {
  readonly found: FoundTranscript;
  /** The file as it was when it was listed, or just before its scan began. */
  readonly stamp: FileStamp | null;
  /** null until the first scan. */
  readonly scan: ScannedSession | null;
  /** Stands in for the scan until there is one. */
  readonly look: QuickMetadata | null;
  /** The file, as it is, waits for a scan. */
  readonly isOutdated: boolean;
  readonly hasBackup: boolean;
}
