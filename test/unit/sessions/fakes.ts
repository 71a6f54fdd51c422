import { basename } from 'node:path';
import type {
  Activities,
  FoundTranscript,
  RepairOptions,
  ScanOptions,
  SessionFollower,
  SessionProvider,
} from '../../rooms/providers';
import { diagnosticsFor } from '../../rooms/diagnose';
import type { SessionCache } from '../../rooms/sessions';
import { type Clock, type FileStamp, isSameStamp, type SessionFiles } from '../../rooms/util';
import { MergedFolders } from '../../../src/extension/sessions/mergedFolders';
import type { AlarmsSnapshot } from '../../../src/protocol/channels/alarms';
import type { SearchEvents } from '../../../src/protocol/channels/search';
import type { SessionsEvents, SessionsSnapshot, SessionsUpdate } from '../../../src/protocol/channels/sessions';
import type { WorkerEvents } from '../../../src/protocol/channels/worker';
import type { ClientInfo } from '../../../src/protocol/client';
import type { Finding, RepairOutcome } from '../../../src/protocol/repair';
import type { ScannedSession, SessionMetadata } from '../../../src/protocol/session';
import { FAKE_PROVIDER, NOT_RUNNING } from '../../support/fakeProvider';

export const CONFIG_DIR = '/home/person/.claude';

export function transcript(project: string, sessionId: string, configDir = CONFIG_DIR): FoundTranscript {
  const projectFolder = `${configDir}/projects/${project}`;
  return { provider: 'claude', id: sessionId, projectFolder, path: `${projectFolder}/${sessionId}.jsonl` };
}

export function finding(change: Partial<Finding> = {}): Finding {
  return {
    code: 'dangling-parent',
    severity: 'error',
    action: 'auto',
    lines: [3],
    uuids: ['u3'],
    message: 'The parent of the row is not in the file.',
    ...change,
  };
}

export interface ScanChange {
  readonly result?: Partial<ScannedSession['result']>;
  readonly metadata?: Partial<SessionMetadata>;
  readonly problem?: string;
}

/** A healthy session of two messages, with the given changes. */
export function scanOf(found: FoundTranscript, { result, metadata, problem }: ScanChange = {}): ScannedSession {
  return {
    result: {
      sessionId: found.id,
      filePath: found.path,
      provider: 'claude',
      status: 'healthy',
      chainDepth: 2,
      orphanCount: 0,
      fileSize: 1000,
      messageCount: 2,
      resume: { loads: 2, of: 2, leafUuid: 'leaf', missingLines: [], client: '2.1.330', isExact: true },
      findings: [],
      ...result,
    },
    metadata: {
      title: `Title of ${found.id}`,
      cwd: null,
      model: null,
      gitBranch: null,
      clientVersion: null,
      lastMessageMs: 1000,
      parentSessionId: null,
      createdMs: null,
      ...metadata,
    },
    problem: problem ?? null,
  };
}

/** A clock that stands still until `advance` is called. */
export class FakeClock implements Clock {
  #nowMs = 1_000_000;
  #timers: { readonly atMs: number; readonly callback: () => void }[] = [];

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  /** Time passes within one turn of the event loop, so that no timer fires. */
  pass(ms: number): void {
    this.#nowMs += ms;
  }

  /** As when the computer's clock is set: running timers are not concerned. */
  setBack(ms: number): void {
    this.#nowMs -= ms;
    this.#timers = this.#timers.map((timer) => ({ ...timer, atMs: timer.atMs - ms }));
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    const due = this.#timers.filter((timer) => timer.atMs <= this.#nowMs);
    this.#timers = this.#timers.filter((timer) => timer.atMs > this.#nowMs);
    for (const timer of due) timer.callback();
  }
}

/** A fake disk of file stamps and folder listings. */
export class FakeFiles implements SessionFiles {
  readonly stamps = new Map<string, FileStamp>([[CONFIG_DIR, { ...stampOf(0), isFolder: true }]]);
  readonly folders = new Map<string, readonly string[]>();
  readonly links = new Map<string, string>();

  stamp(path: string): Promise<FileStamp | null> {
    return Promise.resolve(this.stampNow(path));
  }

  stampNow(path: string): FileStamp | null {
    return this.stamps.get(path) ?? null;
  }

  stampAgain(path: string): FileStamp | null {
    return this.stampNow(path);
  }

  names(folder: string): Promise<readonly string[]> {
    return Promise.resolve(this.folders.get(folder) ?? []);
  }

  realPath(path: string): Promise<string> {
    return Promise.resolve(this.links.get(path) ?? path);
  }
}

export function stampOf(mtimeMs: number, size = 1000): FileStamp {
  const ns = BigInt(mtimeMs) * 1_000_000n;
  return { size, mtimeMs, mtimeNs: ns, ctimeNs: ns, inode: 1n, bornMs: 0, isFolder: false };
}

/** A cache that lives as long as the test. */
export class FakeCache implements SessionCache {
  readonly scans = new Map<string, { readonly stamp: FileStamp; readonly scan: ScannedSession }>();
  saveCount = 0;

  get(filePath: string, stamp: FileStamp): ScannedSession | null {
    const known = this.scans.get(filePath);
    return known !== undefined && isSameStamp(known.stamp, stamp) ? known.scan : null;
  }

  set(filePath: string, stamp: FileStamp, scan: ScannedSession): void {
    this.scans.set(filePath, { stamp, scan });
  }

  delete(filePath: string): void {
    this.scans.delete(filePath);
  }

  /** The fake engine lists files itself. */
  listing(): null {
    return null;
  }

  setListing(): void {
    // Never called.
  }

  save(): Promise<void> {
    this.saveCount++;
    return Promise.resolve();
  }
}

/** A fake engine over transcripts made up by a test. */
export class FakeEngine implements SessionProvider {
  readonly id = FAKE_PROVIDER.id;
  capabilities = FAKE_PROVIDER.capabilities;
  readonly refOf = FAKE_PROVIDER.refOf;
  readonly readLiveness = FAKE_PROVIDER.readLiveness;
  readonly planSlim = FAKE_PROVIDER.planSlim;
  readonly slim = FAKE_PROVIDER.slim;
  readonly undoSlim = FAKE_PROVIDER.undoSlim;
  /** What was asked to be pruned. */
  readonly pruned: string[] = [];
  readonly pruneBackups = (folder: string, days: number): Promise<string[]> => {
    this.pruned.push(`${folder}: ${days}`);
    return Promise.resolve([`${folder}/old`]);
  };
  /** Paths of transcripts with debris. */
  readonly debris = new Set<string>();
  readonly findDebris = (folder: string): Promise<string[]> =>
    Promise.resolve([...this.debris].filter((path) => path.startsWith(folder)));
  readonly clearDebris = (filePath: string): Promise<null> => {
    this.debris.delete(filePath);
    return Promise.resolve(null);
  };
  client: ClientInfo = diagnosticsFor().client;
  found: FoundTranscript[] = [];
  readonly changes = new Map<string, ScanChange>();
  /** Paths in the order in which they were scanned. */
  readonly scanned: string[] = [];
  /** The same for those that were looked at thoroughly, which are not among the others. */
  readonly judged: string[] = [];
  /** Scanned while they ran. */
  readonly scannedGrowing: string[] = [];
  /** What is recorded of sessions whose clients were killed, by session id. */
  recorded: ReadonlyMap<string, string> = new Map();
  /** What happens before the answer to which clients run. */
  whileAsked = (): Promise<void> => Promise.resolve();
  /** What the clients of running sessions do, by session id. */
  live: ReadonlyMap<string, 'busy' | 'idle' | 'waiting-answer'> = new Map();
  /** Running sessions without a transcript: id and working directory. */
  readonly unwritten = new Map<string, string>();
  lookProblem: Error | null = null;
  /** Paths whose repair was undone. */
  readonly declined = new Set<string>();
  findProblem: Error | null = null;
  /** Scans wait for this promise. */
  gate: Promise<void> = Promise.resolve();
  /** Repairs wait for this promise. */
  repairGate: Promise<void> = Promise.resolve();
  /** The listing stops before a path until the promise for it is settled. */
  readonly listingGates = new Map<string, Promise<void>>();
  /** Everything that begins and ends, in order. */
  readonly log: string[] = [];

  async *find(_paths: readonly string[], signal?: AbortSignal): AsyncIterable<FoundTranscript> {
    if (this.findProblem !== null) throw this.findProblem;
    for (const each of this.found) {
      await this.listingGates.get(each.path);
      signal?.throwIfAborted();
      yield each;
    }
  }

  async *findBatches(paths: readonly string[], signal?: AbortSignal): AsyncIterable<readonly FoundTranscript[]> {
    for await (const found of this.find(paths, signal)) yield [found];
  }

  async scan(filePath: string, options: ScanOptions = {}): Promise<ScannedSession> {
    const { signal, isThorough = false, isGrowing = false } = options;
    (isGrowing ? this.scannedGrowing : isThorough ? this.judged : this.scanned).push(filePath);
    this.log.push(`scan begins: ${filePath}`);
    const change = this.changes.get(filePath) ?? {};
    await this.gate;
    signal?.throwIfAborted();
    this.log.push(`scan ends: ${filePath}`);
    const found = this.found.find((each) => each.path === filePath);
    if (found === undefined) {
      return scanOf(
        { provider: 'claude', path: filePath, id: 'gone', projectFolder: '' },
        { result: { status: 'missing' } },
      );
    }
    return this.#spoken(scanOf(found, change));
  }

  #spoken(scan: ScannedSession): ScannedSession {
    const { version, isExact } = this.client;
    return { ...scan, result: { ...scan.result, resume: { ...scan.result.resume, client: version, isExact } } };
  }

  planRepair(filePath: string): Promise<RepairOutcome> {
    return Promise.resolve(outcomeOf(filePath));
  }

  follow(filePath: string): SessionFollower {
    return {
      // eslint-disable-next-line @typescript-eslint/require-await -- anything it throws must become a rejection
      read: async () => {
        this.log.push(`followed: ${filePath}`);
        const found = this.found.find((each) => each.path === filePath);
        if (found === undefined) throw new Error(`Nobody knows ${filePath}`);
        return this.#spoken(scanOf(found, this.changes.get(filePath) ?? {}));
      },
      close: () => undefined,
    };
  }

  async repair(filePath: string, { isAutomatic = false }: RepairOptions = {}): Promise<RepairOutcome> {
    if (isAutomatic && this.declined.has(filePath))
      return outcomeOf(filePath, { status: 'failed', reason: 'declined' });
    this.log.push(`repair begins: ${filePath}`);
    await this.repairGate;
    this.changes.delete(filePath);
    this.log.push(`repair ends: ${filePath}`);
    return outcomeOf(filePath);
  }

  undoRepair(filePath: string): Promise<RepairOutcome> {
    this.declined.add(filePath);
    return Promise.resolve(outcomeOf(filePath));
  }

  liveSessions(): Promise<ReadonlySet<string>> {
    return Promise.resolve(new Set(this.live.keys()));
  }

  readonly readActivities = (): Activities => ({
    of: (filePath) => {
      const state = this.live.get(basename(filePath, '.jsonl'));
      if (state === undefined) return Promise.resolve({ live: 'not-live', activity: NOT_RUNNING });
      return Promise.resolve({ live: 'live', activity: { ...NOT_RUNNING, state, isInferred: false, pid: 1 } });
    },
    running: async () => {
      const clients = [...this.unwritten].map(([sessionId, cwd]) => {
        const filePath = `${CONFIG_DIR}/projects/${cwd.replaceAll('/', '-')}/${sessionId}.jsonl`;
        return { sessionId, cwd, filePath, startedMs: 1 };
      });
      await this.whileAsked();
      return clients;
    },
    look: () =>
      this.lookProblem === null
        ? Promise.resolve({ running: new Set(this.live.keys()), said: new Map([...this.recorded, ...this.live]) })
        : Promise.reject(this.lookProblem),
  });

  createScanner(): never {
    throw new Error('Nobody reads a transcript by itself');
  }
}

function outcomeOf(filePath: string, change: Partial<RepairOutcome['result']> = {}): RepairOutcome {
  const result: RepairOutcome['result'] = {
    sessionId: 's',
    filePath,
    status: 'repaired',
    orphansFixed: 1,
    newChainDepth: 2,
    edits: [],
    resumeBefore: { loads: 1, of: 2 },
    resumeAfter: { loads: 2, of: 2 },
    ...change,
  };
  return { result, problem: null };
}

/** Records the events of the sessions: the updates, and the state that the extension shows after each of them. */
export class RecordedEvents implements SessionsEvents, SearchEvents, WorkerEvents {
  readonly updates: SessionsUpdate[] = [];
  readonly snapshots: SessionsSnapshot[] = [];
  /** The folders that the extension shows; null for the one that the latest update is about. */
  configDirs: readonly string[] | null = null;
  readonly alarms: AlarmsSnapshot[] = [];
  readonly #merged = new MergedFolders();
  readonly lines: string[] = [];

  get last(): SessionsSnapshot {
    const last = this.snapshots.at(-1);
    if (last === undefined) throw new Error('No snapshot was sent');
    return last;
  }

  sessionsChanged(update: SessionsUpdate): void {
    this.updates.push(update);
    // As it arrives on the other thread.
    this.#merged.apply(structuredClone(update));
    this.snapshots.push(this.#merged.of(this.configDirs ?? [update.configDir]));
  }

  alarmsChanged(snapshot: AlarmsSnapshot): void {
    this.alarms.push(snapshot);
  }

  searchFound(): void {
    throw new Error('Nothing was searched for');
  }

  log(level: string, message: string): void {
    this.lines.push(`${level}: ${message}`);
  }
}

/** Turns of the event loop. Work that is paced by the clock yields more often on a slow machine. */
const SETTLING_TURNS = 20;

/** Lets everything that waits for settled promises continue. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLING_TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
}
