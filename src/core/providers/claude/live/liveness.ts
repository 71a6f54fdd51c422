import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { TranscriptEnd } from '../../../../protocol/sessionInfo';
import { parseObject, stringField } from '../../../util/json';
import { readFileEnd } from '../../../util/openForeignFile';
import {
  configDirOf,
  encodeProjectPath,
  expectedTranscriptOf,
  isSubagentsFolder,
  projectsFolderOf,
  sessionIdOf,
  transcriptNameOf,
} from '../format/paths';
import { isAtLeast } from '../loader/rules';
import type { ActivityAnswer, LivenessAnswer, RegistryLook, RunningSession } from '../../provider';
import type { ClientProcess, Machine } from './machine';
import {
  type BackgroundJob,
  type ClientRecord,
  MAYBE_LIVE,
  readRegistry,
  type Registry,
  RegistryMemory,
} from './registry';
import { sessionActivity } from './sessionActivity';

/** The first measured client that keeps a registry; an older one may lack it. */
const FIRST_WITH_REGISTRY = '2.1.139';
/** For so long after its last write, the client of a session that keeps no registry may still be running. */
const FRESH_MS = 120_000;
/** What Linux adds to the path of a working folder that is gone. */
const DELETED = / \(deleted\)$/;
/** An option in one word with its value. */
const OPTION = /^--?[\w-]{1,40}=/;
/** Enough for several rows, each of which names its client's version. */
const END_BYTES = 256 * 1024;

/** Whether clients run sessions. Answers are about the moment in which they are given. */
export interface LivenessDeps {
  /** Absolute path of the config folder for transcripts that are in none. */
  readonly configDir: string;
  readonly machine: Machine;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** What others, too, have read of registries; by default, nothing. */
  readonly memory?: RegistryMemory | undefined;
}

const LIVE: LivenessAnswer = { live: 'live', why: null };
const NOT_LIVE: LivenessAnswer = { live: 'not-live', why: null };

/** What was read of registries and processes is old after so long. */
const READING_MS = 1_000;

/** Answers for many transcripts: registries and processes are read once a second at most. */
export class LivenessReading {
  readonly #registries = new Map<string, Promise<Registry>>();
  readonly #realFolders = new Map<string, string>();
  readonly #memory: RegistryMemory;
  /** What records and jobs say, as one text each. Most stay the same for hours. */
  readonly #texts = new WeakMap<ClientRecord | BackgroundJob, string>();
  #clients: readonly ClientProcess[] | null = null;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly deps: LivenessDeps) {
    this.#memory = deps.memory ?? new RegistryMemory();
  }

  /** Whether a client runs the session of a transcript. Never rejects; what cannot be found out is `maybe-live`. */
  async of(filePath: string): Promise<LivenessAnswer> {
    this.#forgetOld();
    return this.#answer(filePath, this.#placeOf(filePath));
  }

  async #answer(filePath: string, place: Place): Promise<LivenessAnswer> {
    let why: string | null = this.#isFreshOfOldClient(place) ? MAYBE_LIVE.oldClient : null;
    for (const configDir of this.#configDirsOf(filePath, place.realPath)) {
      const registry = await this.#registryOf(configDir);
      if (heldAs(place, configDir, registry.live) !== null) return LIVE;
      const unseen = heldAs(place, configDir, registry.maybeLive);
      why ??= unseen === null ? registry.mayHoldAny : (registry.maybeLive.get(unseen) ?? null);
      if (why === null && this.#isWorkedIn(place, configDir, registry)) why = MAYBE_LIVE.unrecorded;
    }
    return why === null ? NOT_LIVE : { live: 'maybe-live', why };
  }

  /** What the session of a transcript is doing. Never rejects. `end`: how the transcript ends; null if it cannot be read. */
  async activityOf(filePath: string, end: TranscriptEnd | null): Promise<ActivityAnswer> {
    this.#forgetOld();
    const place = this.#placeOf(filePath);
    const { live, why } = await this.#answer(filePath, place);
    const registries = await this.#registriesOf(filePath, place.realPath);
    const records = registries.flatMap((each) => each.records.filter(({ sessionId }) => place.ids.has(sessionId)));
    const isOwn = ({ id, sessionIds }: BackgroundJob): boolean =>
      sessionIds.length === 0
        ? [...place.ids].some((own) => own.startsWith(id))
        : sessionIds.some((own) => place.ids.has(own));
    const job = registries.flatMap(({ jobs }) => jobs).find(isOwn) ?? null;
    const nowMs = this.deps.now();
    // A client writes a message when it is said. Where the file is new and its last message is not, the file is a copy.
    const isCopy = why === MAYBE_LIVE.oldClient && nowMs - (end?.lastMessageMs ?? nowMs) >= FRESH_MS;
    const seen = isCopy ? 'not-live' : live;
    return { live, activity: sessionActivity({ records, job, live: seen, end, nowMs }) };
  }

  /** The sessions of clients that run, or may run, in the config folder, whether or not they have a transcript. */
  async clients(): Promise<readonly RunningSession[]> {
    this.#forgetOld();
    const { configDir } = this.deps;
    const { records } = await this.#registryOf(this.#realFolder(configDir));
    return records.flatMap(({ sessionId, cwd, startedMs, standing }) => {
      if (standing === 'ended') return [];
      return [{ sessionId, cwd, startedMs, filePath: expectedTranscriptOf(configDir, cwd, sessionId) }];
    });
  }

  /** Reads the registry of the config folder anew. Answers of the next second are about this reading. */
  async look(): Promise<RegistryLook> {
    this.#readAt = Number.NEGATIVE_INFINITY;
    this.#forgetOld();
    const { live, records, jobs } = await this.#registryOf(this.#realFolder(this.deps.configDir));
    const said = new Map<string, string>();
    const note = (id: string, what: ClientRecord | BackgroundJob): void => {
      const text = this.#textOf(what);
      const before = said.get(id);
      said.set(id, before === undefined ? text : `${before}${text}`);
    };
    for (const record of records) note(record.sessionId, record);
    for (const job of jobs)
      for (const id of job.sessionIds.length === 0 ? [job.id] : new Set(job.sessionIds)) note(id, job);
    return { running: live, said };
  }

  #textOf(what: ClientRecord | BackgroundJob): string {
    const text = this.#texts.get(what) ?? JSON.stringify(what);
    this.#texts.set(what, text);
    return text;
  }

  #registriesOf(...paths: readonly string[]): Promise<readonly Registry[]> {
    return Promise.all([...this.#configDirsOf(...paths)].map((configDir) => this.#registryOf(configDir)));
  }

  #forgetOld(): void {
    const now = this.deps.now();
    if (Math.abs(now - this.#readAt) < READING_MS) return;
    this.#readAt = now;
    this.#registries.clear();
    this.#realFolders.clear();
    this.#clients = null;
  }

  #placeOf(filePath: string): Place {
    const folder = this.#realFolder(dirname(filePath));
    const named = join(folder, basename(filePath));
    const entry = attempt(() => lstatSync(named));
    const realPath = entry?.isSymbolicLink() === true ? (attempt(() => realpathSync(named)) ?? named) : named;
    const stat = entry === null ? null : attempt(() => statSync(realPath));
    const file =
      stat === null ? null : { dev: stat.dev, ino: stat.ino, mtimeMs: stat.mtimeMs, isShared: stat.nlink > 1 };
    const owners = [filePath, named, realPath].map(ownerOf);
    return { realPath, ids: new Set(owners.map(({ id }) => id)), project: owners[2]?.project ?? '', file };
  }

  #configDirsOf(...paths: readonly string[]): ReadonlySet<string> {
    const named = paths.map(configDirOf).filter((each) => each !== null);
    return new Set([this.deps.configDir, ...named].map((each) => this.#realFolder(each)));
  }

  #realFolder(folder: string): string {
    const known = this.#realFolders.get(folder) ?? attempt(() => realpathSync(folder)) ?? folder;
    this.#realFolders.set(folder, known);
    return known;
  }

  #registryOf(configDir: string): Promise<Registry> {
    const known =
      this.#registries.get(configDir) ?? readRegistry(configDir, this.deps.machine, this.deps.now(), this.#memory);
    this.#registries.set(configDir, known);
    return known;
  }

  /** Whether a client that has no record works in the project, or was started with the session's id. */
  #isWorkedIn({ project, ids }: Place, configDir: string, registry: Registry): boolean {
    const { machine } = this.deps;
    const isHere = (cwd: string | null): boolean =>
      cwd === null || [cwd, cwd.replace(DELETED, '')].some((each) => encodeProjectPath(each) === project);
    if (registry.unrecorded.some((pid) => isHere(machine.cwdOf(pid)))) return true;
    this.#clients ??= machine.clients();
    return this.#clients.some((client) => {
      // A client starts others to help it.
      if (registry.pids.has(client.pid) || registry.pids.has(client.parentPid)) return false;
      if (!this.#isOf(client, configDir)) return false;
      return isHere(client.cwd) || client.args.some((arg) => ids.has(arg.toLowerCase().replace(OPTION, '')));
    });
  }

  #isOf({ configDir: named }: ClientProcess, configDir: string): boolean {
    return named === null || this.#realFolder(named) === configDir;
  }

  #isFreshOfOldClient({ realPath, file }: Place): boolean {
    if (file === null || this.deps.now() - file.mtimeMs >= FRESH_MS) return false;
    const end = attempt(() => readFileEnd(realPath, END_BYTES));
    const version = end === null ? null : newestVersion(end.bytes.toString('utf8'));
    return version !== null && !isAtLeast(version, FIRST_WITH_REGISTRY);
  }
}

/** What a transcript is to a registry. */
interface Place {
  readonly realPath: string;
  /** Ids, in lower case, of the sessions that its names stand for. */
  readonly ids: ReadonlySet<string>;
  /** Name of the folder of its project. */
  readonly project: string;
  /** `isShared`: it has other names. Null if there is no file. */
  readonly file: {
    readonly dev: number;
    readonly ino: number;
    readonly mtimeMs: number;
    readonly isShared: boolean;
  } | null;
}

/** Session ids, as a set or as the keys of a map. */
interface HeldIds {
  has(id: string): boolean;
  keys(): Iterable<string>;
}

/** The session to which a transcript belongs: a subagent's belongs to the session that started it. */
function ownerOf(filePath: string): { readonly id: string; readonly project: string } {
  const folder = dirname(filePath);
  const named = isSubagentsFolder(folder) ? dirname(folder) : filePath;
  return { id: sessionIdOf(named).toLowerCase(), project: basename(dirname(named)) };
}

/** The id under which the session, or one that has the same file under another name, is held; null if it is not. */
function heldAs({ ids, file }: Place, configDir: string, held: HeldIds): string | null {
  for (const id of ids) {
    // Jobs name a session by the start of its id.
    for (const name of [id, id.slice(0, 8)]) if (held.has(name)) return name;
  }
  if (file?.isShared !== true) return null;
  for (const id of held.keys()) {
    const isSame = transcriptsOf(configDir, id).some((path) => {
      const other = attempt(() => statSync(path));
      return other !== null && other.dev === file.dev && other.ino === file.ino;
    });
    if (isSame) return id;
  }
  return null;
}

function transcriptsOf(configDir: string, sessionId: string): string[] {
  const projects = projectsFolderOf(configDir);
  const folders = attempt(() => readdirSync(projects)) ?? [];
  return folders.map((folder) => join(projects, folder, transcriptNameOf(sessionId)));
}

/** The version of the last row that names one; null if none does. */
function newestVersion(rows: string): string | null {
  for (const line of rows.split('\n').reverse()) {
    const row = line === '' ? null : parseObject(line);
    const version = row === null ? null : stringField(row, 'version');
    if (version !== null) return version;
  }
  return null;
}

function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
