// One measured process: `node contender.js TASK`, where TASK is JSON. It processes the files of a list in one or more
// threads and prints the cost as one line of JSON. Plain Node, as a bundle, so that no loader is measured with it.
import { readFileSync } from 'node:fs';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { startClock } from './clock';
import { addCounts, type Counts, type NextFile } from './jobs/job';
import { JOBS, type JobName } from './jobs/jobs';
import { processPeakMb } from './processPeak';

export interface ContenderTask {
  readonly job: JobName;
  readonly threads: number;
  /** Whether the start of the threads counts, too. */
  readonly isFromStart: boolean;
  /** File with a JSON list of absolute paths. */
  readonly list: string;
  /** The work of each thread before the clock starts, as in a worker that has been running for a while. */
  readonly before: readonly WorkBefore[];
}

export interface WorkBefore {
  readonly job: JobName;
  /** Absolute paths. */
  readonly files: readonly string[];
}

export interface ContenderResult {
  readonly wallMs: number;
  /** User and system time of all threads of the process while the job ran. */
  readonly cpuMs: number;
  readonly peakMb: number;
  readonly counts: Counts;
}

interface ThreadData {
  readonly job: JobName;
  readonly files: readonly string[];
  readonly before: readonly WorkBefore[];
  /** Index of the next file, shared by the threads. */
  readonly cursor: Int32Array;
}

async function runMain(task: ContenderTask): Promise<void> {
  // SAFETY: written by the bench that started this process.
  const files = JSON.parse(readFileSync(task.list, 'utf8')) as string[];
  const cursor = new Int32Array(new SharedArrayBuffer(4));
  let clock = startClock();
  const threads = Array.from({ length: task.threads }, () => {
    const data: ThreadData = { job: task.job, files, before: task.before, cursor };
    return new Worker(__filename, { workerData: data });
  });
  await Promise.all(threads.map((thread) => nextMessage(thread)));
  if (!task.isFromStart) clock = startClock();
  const finished = threads.map((thread) => nextMessage(thread));
  for (const thread of threads) thread.postMessage('go');
  // SAFETY: what `runThread` posts when it is done.
  const counts = addCounts((await Promise.all(finished)) as Counts[]);
  const result: ContenderResult = { ...clock(), peakMb: processPeakMb(), counts };
  console.log(JSON.stringify(result));
  await Promise.all(threads.map((thread) => thread.terminate()));
}

async function runThread({ job, files, before, cursor }: ThreadData): Promise<void> {
  const port = parentPort;
  if (port === null) return;
  for (const work of before) {
    const waiting = [...work.files];
    await JOBS[work.job](() => waiting.shift() ?? null);
  }
  const go = new Promise((done) => port.once('message', done));
  port.postMessage('ready');
  await go;
  const next: NextFile = () => files[Atomics.add(cursor, 0, 1)] ?? null;
  port.postMessage(await JOBS[job](next));
}

function nextMessage(thread: Worker): Promise<unknown> {
  return new Promise((done, fail) => {
    thread.once('message', done);
    thread.once('error', fail);
  });
}

// SAFETY: started as described above, by the bench or by `runMain`.
if (isMainThread) void runMain(JSON.parse(process.argv[2] ?? '') as ContenderTask);
else void runThread(workerData as ThreadData);
