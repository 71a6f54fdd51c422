// One measured process: `node appendRows.js TASK`, where TASK is JSON. It follows a transcript, appends rows one by
// one, and prints the time to each new verdict as one line of JSON.
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createEngine } from '../../src/core/engine';
import { startClock } from './clock';
import { loadOurs } from './jobs/loadOurs';
import { seedScan } from './jobs/seedScan';

export interface AppendTask {
  /** A copy, because it grows. */
  readonly filePath: string;
  readonly appends: number;
}

export interface AppendResult {
  /** For each append: the time from the call to the verdict. */
  readonly verdictMs: readonly number[];
  /** For the first verdict, on the whole file. */
  readonly firstMs: number;
  /** For reading and parsing the same file as a whole. */
  readonly seedMs: readonly number[];
  /** Rows that the client loads: before, and after all appends. */
  readonly loads: readonly [number, number];
}

const TEXT = 'const total = rows.filter((row) => row.isCounted).length;\n'.repeat(64);
const SEED_ROUNDS = 5;

async function main({ filePath, appends }: AppendTask): Promise<void> {
  const engine = createEngine({ configDir: dirname(filePath), createScanner: loadOurs() });
  const follower = engine.follow(filePath);
  const first = startClock();
  let { result } = await follower.read();
  const firstMs = first().wallMs;
  const before = result.resume.loads;
  let parentUuid = result.resume.leafUuid;
  const verdictMs: number[] = [];
  for (let append = 0; append < appends; append++) {
    const uuid = randomUUID();
    appendFileSync(filePath, `${JSON.stringify(rowOf(uuid, parentUuid))}\n`);
    parentUuid = uuid;
    const clock = startClock();
    ({ result } = await follower.read());
    verdictMs.push(clock().wallMs);
    if (result.resume.leafUuid !== uuid) throw new Error(`Failed to see row ${append} of ${appends}`);
  }
  const seedMs: number[] = [];
  for (let round = 0; round < SEED_ROUNDS; round++) {
    const files = [filePath];
    const clock = startClock();
    await seedScan(() => files.pop() ?? null);
    seedMs.push(clock().wallMs);
  }
  const answer: AppendResult = { verdictMs, firstMs, seedMs, loads: [before, result.resume.loads] };
  console.log(JSON.stringify(answer));
}

/** A row of about 4 KB. */
function rowOf(uuid: string, parentUuid: string | null): object {
  const message = { role: 'user', content: TEXT };
  return { parentUuid, isSidechain: false, type: 'user', message, uuid, timestamp: new Date().toISOString() };
}

// SAFETY: started as described above, by the bench.
void main(JSON.parse(process.argv[2] ?? '') as AppendTask);
