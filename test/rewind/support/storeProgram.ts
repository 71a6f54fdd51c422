// Run as a separate process, bundled: `node storeProgram.js TASK`, where TASK is JSON. Adds to a session of a store
// until it is done or killed, and prints a line for each row that was reported as stored.
import { randomUUID } from 'node:crypto';
import { writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { SessionStore } from '../../../src/core/history/sessionStore/sessionStore';
import { nodeWriteFs } from '../../../src/core/storage/writeFs';

export interface StoreTask {
  readonly configDir: string;
  readonly session: string;
  /** Contained in each row, to identify its writer. */
  readonly name: string;
  /** Number of rows. Infinity is null in JSON: until it is killed. */
  readonly rows: number | null;
  /** Number of threads; each adds as many rows. */
  readonly threads: number;
  /** Maximum length of a row in characters; lengths vary up to it. */
  readonly maxLength: number;
  /** Characters of every fifth row. */
  readonly longLength: number;
  /** Folder of the files of which a checkpoint is taken occasionally; null for none. */
  readonly files: string | null;
}

/** Maximum length of stored files, which vary from 0 to this. */
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
    // Occasionally a row so long that writing it takes a while.
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
