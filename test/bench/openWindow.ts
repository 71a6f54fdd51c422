// One measured process: `node openWindow.js TASK`, where TASK is JSON. It runs the product's own worker thread as an open window does,
// for as long as its input is open. Prints its processor time so far, in milliseconds, when it has found all sessions, and for each
// line of its input.
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import { connectWorker } from './connectWorker';

export interface WindowTask {
  readonly configDir: string;
  readonly cacheDir: string;
  readonly workspaceFolder: string;
}

/** The bundle beside this one. */
const WORKER = join(__dirname, 'worker.mjs');

function report(): void {
  const { user, system } = process.cpuUsage();
  console.log((user + system) / 1000);
}

async function main({ configDir, cacheDir, workspaceFolder }: WindowTask): Promise<void> {
  const worker = new Worker(WORKER);
  const rpc = connectWorker(worker);
  await rpc.configure({
    configDir,
    extraConfigDirs: [],
    cacheDir,
    workspaceFolders: [workspaceFolder],
    scanConcurrency: 4,
    automaticRepair: 'off',
    backupRetentionDays: null,
    clientVersion: '2.1.330',
    clientExtensionFolder: null,
    livePollMs: 200,
  });
  await rpc.scanAll({}, new AbortController().signal);
  report();
  for await (const line of createInterface({ input: process.stdin })) if (line !== '') report();
  await rpc.drain();
  await worker.terminate();
}

// SAFETY: started as described above, by the bench.
void main(JSON.parse(process.argv[2] ?? '') as WindowTask);
