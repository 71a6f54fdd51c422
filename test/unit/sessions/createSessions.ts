import { Sessions, type SessionsDeps, type Walk } from '../../rooms/sessions';
import type { SessionSummary } from '../../../src/protocol/channels/sessions';
import type { WorkerConfiguration } from '../../../src/protocol/channels/worker';
import type { QuickMetadata } from '../../../src/protocol/session';
import type { TranscriptTail } from '../../../src/protocol/sessionInfo';
import {
  CONFIG_DIR,
  FakeCache,
  FakeClock,
  FakeEngine,
  FakeFiles,
  finding,
  RecordedEvents,
  stampOf,
  transcript,
} from './fakes';

export const CONFIGURATION: WorkerConfiguration = {
  configDir: CONFIG_DIR,
  extraConfigDirs: [],
  workspaceFolders: [],
  scanConcurrency: 2,
  automaticRepair: 'off',
  backupRetentionDays: null,
  cacheDir: '/cache',
  clientVersion: null,
  clientExtensionFolder: null,
  livePollMs: 200,
};
export const CORRUPTED = { result: { status: 'corrupted', findings: [finding()] } } as const;

/** This window walks until a test says otherwise. */
class FakeWalk implements Walk {
  isOwn = true;
  /** Another one does, and calls this one. */
  isFollowing = false;
  isCalled = false;
  resignedCount = 0;
  callCount = 0;
  readonly noted: string[] = [];
  tell: (paths: readonly string[] | null) => void = () => undefined;

  note(path: string): void {
    this.noted.push(path);
  }

  look(): boolean {
    return this.isOwn;
  }

  call(): void {
    this.callCount++;
  }

  takeCall(): boolean {
    const { isCalled } = this;
    this.isCalled = false;
    return isCalled;
  }

  resign(): Promise<void> {
    this.resignedCount++;
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Sessions on an in-memory disk. */
export function createSessions(parts: Pick<Partial<SessionsDeps>, 'createAlarms'> = {}) {
  const engine = new FakeEngine();
  /** Engines of further config folders. */
  const engines = new Map<string, FakeEngine>();
  const files = new FakeFiles();
  const clock = new FakeClock();
  const events = new RecordedEvents();
  const cache = new FakeCache();
  const looks = new Map<string, QuickMetadata>();
  const ends = new Map<string, TranscriptTail>();
  const configDirs: string[] = [];
  /** The clients that providers were created for. */
  const clients: string[] = [];
  const installed: { client: string | null } = { client: null };
  const walk = new FakeWalk();
  const sessions = new Sessions({
    createProvider: (configDir, { client }) => {
      configDirs.push(configDir);
      clients.push(client.version);
      const own = engines.get(configDir) ?? engine;
      own.client = client;
      return own;
    },
    files,
    clock,
    events,
    readQuickMetadata: (filePath) => Promise.resolve(looks.get(filePath) ?? null),
    readOverview: () => Promise.resolve(null),
    readTranscriptEnd: (filePath) => Promise.resolve(ends.get(filePath) ?? null),
    openCache: () => {
      // It does not know by which rules a verdict was found.
      if (new Set(clients).size > 1) cache.scans.clear();
      return cache;
    },
    createWalk: ({ onNews }) => {
      walk.tell = onNews;
      return walk;
    },
    findClient: () => Promise.resolve(installed.client),
    homeDir: '/home/person',
    ...parts,
  });
  const add = (project: string, sessionId: string, mtimeMs = 1): string => {
    const found = transcript(project, sessionId);
    engine.found.push(found);
    files.stamps.set(found.path, stampOf(mtimeMs));
    return found.path;
  };
  /** Another config folder, with sessions in one project. */
  const addConfigDir = (configDir: string, ...sessionIds: readonly string[]): FakeEngine => {
    const other = new FakeEngine();
    engines.set(configDir, other);
    for (const path of [configDir, `${configDir}/projects`]) files.stamps.set(path, { ...stampOf(0), isFolder: true });
    for (const id of sessionIds) {
      const found = transcript('-p', id, configDir);
      other.found.push(found);
      files.stamps.set(found.path, stampOf(1));
    }
    return other;
  };
  return {
    sessions,
    engine,
    addConfigDir,
    files,
    clock,
    events,
    cache,
    looks,
    ends,
    configDirs,
    clients,
    installed,
    walk,
    add,
  };
}

/** Scans that start after this call wait until the returned function is called. */
export function closeGate(engine: FakeEngine): () => void {
  let open: () => void = () => undefined;
  engine.gate = new Promise((resolve) => (open = resolve));
  return open;
}

/** As the extension shows them. */
export function sessionsOf(events: RecordedEvents): readonly SessionSummary[] {
  return events.last.projects.flatMap((project) => project.sessions);
}
