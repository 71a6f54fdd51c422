import { subscribe } from 'node:diagnostics_channel';
import type { Worker } from 'node:worker_threads';

/** Every thread that was started in this extension host since the tests were loaded. */
export const workerThreads: Worker[] = [];

subscribe('worker_threads', (message) => {
  // SAFETY: what Node documents for this channel.
  workerThreads.push((message as { worker: Worker }).worker);
});

/** Threads of this process that are alive, whoever started them and whenever. */
export function liveThreadCount(): number {
  // SAFETY: Node documents the report as an object; `workers` holds one report a thread.
  return (process.report.getReport() as { workers?: unknown[] }).workers?.length ?? 0;
}
