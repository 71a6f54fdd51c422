import { accessSync, constants, readdirSync, type Stats, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isSessionId, type SessionRef } from '../../../../protocol/session';
import type { UnsavedCause } from '../../../../protocol/channels/alarms';
import { readFileEnd } from '../../../util/openForeignFile';
import {
  encodeProjectPath,
  expectedTranscriptOf,
  fileHistoryOf,
  isTranscriptName,
  persistedOutputsFolderOf,
  projectsFolderOf,
  sessionFolderOf,
  sessionRefOf,
  subagentsFolderOf,
  transcriptNameOf,
} from '../format/paths';
import type { Launch, Machine } from './machine';
import { type ClientRecord, readClients, RegistryMemory } from './registry';
import { type SavingQuestions, SavingWatch, type Sighting, type TranscriptSighting } from './savingWatch';

/** A client that runs and saves nothing. */
export interface UnsavedSession {
  readonly cause: UnsavedCause;
  readonly session: SessionRef | null;
  readonly pid: number;
  readonly cwd: string | null;
  /** When the client or its session began, in milliseconds since the epoch; with the process id, it identifies the client. */
  readonly startedMs: number;
}

/** A session that several clients have open, each of which appends to its transcript. */
export interface SharedSession {
  readonly session: SessionRef;
  /** Process ids, in ascending order. */
  readonly pids: readonly number[];
  readonly cwd: string | null;
}

export interface Savings {
  readonly unsaved: readonly UnsavedSession[];
  readonly shared: readonly SharedSession[];
}

export interface ClientSavingsDeps {
  readonly configDir: string;
  readonly machine: Machine;
  /** What others, too, have read of the registry; by default, nothing. */
  readonly memory?: RegistryMemory;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** With less free space, not even a row fits. */
const FULL_BYTES = 64 * 1024;
/** A client that is just starting has no record yet. */
const STARTING_MS = 10_000;
/** Time between two searches of all projects for the same transcript. */
const SEARCH_MS = 5_000;
/** So often in a row, two clients must be seen with one session: one may be about to end. */
const SHARED_LOOKS = 2;
/** A client that has waited for its person for so long has written what it had to. */
const RESTED_MS = 30_000;
/** Time between two looks at the files of a client that waits for its person. */
const REST_LOOK_MS = 20_000;
/** Given to a client, this variable makes it take itself for a part of another client, which saves for both. */
const CHILD_VARIABLE = 'CLAUDE_CODE_CHILD_SESSION';
const FORCE_VARIABLE = 'CLAUDE_CODE_FORCE_SESSION_PERSISTENCE';
const SKIP_VARIABLE = 'CLAUDE_CODE_SKIP_PROMPT_HISTORY';
const SKIP_OPTION = '--no-session-persistence';
/** Helpers of background sessions have no record until they are used. */
const HELPER = /^(?:--)?(?:bg|daemon)\b/u;
const NOT_INTERACTIVE = /^(?:bg|daemon)/u;
/** An error of a file system or a file that nobody can write. */
const READ_ONLY_ERRORS: ReadonlySet<string> = new Set(['EROFS', 'EPERM']);

/**
 * Looks at what running clients write. Each look asks for the stamps of a few files of each running session and reads nothing else.
 * Never rejects.
 */
export class ClientSavings {
  readonly #deps: ClientSavingsDeps;
  readonly #watch: SavingWatch;
  readonly #memory: RegistryMemory;
  /** Paths of transcripts by session id. */
  readonly #paths = new Map<string, string>();
  /** By path, as they were at the last look. */
  readonly #transcripts = new Map<string, TranscriptSighting>();
  readonly #searchedMs = new Map<string, number>();
  /** By process id, what was seen of clients that wait for their person. */
  readonly #resting = new Map<number, { readonly sighting: Sighting; readonly seenMs: number }>();
  /** How often in a row a session was seen with several clients. */
  readonly #shared = new Map<string, number>();

  constructor(deps: ClientSavingsDeps) {
    this.#deps = deps;
    this.#memory = deps.memory ?? new RegistryMemory();
    const { machine } = deps;
    const questions: SavingQuestions = {
      obstacle: (sighting) => obstacleFor(this.#pathOf(sighting)),
      subagentMs: (sighting) => newestMs(subagentsFolderOf(sessionFolderOf(this.#pathOf(sighting)))),
      isUnsavedOnPurpose: (record) => isUnsavedOnPurpose(machine.launchOf(record.pid), record, this.#paths),
    };
    this.#watch = new SavingWatch(questions);
  }

  async look(): Promise<Savings> {
    const { configDir, machine, now } = this.#deps;
    const nowMs = now();
    const { records, unrecorded } = await readClients(configDir, machine, nowMs, this.#memory);
    const running = records.filter(({ standing, kind }) => standing === 'runs' && !(kind ?? '').startsWith('daemon'));
    const ids = new Set(running.map(({ sessionId }) => sessionId));
    for (const [id, path] of this.#paths) {
      if (ids.has(id)) continue;
      this.#paths.delete(id);
      this.#transcripts.delete(path);
    }
    const pids = new Set(running.map(({ pid }) => pid));
    for (const pid of this.#resting.keys()) if (!pids.has(pid)) this.#resting.delete(pid);
    for (const id of this.#searchedMs.keys()) if (!ids.has(id)) this.#searchedMs.delete(id);
    // A conversation that was handed over to a job is written by that.
    const holders = running.filter(({ parkedJobId }) => parkedJobId === null);
    const sightings = holders.flatMap((record) => this.#sight(record, nowMs));
    const unsaved = this.#watch.look(sightings, nowMs).map(({ record, cause, transcriptPath }) => ({
      cause,
      session: sessionRefOf(transcriptPath ?? this.#expectedPath(record)),
      pid: record.pid,
      cwd: record.cwd,
      startedMs: record.startedMs ?? 0,
    }));
    const hidden = unrecorded.flatMap((pid) => this.#unrecorded(pid, nowMs));
    return { unsaved: [...unsaved, ...hidden], shared: this.#sharedOf(holders) };
  }

  #sight(record: ClientRecord, nowMs: number): Sighting[] {
    const resting = this.#resting.get(record.pid);
    // Of a record that was not written since, there is one object.
    if (resting?.sighting.record === record && Math.abs(nowMs - resting.seenMs) < REST_LOOK_MS)
      return [resting.sighting];
    this.#resting.delete(record.pid);
    try {
      const transcript = this.#transcriptOf(record, nowMs);
      const folder = sessionFolderOf(transcript?.path ?? this.#expectedPath(record));
      const sides = [fileHistoryOf(this.#deps.configDir, record.sessionId), persistedOutputsFolderOf(folder)];
      const sighting = { record, transcript, sideMs: Math.max(...sides.map((path) => statOf(path)?.mtimeMs ?? 0)) };
      // One that is missing may be back in a moment.
      const isAtRest = transcript !== null && hasRested(record, nowMs);
      if (isAtRest) this.#resting.set(record.pid, { sighting, seenMs: nowMs });
      return [sighting];
    } catch {
      // What cannot be looked at may well be written.
      return [];
    }
  }

  #transcriptOf(record: ClientRecord, nowMs: number): TranscriptSighting | null {
    const { sessionId } = record;
    const known = this.#paths.get(sessionId) ?? this.#expectedPath(record);
    const stat = statOf(known);
    if (stat?.isFile() === true) return this.#found(sessionId, known, stat);
    if (nowMs - (this.#searchedMs.get(sessionId) ?? Number.NEGATIVE_INFINITY) < SEARCH_MS) return null;
    this.#searchedMs.set(sessionId, nowMs);
    // A client moves its transcript when it enters a worktree, and resumes one where it is.
    const projects = projectsFolderOf(this.#deps.configDir);
    for (const folder of namesIn(projects)) {
      const path = join(projects, folder, transcriptNameOf(sessionId));
      const other = statOf(path);
      if (other?.isFile() === true) return this.#found(sessionId, path, other);
    }
    return null;
  }

  #found(sessionId: string, path: string, { size, mtimeMs, ino, birthtimeMs }: Stats): TranscriptSighting {
    this.#paths.set(sessionId, path);
    // The number of a deleted file is soon given to another.
    const identity = `${ino} ${birthtimeMs}`;
    const before = this.#transcripts.get(path);
    if (before?.size === size && before.mtimeMs === mtimeMs && before.identity === identity) return before;
    const isWhole = size === 0 || readFileEnd(path, 1).bytes.toString('latin1') === '\n';
    const seen = { path, size, mtimeMs, identity, isWhole };
    this.#transcripts.set(path, seen);
    return seen;
  }

  #pathOf({ record, transcript }: Sighting): string {
    return transcript?.path ?? this.#paths.get(record.sessionId) ?? this.#expectedPath(record);
  }

  #expectedPath({ sessionId, cwd }: ClientRecord): string {
    return expectedTranscriptOf(this.#deps.configDir, cwd, sessionId);
  }

  /** A running client that has a key and no record: it saves nothing, or somebody removed the record. */
  #unrecorded(pid: number, nowMs: number): UnsavedSession[] {
    const { machine } = this.#deps;
    const startedMs = machine.startedMs(pid);
    const launch = machine.launchOf(pid);
    if (startedMs === null || launch === null || nowMs - startedMs < STARTING_MS) return [];
    if (launch.args.slice(1, 3).some((arg) => HELPER.test(arg))) return [];
    const cwd = machine.cwdOf(pid);
    const isChild = launch.variables.has(CHILD_VARIABLE) && !launch.variables.has(FORCE_VARIABLE);
    const session = cwd === null ? null : this.#withoutTranscript(cwd, startedMs);
    if (!isChild && (session === null || launch.variables.has(SKIP_VARIABLE))) return [];
    return [{ cause: isChild ? 'inherited' : 'unknown', session, pid, cwd, startedMs }];
  }

  /** The session of a project that was begun since then and that has files of its own, but no transcript; null unless there is one. */
  #withoutTranscript(cwd: string, sinceMs: number): SessionRef | null {
    const project = join(projectsFolderOf(this.#deps.configDir), encodeProjectPath(cwd));
    const names = namesIn(project);
    const nowMs = this.#deps.now();
    const begun = names.filter((name) => {
      if (!isSessionId(name) || names.includes(transcriptNameOf(name))) return false;
      const stat = statOf(join(project, name));
      if (stat?.isDirectory() !== true || stat.birthtimeMs < sinceMs) return false;
      return nowMs - stat.mtimeMs >= STARTING_MS;
    });
    const [only, other] = begun;
    return only === undefined || other !== undefined ? null : sessionRefOf(join(project, transcriptNameOf(only)));
  }

  #sharedOf(holders: readonly ClientRecord[]): readonly SharedSession[] {
    const byId = new Map<string, ClientRecord[]>();
    for (const record of holders) byId.set(record.sessionId, [...(byId.get(record.sessionId) ?? []), record]);
    const several: SharedSession[] = [];
    for (const [id, records] of byId) {
      const pids = [...new Set(records.map(({ pid }) => pid))].sort((a, b) => a - b);
      // A terminal that shows a background session does not write.
      if (pids.length < 2 || records.some(({ kind }) => NOT_INTERACTIVE.test(kind ?? ''))) continue;
      const [first] = records;
      if (first === undefined) continue;
      const looks = (this.#shared.get(id) ?? 0) + 1;
      this.#shared.set(id, looks);
      const session = sessionRefOf(this.#paths.get(id) ?? this.#expectedPath(first));
      if (looks >= SHARED_LOOKS) several.push({ session, pids, cwd: first.cwd });
    }
    for (const id of this.#shared.keys()) if ((byId.get(id)?.length ?? 0) < 2) this.#shared.delete(id);
    return several;
  }
}

function hasRested({ status, statusMs }: ClientRecord, nowMs: number): boolean {
  return status === 'idle' && statusMs !== null && nowMs - statusMs >= RESTED_MS;
}

function isUnsavedOnPurpose(
  launch: Launch | null,
  { entrypoint, sessionId }: ClientRecord,
  paths: ReadonlyMap<string, string>,
): boolean {
  // A program may have asked for it, which cannot be seen; then there has never been a transcript.
  if (launch === null) return entrypoint !== 'cli' && !paths.has(sessionId);
  return launch.args.includes(SKIP_OPTION) || launch.variables.has(SKIP_VARIABLE);
}

function obstacleFor(path: string): 'full-disk' | 'read-only' | null {
  const place = [path, dirname(path), dirname(dirname(path))].find((each) => attempt(() => statOf(each)) !== null);
  if (place === undefined) return null;
  const space = attempt(() => statfsSync(place));
  if (space !== null && space.blocks > 0 && space.bavail * space.bsize < FULL_BYTES) return 'full-disk';
  return isReadOnly(place) ? 'read-only' : null;
}

function isReadOnly(place: string): boolean {
  try {
    accessSync(place, constants.W_OK);
    return false;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (READ_ONLY_ERRORS.has(code)) return true;
    // A file of another user may be written by a client of that user.
    return code === 'EACCES' && statSync(place).uid === process.geteuid?.();
  }
}

/** When a file in the folder was last written; 0 if there is none. */
function newestMs(folder: string): number {
  const transcripts = namesIn(folder).filter(isTranscriptName);
  return Math.max(0, ...transcripts.map((name) => attempt(() => statOf(join(folder, name)))?.mtimeMs ?? 0));
}

/** Null if it is not there. Throws other errors of the file system. */
function statOf(path: string): Stats | null {
  return statSync(path, { throwIfNoEntry: false }) ?? null;
}

function namesIn(folder: string): readonly string[] {
  return attempt(() => readdirSync(folder)) ?? [];
}

function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
