// Run as a process of its own, bundled: `node storeProgram.js TASK`, TASK being JSON. Adds to a session of a store until it is
// done or killed, and prints a line for each thing that it was told is kept.
import { randomUUID } from 'node:crypto';
import { writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { SessionStore } from '../../../src/core/history/sessionStore/sessionStore';
import { nodeWriteFs } from '../../../src/core/storage/writeFs';

export interface StoreTask {
  readonly configDir: string;
  readonly session: string;
  /** In each row, so that its writer can be told. */
  readonly name: string;
  /** How many rows; Infinity is null in JSON: until it is killed. */
  readonly rows: number | null;
  /** Each thread adds as many. */
  readonly threads: number;
  /** Characters of a row at most; they are of all lengths up to it. */
  readonly maxLength: number;
  /** Characters of each fifth row. */
  readonly longLength: number;
  /** Where files lie of which a checkpoint is taken now and then; null for none. */
  readonly files: string | null;
}

/** Files that are kept are of a length between nothing and this. */
const MAX_FILE_BYTES = 2_500_000;

async function work({ configDir, session, name, rows, maxLength, longLength, files }: StoreTask): Promise<void> {
  const parts = { configDir: () => configDir, fs: nodeWriteFs, now: Date.now, random: randomUUID };
  const stored = await new SessionStore(parts).open(session, '/');
  const call = {
    promptUuid: null,
    promptId: null,
    toolUseId: null,
    toolName: name,
    agentId: null,
    transcriptPath: null,
  };
  for (let at = 0; rows === null || at < rows; at++) {
    if (files !== null && at % 3 === 0) {
      const path = join(files, `${name}.bin`);
      writeFileSync(path, Buffer.alloc((at * 499_979) % MAX_FILE_BYTES, `${name} ${at} `));
      await stored.checkpoint({ ...call, toolUseId: `${at}` }, [path]);
      writeSync(1, `checkpoint ${at}\n`);
    }
    // Now and then so long a row that writing it takes a while.
    const length = at % 5 === 1 ? longLength : (at * 7919) % maxLength;
    await stored.append({ name, at, text: 'é'.repeat(length) });
    if (rows === null) writeSync(1, `row ${at}\n`);
  }
}

// SAFETY: started as described above.
const task = (isMainThread ? JSON.parse(process.argv[2] ?? '') : workerData) as StoreTask;
if (isMainThread && task.threads > 1) {
  for (let thread = 0; thread < task.threads; thread++) {
    new Worker(__filename, { workerData: { ...task, threads: 1, name: `${task.name}.${thread}` } });
  }
} else void work(task);
