// Searches for transcripts for which the engine's prediction differs from what the real client loads.
//   npx tsx test/resume/hunt.ts [--seeds 1-100 | --corrupt | --healthy] [--large] [--repair] [--leaf] [--keep DIR]
// --corrupt and --healthy take the fixtures in place of random damage; --large makes them more than 5 MiB; --repair
// repairs each copy and checks what must hold afterwards; --leaf prints other leaves too; --keep saves the transcripts
// of the mismatches as they were damaged.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeLeaf, type LeafComparison } from '../support/compareLeaf';
import { describeDifference } from '../support/comparePrediction';
import { faultsOfCheck } from '../support/faultsOfCheck';
import { findClient } from '../support/findClient';
import { listCorruptCases, listDamageBases, listRecordings } from '../support/fixtures';
import { largeVariant } from '../support/largeVariant';
import { parseSeeds } from '../support/parseSeeds';
import { openResumeBench, type ResumeBench } from '../support/resumeCheck';
import { twoAtATime } from '../support/twoAtATime';
import { copyCorrupt, copyDamaged, copyRecording, type WorkingCopy } from '../support/workingCopies';

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1-100' },
    corrupt: { type: 'boolean', default: false },
    healthy: { type: 'boolean', default: false },
    repair: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
    leaf: { type: 'boolean', default: false },
    keep: { type: 'string' },
  },
});

async function hunt(): Promise<void> {
  const bench = await openResumeBench(findClient());
  try {
    const results = await twoAtATime(listTargets(bench.folder), async (write) => {
      const copy = await write();
      if (options.large) await writeFile(copy.filePath, largeVariant(await readFile(copy.filePath)));
      const damaged = await readFile(copy.filePath);
      const { faults, leaf } = await examine(bench, copy);
      const isKept = faults.length > 0 || (options.leaf && !leaf.isEqual);
      const kept = isKept && options.keep !== undefined ? await keep(copy, damaged, options.keep) : null;
      report(copy, faults, leaf, kept);
      return { isWrong: faults.length > 0, isOtherLeaf: !leaf.isEqual };
    });
    const wrong = results.filter(({ isWrong }) => isWrong).length;
    const leaves = results.filter(({ isOtherLeaf }) => isOtherLeaf).length;
    console.log(`${results.length} compared, ${wrong} mismatches, ${leaves} other leaves`);
    process.exitCode = wrong > 0 ? 1 : 0;
  } finally {
    await bench.close();
  }
}

function listTargets(folder: string): (() => Promise<WorkingCopy>)[] {
  if (options.corrupt) return listCorruptCases().map((corrupt) => () => copyCorrupt(corrupt, folder));
  if (options.healthy) return listRecordings().map((file, at) => () => copyRecording(file, join(folder, String(at))));
  const bases = listDamageBases();
  return parseSeeds(options.seeds).map((seed) => () => copyDamaged(bases, seed, folder));
}

async function examine(bench: ResumeBench, copy: WorkingCopy): Promise<{ faults: string[]; leaf: LeafComparison }> {
  if (options.repair) {
    const check = await bench.check(copy.filePath);
    return { faults: faultsOfCheck(check), leaf: check.before.leaf };
  }
  const { difference, judged, run, leaf } = await bench.observe(copy.filePath);
  const client = `client loads ${judged.loads} of ${judged.of}, exit ${run.exitCode}`;
  return { faults: difference.isEqual ? [] : [`${client}: ${describeDifference(difference)}`], leaf };
}

function report(copy: WorkingCopy, faults: readonly string[], leaf: LeafComparison, kept: string | null): void {
  const said = [...faults];
  if (!leaf.isEqual && (options.leaf || faults.length > 0)) said.push(describeLeaf(leaf));
  if (said.length === 0) return;
  const lines = [...said, ...copy.operations.map((operation) => `  · ${operation}`), ...(kept === null ? [] : [kept])];
  console.log([copy.name, ...lines.map((line) => `  ${line}`)].join('\n'));
}

async function keep(copy: WorkingCopy, damaged: Buffer, folder: string): Promise<string> {
  const kept = join(folder, basename(dirname(copy.filePath)), basename(copy.filePath));
  await mkdir(dirname(kept), { recursive: true });
  await writeFile(kept, damaged);
  return kept;
}

void hunt();
