import { join } from 'node:path';
import { isSessionId } from '../../../../protocol/session';
import { type JsonObject, stringField } from '../../../util/json';
import { wait } from '../../../util/scheduling';
import type { Machine } from './machine';
import { contentOf, namesIn, parsed, RememberedFiles } from './registryFiles';

/** Why a client may run a session, as a sentence to show. */
export const MAYBE_LIVE = {
  unseen:
    'A client has this session open, or had it open when it died; whether it still runs cannot be seen from here.',
  broken: 'The record of a running client cannot be read.',
  unreadable: 'The registry of running clients cannot be read.',
  unrecorded: 'A client that has no record in the registry is running in this project.',
  job: 'The session is a background job that has not ended.',
  oldClient: 'A client that keeps no registry wrote to this session in the last two minutes.',
} as const;

/** What the registry says of one client and its session. Texts are as the client wrote them; null if it wrote none. */
export interface ClientRecord {
  /** In lower case. */
  readonly sessionId: string;
  readonly pid: number;
  /** `may run`: it belongs to another machine or PID namespace, whose processes cannot be seen from here. */
  readonly standing: 'runs' | 'may run' | 'ended';
  /** `busy`, `waiting`, `idle` or `shell`; clients before 2.1.275 wrote none with `-p`. */
  readonly status: string | null;
  readonly waitingFor: string | null;
  readonly kind: string | null;
  readonly entrypoint: string | null;
  readonly cwd: string | null;
  /** Name of the agent that the session runs as. */
  readonly agent: string | null;
  /** Where in tmux it runs, as `name:@window.%pane`. */
  readonly tmux: string | null;
  /** The conversation was handed over to this background job. */
  readonly parkedJobId: string | null;
  /** Milliseconds since the epoch. */
  readonly startedMs: number | null;
  /** When the status was written, in milliseconds since the epoch. */
  readonly statusMs: number | null;
}

/** A session in the background. (docs/format.md, "Live processes") */
export interface BackgroundJob {
  /** The first eight characters of the session's id. */
  readonly id: string;
  /** Whole ids, in lower case; none if the job does not say. */
  readonly sessionIds: readonly string[];
  /** `working`, `blocked`, `crashed`, `done`, `stopped` or `failed`; null if it cannot be read. */
  readonly state: string | null;
  /** `active`, `idle` or `blocked`. */
  readonly tempo: string | null;
  /** What it waits for, in the client's words. */
  readonly needs: string | null;
  readonly cwd: string | null;
  /** Its client neither runs nor starts again. */
  readonly isSettled: boolean;
  /** Milliseconds since the epoch. */
  readonly updatedMs: number | null;
}

/** What the registry of running clients in one config folder says. (docs/format.md, "Live processes") */
export interface Registry {
  /** Also of clients that have ended without removing their record. */
  readonly records: readonly ClientRecord[];
  readonly jobs: readonly BackgroundJob[];
  /** Sessions whose client runs, in lower case. */
  readonly live: ReadonlySet<string>;
  /** Sessions whose client may run, in lower case, and why. Of a background job, possibly only the first eight characters are known. */
  readonly maybeLive: ReadonlyMap<string, string>;
  /** Why a client may run any session of the config folder; null if none may. */
  readonly mayHoldAny: string | null;
  /** Processes of this machine whose records say what they do. */
  readonly pids: ReadonlySet<number>;
  /** Running clients that have no record, but a key. */
  readonly unrecorded: readonly number[];
}

const SESSIONS_FOLDER = 'sessions';
/** The kind of a client that only starts others. */
const DAEMON = 'daemon';
const JOBS_FOLDER = 'jobs';
/** The client ignores larger records. */
const MAX_RECORD_BYTES = 256 * 1024;
const MAX_JOB_BYTES = 8 * 1024 * 1024;
const RECORD_NAME = /^(?<pid>\d+)\.json$/;
const KEY_NAME = /^(?<pid>\d+)\.[0-9a-f]+\.key$/;
const JOB_NAME = /^[0-9a-f]{8}$/;
/** After so long, the client has written a record that was seen half written. It waits as long itself. */
const REREAD_MS = 25;
/** Nobody is still writing a broken record of this age: its writer has died. */
const BROKEN_RECORD_MS = 120_000;
/** The client gives a file to a process that started at most so long after it was written. */
const PID_REUSE_MS = 2_000;
/**
 * A reading of this age will do for alarms, which look at what has not been written for ten seconds. A window reads the registry at
 * least every six seconds, and whenever it changes.
 */
const RECENT_MS = 7_000;
const SETTLED: ReadonlySet<string | null> = new Set(['done', 'stopped', 'failed']);

/** What is kept of a record or a key: nothing else of a key leaves its parser. */
interface Holder {
  readonly pid: number;
  readonly procStart: string | null;
  readonly pidDomain: string | null;
}

/** What is kept of a record, whoever holds it. */
interface RecordContent {
  readonly holder: Holder | null;
  /** In lower case. */
  readonly sessionId: string | null;
  readonly kind: string | null;
  /** What it says if its process is found so; null if it names no session. Made once, as records are asked for again and again. */
  readonly records: Readonly<Record<ClientRecord['standing'], ClientRecord>> | null;
}

/** A file of the registry. */
interface NamedFile {
  readonly path: string;
  /** Of the process or the job. */
  readonly id: string;
}

/** What the folder of clients names. */
interface ClientFiles {
  readonly records: readonly NamedFile[];
  /** They are written once, so they are read when the folder changes. */
  readonly keys: readonly Holder[];
}

/** What the files of registries said, so that those that have not changed are not read again. For callers that read registries often. */
export class RegistryMemory {
  readonly clientFolders = new RememberedFiles<ClientFiles>();
  readonly jobFolders = new RememberedFiles<readonly NamedFile[]>();
  readonly records = new RememberedFiles<RecordContent>();
  readonly keys = new RememberedFiles<Holder>();
  readonly jobs = new RememberedFiles<BackgroundJob>();
  /** The latest readings, by config folder. */
  readonly latest = new Map<string, { readonly registry: Registry; readonly readMs: number }>();
}

/**
 * Reads the registry. The client removes its record on a clean exit, so a record alone proves nothing: its process must be running.
 * What cannot be read counts as a client that may run.
 */
export async function readRegistry(
  configDir: string,
  machine: Machine,
  nowMs: number,
  memory = new RegistryMemory(),
): Promise<Registry> {
  const reading = await readRecords(configDir, machine, nowMs, memory);
  reading.takeJobs(join(configDir, JOBS_FOLDER));
  memory.latest.set(configDir, { registry: reading, readMs: nowMs });
  return reading;
}

async function readRecords(
  configDir: string,
  machine: Machine,
  nowMs: number,
  memory: RegistryMemory,
): Promise<RegistryReading> {
  const reading = new RegistryReading(machine, nowMs, memory);
  const files = memory.clientFolders.get(join(configDir, SESSIONS_FOLDER), nowMs, (folder) =>
    clientFilesIn(folder, nowMs, memory),
  );
  if (files === null || files === 'gone') reading.mayHoldAny = MAYBE_LIVE.unreadable;
  else {
    const broken = files.records.filter((file) => !reading.takeRecord(file));
    if (broken.length > 0) await wait(REREAD_MS);
    for (const file of broken) reading.takeBrokenRecord(file, files.keys);
    for (const key of files.keys) reading.takeKey(key);
  }
  return reading;
}

/** Null if they cannot be listed. */
function clientFilesIn(folder: string, nowMs: number, memory: RegistryMemory): ClientFiles | null {
  const names = namesIn(folder);
  if (names === null) return null;
  const named = (pattern: RegExp): NamedFile[] =>
    names.flatMap((name) => {
      const id = pattern.exec(name)?.groups?.['pid'];
      return id === undefined ? [] : [{ path: join(folder, name), id }];
    });
  const keys = named(KEY_NAME).flatMap(({ path, id }) => {
    const holder = memory.keys.get(path, nowMs, () => {
      const key = parsed(path, MAX_RECORD_BYTES);
      return key === 'gone' ? key : holderOf(key ?? {}, Number(id));
    });
    return holder === 'gone' || holder === null ? [] : [holder];
  });
  return { records: named(RECORD_NAME), keys };
}

/** Null if they cannot be listed. */
function jobFilesIn(folder: string): readonly NamedFile[] | null {
  const names = namesIn(folder);
  const jobs = names?.filter((name) => JOB_NAME.test(name)) ?? null;
  return jobs?.map((id) => ({ path: join(folder, id, 'state.json'), id })) ?? null;
}

/** Ids of the sessions whose client runs, in lower case. Jobs do not tell, so they are not read. */
export async function readLiveSessions(
  configDir: string,
  machine: Machine,
  nowMs: number,
): Promise<ReadonlySet<string>> {
  return (await readRecords(configDir, machine, nowMs, new RegistryMemory())).live;
}

/**
 * What the registry says of clients and not of jobs. Asked at each look for alarms, so it reads no jobs, of which there may be many, and
 * nothing at all if somebody else has just done so.
 */
export async function readClients(
  configDir: string,
  machine: Machine,
  nowMs: number,
  memory: RegistryMemory,
): Promise<Pick<Registry, 'records' | 'unrecorded'>> {
  const latest = memory.latest.get(configDir);
  const isRecent = latest !== undefined && Math.abs(nowMs - latest.readMs) < RECENT_MS;
  return isRecent ? latest.registry : readRecords(configDir, machine, nowMs, memory);
}

class RegistryReading implements Registry {
  readonly records: ClientRecord[] = [];
  readonly jobs: BackgroundJob[] = [];
  readonly live = new Set<string>();
  readonly maybeLive = new Map<string, string>();
  readonly pids = new Set<number>();
  readonly unrecorded: number[] = [];
  mayHoldAny: string | null = null;

  constructor(
    private readonly machine: Machine,
    private readonly nowMs: number,
    private readonly memory: RegistryMemory,
  ) {}

  /** False if it cannot be read as a record. */
  takeRecord({ path, id }: NamedFile): boolean {
    const content = this.memory.records.get(path, this.nowMs, () => {
      const record = parsed(path, MAX_RECORD_BYTES);
      return record === null || record === 'gone' ? record : contentOfRecord(record, Number(id));
    });
    if (content === null) return false;
    if (content === 'gone') return true;
    const { holder, sessionId, kind, records } = content;
    const standing: ClientRecord['standing'] = holder === null ? 'may run' : this.#stateOf(holder);
    // A record says nothing of a process here that only has the same pid, nor of one whose session it does not name.
    const tells = sessionId !== null || kind === DAEMON;
    if (holder !== null && standing === 'runs' && tells) this.pids.add(holder.pid);
    if (sessionId === null) return true;
    if (records !== null) this.records.push(records[standing]);
    if (standing === 'runs') this.live.add(sessionId);
    else if (standing === 'may run') this.maybeLive.set(sessionId, MAYBE_LIVE.unseen);
    return true;
  }

  /** A record that could not be read a moment ago. */
  takeBrokenRecord(file: NamedFile, keys: readonly Holder[]): void {
    if (this.takeRecord(file)) return;
    const { path } = file;
    const pid = Number(file.id);
    const content = contentOf(path, MAX_RECORD_BYTES);
    if (content === 'gone') return;
    const text = content.text ?? '';
    const isForeign = this.#isForeign(/"pidDomain":"(?<domain>[^"\\]+)"/.exec(text)?.groups?.['domain'] ?? null);
    if (!isForeign && !this.#mayBeWriting(pid, content.mtimeMs, keys)) return;
    if (!isForeign) this.pids.add(pid);
    // The id is written near the start.
    const sessionId = /"sessionId":"(?<id>[0-9a-fA-F-]{36})"/.exec(text)?.groups?.['id'];
    if (sessionId === undefined) this.mayHoldAny ??= MAYBE_LIVE.broken;
    else this.maybeLive.set(sessionId.toLowerCase(), MAYBE_LIVE.broken);
  }

  /** The client writes its key before its record, and keeps it if somebody removes the record. */
  takeKey(key: Holder): void {
    if (!this.pids.has(key.pid) && this.#stateOf(key) === 'runs') this.unrecorded.push(key.pid);
  }

  /** Sessions in the background: their client ends and starts again until the job has settled. */
  takeJobs(folder: string): void {
    const files = this.memory.jobFolders.get(folder, this.nowMs, jobFilesIn);
    if (files === null || files === 'gone') this.mayHoldAny = MAYBE_LIVE.unreadable;
    else for (const file of files) this.#takeJob(file);
  }

  #takeJob({ path, id }: NamedFile): void {
    const read = this.memory.jobs.get(path, this.nowMs, () => {
      const job = parsed(path, MAX_JOB_BYTES);
      return job === null || job === 'gone' ? job : jobOf(id, job);
    });
    if (read === 'gone') return;
    const job = read ?? jobOf(id, {});
    this.jobs.push(job);
    if (job.isSettled) return;
    for (const each of job.sessionIds.length === 0 ? [id] : job.sessionIds) this.maybeLive.set(each, MAYBE_LIVE.job);
  }

  #isForeign(pidDomain: string | null): boolean {
    return pidDomain !== null && pidDomain !== this.machine.pidDomain;
  }

  #stateOf({ pid, procStart, pidDomain }: Holder): ClientRecord['standing'] {
    const { machine } = this;
    const isOwn = pidDomain === machine.pidDomain || (pidDomain === null && !machine.hasPidDomains);
    if (isOwn) return machine.isAlive(pid, procStart) ? 'runs' : 'ended';
    return pidDomain === null && machine.isAlive(pid, procStart) ? 'runs' : 'may run';
  }

  #mayBeWriting(pid: number, mtimeMs: number | null, keys: readonly Holder[]): boolean {
    const key = keys.find((each) => each.pid === pid);
    if (key !== undefined && key.pidDomain !== null) return this.#stateOf(key) !== 'ended';
    if (!this.machine.isAlive(pid, null)) return mtimeMs === null || this.nowMs - mtimeMs < BROKEN_RECORD_MS;
    const startedMs = this.machine.startedMs(pid);
    return startedMs === null || mtimeMs === null || startedMs <= mtimeMs + PID_REUSE_MS;
  }
}

function jobOf(id: string, job: JsonObject): BackgroundJob {
  const [state, ids] = [stringField(job, 'state'), ['sessionId', 'resumeSessionId']];
  return {
    id,
    sessionIds: ids.flatMap((name) => stringField(job, name)?.toLowerCase() ?? []),
    state,
    tempo: stringField(job, 'tempo'),
    needs: stringField(job, 'needs'),
    cwd: stringField(job, 'cwd'),
    isSettled: SETTLED.has(state),
    updatedMs: timeOf(job['updatedAt']),
  };
}

function contentOfRecord(record: JsonObject, namedPid: number): RecordContent {
  const kind = stringField(record, 'kind');
  const holder = holderOf(record, namedPid);
  const sessionId = stringField(record, 'sessionId')?.toLowerCase() ?? null;
  // A path is made of the id.
  if (holder === null || sessionId === null || !isSessionId(sessionId))
    return { holder, sessionId, kind, records: null };
  const recordAs = (standing: ClientRecord['standing']): ClientRecord => ({
    sessionId,
    pid: holder.pid,
    standing,
    status: stringField(record, 'status'),
    waitingFor: stringField(record, 'waitingFor'),
    kind,
    entrypoint: stringField(record, 'entrypoint'),
    cwd: stringField(record, 'cwd'),
    agent: stringField(record, 'agent'),
    tmux: stringField(record, 'tmux'),
    parkedJobId: stringField(record, 'parkedJobId'),
    startedMs: timeOf(record['startedAt']),
    statusMs: timeOf(record['statusUpdatedAt']) ?? timeOf(record['updatedAt']),
  });
  const records = { runs: recordAs('runs'), 'may run': recordAs('may run'), ended: recordAs('ended') };
  return { holder, sessionId, kind, records };
}

/** Registry records have numbers, jobs also ISO times. */
function timeOf(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : value;
  return typeof time === 'number' && Number.isFinite(time) ? time : null;
}

function holderOf(record: JsonObject, namedPid: number): Holder | null {
  const pid = typeof record['pid'] === 'number' ? record['pid'] : namedPid;
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  const start = record['procStart'];
  return {
    pid,
    procStart: typeof start === 'string' || typeof start === 'number' ? String(start) : null,
    pidDomain: stringField(record, 'pidDomain'),
  };
}
