import type { FileRecords } from './fileRecords';
import type { UsageFile } from './usageFile';

/** A transcript of the ledger. */
export interface LedgerFile {
  readonly number: number;
  readonly place: UsageFile;
  readonly project: number;
  readonly session: LedgerSession;
  readonly records: FileRecords;
}

export interface LedgerSession {
  readonly project: string;
  readonly sessionId: string;
  /** In no order. */
  readonly files: LedgerFile[];
}

/** The transcripts of the ledger by number, path and session. A number is never given twice. */
export class LedgerFiles {
  readonly #files: (LedgerFile | null)[] = [];
  readonly #byPath = new Map<string, LedgerFile>();
  readonly #sessions = new Map<string, LedgerSession>();

  get all(): Iterable<LedgerFile> {
    return this.#byPath.values();
  }

  get sessions(): Iterable<LedgerSession> {
    return this.#sessions.values();
  }

  /** Null for the number of one that was removed, and for none. */
  at(number: number): LedgerFile | null {
    return this.#files[number] ?? null;
  }

  of(filePath: string): LedgerFile | null {
    return this.#byPath.get(filePath) ?? null;
  }

  session(project: string, sessionId: string): LedgerSession | null {
    return this.#sessions.get(sessionKey(project, sessionId)) ?? null;
  }

  add(place: UsageFile, project: number, records: FileRecords): LedgerFile {
    const { filePath, sessionId } = place;
    const session: LedgerSession = this.session(place.project, sessionId) ?? {
      project: place.project,
      sessionId,
      files: [],
    };
    this.#sessions.set(sessionKey(place.project, sessionId), session);
    const file = { number: this.#files.length, place, project, session, records };
    this.#files.push(file);
    this.#byPath.set(filePath, file);
    session.files.push(file);
    return file;
  }

  remove({ number, place, session }: LedgerFile): void {
    this.#files[number] = null;
    this.#byPath.delete(place.filePath);
    session.files.splice(
      session.files.findIndex((file) => file.number === number),
      1,
    );
    if (session.files.length === 0) this.#sessions.delete(sessionKey(session.project, session.sessionId));
  }
}

function sessionKey(project: string, sessionId: string): string {
  return `${project}\n${sessionId}`;
}
