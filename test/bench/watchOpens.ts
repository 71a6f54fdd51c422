// Loaded before everything else in a thread whose reads are counted: each opening of a transcript increments `opened`
// in the thread's data.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { workerData } from 'node:worker_threads';

const WATCHED = ['open', 'openSync', 'readFile', 'readFileSync', 'createReadStream'] as const;

// SAFETY: provided by the program that starts the thread.
const { opened } = workerData as { opened: Int32Array };

function watch(holder: object, name: string): void {
  const real: unknown = Reflect.get(holder, name);
  if (typeof real !== 'function') return;
  Reflect.set(holder, name, (...args: readonly unknown[]): unknown => {
    if (String(args[0]).endsWith('.jsonl')) Atomics.add(opened, 0, 1);
    const result: unknown = Reflect.apply(real, holder, args);
    return result;
  });
}

for (const name of WATCHED) {
  watch(fs, name);
  watch(fs.promises, name);
}
// The names that ES modules import.
syncBuiltinESMExports();
