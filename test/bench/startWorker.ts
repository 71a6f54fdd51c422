// One measured process: `node startWorker.js TASK`, where TASK is JSON. It starts the product's own worker thread as
// the extension does, lets it list and scan everything, and prints the cost as one line of JSON.
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { connectWorker } from './connectWorker';
import type { ContenderResult } from './contender';
import { startClock } from './clock';
import { processPeakMb } from './processPeak';

export interface StartTask {
  readonly configDir: string;
  readonly cacheDir: string;
  /** Whether to count the openings of transcripts, which itself takes time. */
  readonly isWatched: boolean;
}

/** The bundle beside this one. */
const WORKER = join(__dirname, 'worker.mjs');

async function main({ configDir, cacheDir, isWatched }: StartTask): Promise<void> {
  const opened = new Int32Array(new SharedArrayBuffer(4));
  const reported = new Map<string, boolean>();
  const clock = startClock();
  const worker = new Worker(WORKER, {
    workerData: { opened },
    execArgv: isWatched ? ['--require', join(__dirname, 'watchOpens.js')] : [],
  });
  const rpc = connectWorker(worker, (update) => {
    for (const { sessions } of update.projects) {
      for (const { path: filePath, health } of sessions) reported.set(filePath, health !== 'unscanned');
    }
  });
  await rpc.configure({
    configDir,
    cacheDir,
    workspaceFolders: [],
    scanConcurrency: 4,
    automaticRepair: 'off',
    backupRetentionDays: null,
    clientVersion: '2.1.330',
    extraConfigDirs: [],
    clientExtensionFolder: null,
    livePollMs: 200,
  });
  await rpc.scanAll({}, new AbortController().signal);
  const took = clock();
  await rpc.drain();
  const counts = {
    files: reported.size,
    verdicts: [...reported.values()].filter(Boolean).length,
    opened: Atomics.load(opened, 0),
  };
  const result: ContenderResult = { ...took, peakMb: processPeakMb(), counts };
  console.log(JSON.stringify(result));
  await worker.terminate();
}

// SAFETY: started as described above, by the bench.
void main(JSON.parse(process.argv[2] ?? '') as StartTask);
