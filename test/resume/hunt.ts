// Looks for random damage of which the engine predicts something else than the real client loads.
//   npx tsx test/resume/hunt.ts --seeds 1-100 [--keep DIR] [--corrupt] [--healthy] [--repair]
// --keep saves the damaged transcripts of the mismatches; --corrupt and --healthy take the fixtures in place of seeds;
// --repair also repairs each copy and checks that the client loads at least as much of it, and as predicted.
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { createEngine } from '../../src/core/engine';
import { comparePrediction, describeDifference } from '../support/comparePrediction';
import { copySideFolder, parseSeeds, writeDamagedCopy } from '../support/damagedCopies';
import { findClient } from '../support/findClient';
import { listCorruptCases, listDamageBases, listRecordings } from '../support/fixtures';
import { judge } from '../support/judge';
import { startMockApi, type MockApi } from '../support/mockApi';
import { resumeWithRealClient } from '../support/realClient';
import { twoAtATime } from '../support/twoAtATime';

interface Target {
  readonly name: string;
  readonly filePath: string;
  readonly operations: readonly string[];
}

type Engine = ReturnType<typeof createEngine>;

interface Bench {
  readonly engine: Engine;
  readonly client: string;
  readonly api: MockApi;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '1-100' },
      keep: { type: 'string' },
      corrupt: { type: 'boolean', default: false },
      healthy: { type: 'boolean', default: false },
      repair: { type: 'boolean', default: false },
    },
  });
  const client = await findClient();
  if (client.kind === 'absent') throw new Error(client.reason);
  const folder = await mkdtemp(join(tmpdir(), 'rethread-hunt-'));
  const api = await startMockApi();
  const bench: Bench = { engine: createEngine({ configDir: join(folder, 'no-config') }), client: client.path, api };
  try {
    const targets = await listTargets(values, folder);
    let wrong = 0;
    let wrongLeaves = 0;
    await twoAtATime(targets, async (target) => {
      const said = await checkOne(bench, target);
      if (values.repair && said.mismatch === null) said.mismatch = await checkRepair(bench, target, folder);
      if (said.leaf !== null) wrongLeaves += 1;
      if (said.mismatch !== null) wrong += 1;
      if (said.mismatch === null && said.leaf === null) return;
      console.log(`${target.name}\n  ${said.mismatch ?? ''}${said.leaf ?? ''}`);
      for (const operation of target.operations) console.log(`    ${operation}`);
      if (values.keep !== undefined) console.log(`  ${await keep(target, values.keep)}`);
    });
    console.log(`${targets.length} compared, ${wrong} mismatches, ${wrongLeaves} other leaves`);
    process.exitCode = wrong > 0 ? 1 : 0;
  } finally {
    await api.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function listTargets(
  values: { seeds: string; corrupt: boolean; healthy: boolean },
  folder: string,
): Promise<Target[]> {
  if (values.corrupt) {
    const cases = await listCorruptCases();
    const stored = cases.filter(({ spacing, verdict }) => spacing === 'far' || verdict.file.endsWith('.jsonl'));
    return stored.map(({ name, spacing, filePath, description }) => ({
      name: `${spacing} ${name}`,
      filePath,
      operations: [description],
    }));
  }
  const bases = await listDamageBases();
  if (values.healthy) return (await listRecordings()).map((filePath) => ({ name: filePath, filePath, operations: [] }));
  const targets: Target[] = [];
  for (const seed of parseSeeds(values.seeds)) {
    const { base, filePath, operations } = await writeDamagedCopy(bases, seed, folder);
    targets.push({ name: `seed ${seed} of ${base}`, filePath, operations });
  }
  return targets;
}

async function checkOne(bench: Bench, target: Target): Promise<{ mismatch: string | null; leaf: string | null }> {
  const bytes = await readFile(target.filePath);
  const { result, problem } = await bench.engine.scan(target.filePath);
  const run = await resumeWithRealClient(target.filePath, bench);
  const judged = judge(bytes, run.messages);
  const difference = comparePrediction(bytes, result.resume, judged, run);
  const { predicted, attachedTo, isEqual } = difference.leaf;
  return {
    mismatch: difference.isEqual
      ? null
      : `${describeDifference(difference)} (client ${judged.loads} of ${judged.of}, exit ${run.exitCode}${run.timedOut ? ', timed out' : ''}) ${problem ?? ''}`,
    leaf: isEqual ? null : `[leaf: predicted ${predicted}, probe attached to ${attachedTo}]`,
  };
}

async function checkRepair(bench: Bench, target: Target, folder: string): Promise<string | null> {
  const copyFolder = await mkdtemp(join(folder, 'repaired-'));
  const filePath = join(copyFolder, basename(target.filePath));
  await copyFile(target.filePath, filePath);
  await copySideFolder(target.filePath, filePath);
  const before = judge(await readFile(filePath), (await resumeWithRealClient(filePath, bench)).messages);
  const { result, problem } = await bench.engine.repair(filePath);
  if (result.status === 'already_healthy') return null;
  if (result.status === 'failed') return `repair failed: ${result.reason ?? ''} ${problem ?? ''}`;
  const after = await checkOne(bench, { ...target, filePath });
  if (after.mismatch !== null) return `after repair: ${after.mismatch}`;
  const judged = judge(await readFile(filePath), (await resumeWithRealClient(filePath, bench)).messages);
  if (judged.loads < before.loads) return `repair lost rows: ${before.loads} before, ${judged.loads} after`;
  const again = await bench.engine.repair(filePath);
  return again.result.edits.length > 0 ? `a second repair makes ${again.result.edits.length} edits` : null;
}

async function keep(target: Target, folder: string): Promise<string> {
  const place = join(folder, basename(dirname(target.filePath)));
  await mkdir(place, { recursive: true });
  const kept = join(place, basename(target.filePath));
  await copyFile(target.filePath, kept);
  return kept;
}

void main();
