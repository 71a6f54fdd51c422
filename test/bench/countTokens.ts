// One measured process: `node countTokens.js TASK`, where TASK is JSON. It writes the counts of many sessions into a
// cache file, requests the figures from a new worker thread as the Tokens view does, and appends messages to one
// session.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ENGINE_VERSION } from '../../src/core/sessions/sessionCache';
import { readOnceTranscript } from '../../src/core/transcript/liveTranscript';
import type { ChangeListener } from '../../src/core/transcript/liveTranscripts';
import { loadScanner } from '../../src/core/transcript/wasm/loadScanner';
import { QUARTER_MS } from '../../src/core/usage/buckets';
import { ConfigDirUsage } from '../../src/core/usage/configDirUsage';
import { describeSpending, LocalDays } from '../../src/core/usage/describeReport';
import { PriceBook } from '../../src/core/usage/prices';
import { RecentBuckets } from '../../src/core/usage/spendingTable';
import { UsageCache } from '../../src/core/usage/usageCache';
import { UsageCounter, type UsageCounterDeps } from '../../src/core/usage/usageCounter';
import { describeOverview } from '../../src/core/usage/usageService';
import { createPacer, systemClock } from '../../src/core/util/scheduling';
import { createRandom } from '../support/random';
import { startClock } from './clock';
import { connectWorker } from './connectWorker';

export interface CountTask {
  /** Deleted after the run. */
  readonly folder: string;
  readonly sessions: number;
  readonly messages: number;
  readonly rounds: number;
  /** Number of messages in the session to which it appends. */
  readonly grownMessages: number;
}

interface Took {
  readonly wallMs: number;
  readonly cpuMs: number;
}

export interface CountResult {
  /** From the call to the answer, including loading the bundle. */
  readonly paints: readonly Took[];
  /** Number of messages in the figures. */
  readonly reported: number;
  readonly appends: readonly Took[];
  /** The time to add all messages to an empty index: the minimum for counting them again. */
  readonly scratch: Took;
  /** The figures after an append, for a caller that has none of the previous ones. */
  readonly anew: readonly Took[];
}

const MODELS = ['claude-opus-5-5', 'claude-sonnet-4-5-20250929', 'claude-haiku-4-5-20251001', 'claude-never-seen-9'];
/** The bundle beside this one. */
const WORKER = join(__dirname, 'worker.mjs');
const PROJECTS = 120;
const DAYS = 180;
const TIME_ZONE = 'Europe/Berlin';
/** Number of rounds, each of which takes as long as the first figures of a window. */
const MAX_ANEW = 5;
const LIVE_ID = '99999999-0000-4000-8000-000000000000';

async function main(task: CountTask): Promise<void> {
  const configDir = join(task.folder, 'config');
  const cacheDir = join(task.folder, 'cache');
  mkdirSync(join(configDir, 'projects', 'p'), { recursive: true });
  const warn = (message: string): void => {
    throw new Error(message);
  };
  const cache = new UsageCache({ folder: cacheDir, configDir, engineVersion: ENGINE_VERSION, warn });
  const clock = startClock();
  const usage = makeBook(task, configDir);
  const scratch = clock();
  await cache.save(usage, () => false);
  const paints: Took[] = [];
  let reported = 0;
  for (let round = 0; round < task.rounds; round++) {
    const paint = await firstPaint(configDir, cacheDir);
    paints.push(paint.took);
    reported = paint.messages;
  }
  const result: CountResult = { paints, reported, scratch, ...(await appendMessages(task, configDir, cache, warn)) };
  console.log(JSON.stringify(result));
}

/** Sessions of the last half year; a tenth of their messages are copies. */
function makeBook({ sessions, messages }: CountTask, configDir: string): ConfigDirUsage {
  const random = createRandom(1);
  const usage = new ConfigDirUsage(null);
  const now = Math.floor(Date.now() / QUARTER_MS);
  const key = (): { low: number; high: number } => ({ low: random.below(2 ** 32), high: random.below(2 ** 32) });
  let copied = key();
  for (let session = 0; session < sessions; session++) {
    let quarter = now - random.below(DAYS * 96);
    const project = join(configDir, 'projects', `-home-someone-project-${session % PROJECTS}`);
    const sessionId = `${String(session).padStart(8, '0')}-0000-4000-8000-000000000000`;
    const filePath = join(project, `${sessionId}.jsonl`);
    const changes = Array.from({ length: messages }, (_, place) => {
      if (random.chance(0.1)) quarter++;
      const isCopy = random.chance(0.1);
      const own = key();
      if (!isCopy) copied = own;
      const counts = { input: random.below(50), output: random.below(900), writes: random.below(9000), writes1h: 0 };
      const others = { reads: random.below(150_000), searches: 0, fetches: 0, isSidechain: false, isCopy: false };
      const model = MODELS[session % MODELS.length] ?? null;
      return { place, message: { key: isCopy ? copied : own, quarter, model, ...counts, ...others } };
    });
    const place = { filePath, project, sessionId, isAgent: false, firstMs: session };
    const stamp = { size: 1, mtimeNs: 1n, ctimeNs: 1n, inode: BigInt(session) };
    const notes = { cwd: `/home/someone/project/${session % PROJECTS}`, title: `Session ${session}`, lastMessageMs: 0 };
    usage.take({ place, stamp, readAtMs: 0 }, { isWhole: true, changes, notes });
  }
  return usage;
}

/** As in the extension: the thread is already running, and nobody has requested tokens yet. */
async function firstPaint(configDir: string, cacheDir: string): Promise<{ took: Took; messages: number }> {
  const worker = new Worker(WORKER);
  const rpc = connectWorker(worker);
  const client = { clientVersion: '2.1.330', clientExtensionFolder: null };
  const settings = {
    scanConcurrency: 4,
    automaticRepair: 'off',
    backupRetentionDays: null,
    livePollMs: 200,
    ...client,
  } as const;
  await rpc.configure({ configDir, extraConfigDirs: [], cacheDir, workspaceFolders: [], ...settings });
  const clock = startClock();
  const overview = await rpc.watchUsage({ timeZone: TIME_ZONE, priceOverrides: {} });
  const took = clock();
  await worker.terminate();
  return { took, messages: overview?.ranges.at(-1)?.total.messages ?? 0 };
}

/** The cost of a message appended to a running session, until its new figures and the totals are available. */
async function appendMessages(
  { rounds, grownMessages }: CountTask,
  configDir: string,
  cache: UsageCache,
  warn: (message: string) => void,
): Promise<Pick<CountResult, 'appends' | 'anew'>> {
  const filePath = join(configDir, 'projects', 'p', `${LIVE_ID}.jsonl`);
  let rows = 0;
  const nextRows = (): string => {
    const usage = {
      input_tokens: 3,
      output_tokens: 200,
      cache_creation_input_tokens: 900,
      cache_read_input_tokens: 9e4,
    };
    const [parent, prompt, answer] = [rows, rows + 1, rows + 2].map(uuidOf);
    const shared = { isSidechain: false, sessionId: LIVE_ID, timestamp: new Date().toISOString() };
    const message = {
      id: `msg_${rows}`,
      role: 'assistant',
      model: MODELS[0],
      content: [{ type: 'text', text: 'y' }],
      usage,
    };
    const lines = [
      { parentUuid: rows === 0 ? null : parent, type: 'user', message: { content: 'x' }, uuid: prompt, ...shared },
      { parentUuid: prompt, type: 'assistant', message, uuid: answer, ...shared },
    ];
    rows += 2;
    return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  };
  writeFileSync(filePath, Array.from({ length: grownMessages }, nextRows).join(''));
  const live = new Set([LIVE_ID]);
  const createScanner = loadScanner(join(__dirname, 'scanner.wasm'), warn);
  const looks: (() => Promise<void>)[] = [];
  /** Checked when the bench requests it, not by a timer. */
  const transcripts: UsageCounterDeps['transcripts'] = {
    open: (path) => {
      const open = readOnceTranscript({ filePath: path, createScanner, pacer: createPacer(10), withUsage: true });
      let listener: ChangeListener | null = null;
      looks.push(async () => {
        await open.transcript.refresh();
        await listener?.('appended');
      });
      return { ...open, listen: (next) => (listener = next) };
    },
  };
  const createCounter = (): UsageCounter =>
    new UsageCounter({
      configDir,
      createScanner,
      transcripts,
      cache,
      liveSessions: () => Promise.resolve(live),
      isBusy: () => false,
      clock: systemClock,
    });
  const prices = new PriceBook({});
  const calendar = new LocalDays(TIME_ZONE);
  const look = async (counter: UsageCounter, recent: RecentBuckets): Promise<number> => {
    for (const lookOnce of looks) await lookOnce();
    await counter.countLive();
    const { usage } = counter;
    const question = { timeZone: TIME_ZONE, calendar, prices, nowMs: Date.now(), cwdOf: () => null };
    const { ranges } = describeOverview(usage.index, question, recent);
    const session = usage.index.file(filePath)?.session;
    if (session === undefined) throw new Error('The session is not counted');
    const { total } = describeSpending(usage.index, session, prices);
    // Undefined before it is followed.
    if (counter.follower(filePath)?.newestAnswer === null) throw new Error('The session has no context');
    return (ranges.at(-1)?.total.messages ?? 0) + total.messages;
  };
  const counter = createCounter();
  const recent = new RecentBuckets();
  await counter.countSession(filePath);
  let before = await look(counter, recent);
  const appends: Took[] = [];
  const anew: Took[] = [];
  // During the first ones, V8 still compiles the code.
  for (let round = 0; round < rounds + 20; round++) {
    appendFileSync(filePath, nextRows());
    const clock = startClock();
    const after = await look(counter, recent);
    if (round >= 20) appends.push(clock());
    if (after !== before + 2) throw new Error('The message was not counted');
    before = after;
  }
  for (let round = 0; round < Math.min(rounds, MAX_ANEW); round++) {
    const clock = startClock();
    const other = createCounter();
    await other.countSession(filePath);
    const found = await look(other, new RecentBuckets());
    anew.push(clock());
    if (found !== before) throw new Error('Other figures were found anew');
  }
  return { appends, anew };
}

function uuidOf(row: number): string {
  return `00000000-0000-4000-8000-${row.toString(16).padStart(12, '0')}`;
}

// SAFETY: started as described above, by the bench.
void main(JSON.parse(process.argv[2] ?? '') as CountTask);
