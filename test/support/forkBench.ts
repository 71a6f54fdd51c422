import { randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { diagnosticsFor } from '../../src/core/diagnose/verdict';
import { createEngine } from '../../src/core/engine';
import { createForks } from '../../src/core/history/fork/forks';
import { nodeWriteFs } from '../../src/core/storage/writeFs';
import { createFileScanner } from '../../src/core/transcript/scanFile';
import { createPacer } from '../../src/core/util/scheduling';
import type { ForkOutcome } from '../../src/protocol/history';
import { comparePrediction, describeDifference } from './comparePrediction';
import { testedVersion } from './findClient';
import { FIXTURES } from './fixtures';
import type { ForkCut } from './forkCuts';
import { judge } from './judge';
import { type ApiMessage, startMockApi } from './mockApi';
import { resumeWithRealClient } from './realClient';
import { removeFolder } from './removeFolder';
import { joinRows, readRow, setField, splitRows } from './rowText';
import { wasmScanners } from './scannerModule';
import { sessionRefOf } from '../rooms/format';

/** The result of one fork. */
export interface ForkCheck {
  readonly outcome: ForkOutcome;
  /** The problems; usually empty. */
  readonly faults: readonly string[];
}

/** Makes forks and compares what the real client loads of them with what was cut. */
export interface ForkBench {
  check(cut: ForkCut): Promise<ForkCheck>;
  close(): Promise<void>;
}

export async function openForkBench(client: string): Promise<ForkBench> {
  const folder = await mkdtemp(join(tmpdir(), 'rethread-forks-'));
  const api = await startMockApi();
  const createScanner = wasmScanners();
  const diagnostics = diagnosticsFor(testedVersion());
  const engine = createEngine({ configDir: join(folder, 'no-config'), createScanner, diagnostics });
  const forks = createForks({
    capabilities: { fork: true },
    scanFile: createFileScanner(createScanner, createPacer(10)),
    diagnostics,
    configDir: () => join(folder, 'no-config'),
    write: { fs: nodeWriteFs, now: Date.now, random: randomUUID },
    random: randomUUID,
  });

  const check = async ({ recording, at, isBefore }: ForkCut): Promise<ForkCheck> => {
    const place = join(folder, randomUUID(), 'projects', '-p');
    const filePath = join(place, basename(recording));
    await mkdir(place, { recursive: true });
    await cp(join(FIXTURES, recording), filePath);
    const source = await readFile(filePath);
    const outcome = await forks.fork({ session: sessionRefOf(filePath), at, isBefore, title: null });
    const faults: string[] = [];
    if (!(await readFile(filePath)).equals(source)) faults.push('the source was changed');
    if (outcome.kind === 'refused') return { outcome, faults };
    const forkPath = outcome.result.filePath;
    const bytes = await readFile(forkPath);
    const { result } = await engine.scan(forkPath);
    if (result.status !== 'healthy' || result.findings.length > 0) faults.push('its scan has findings');
    if (result.resume.loads !== outcome.loads || result.resume.of !== outcome.of) faults.push('it counts otherwise');
    const run = await resumeWithRealClient(forkPath, { client, api });
    const difference = comparePrediction(bytes, result.resume, judge(bytes, run.messages));
    if (!difference.isEqual) faults.push(describeDifference(difference));
    const rows = splitRows(bytes).map(readRow);
    const uuids = rows.flatMap((row) => (typeof row?.uuid === 'string' ? [row.uuid] : []));
    // The same rows, cut from the source by hand: nothing that a fork adds to them may change the request.
    const cutPath = join(place, 'cut', basename(recording));
    await mkdir(join(place, 'cut'));
    await writeFile(cutPath, onlyRows(source, new Set(uuids)));
    const cut = await resumeWithRealClient(cutPath, { client, api });
    // After the feedback of a Stop hook that was not answered, the client continues above the last row.
    if (run.attachedTo !== uuids.at(-1) && run.attachedTo !== cut.attachedTo) {
      faults.push(`the next prompt hangs from ${String(run.attachedTo)}`);
    }
    if (asText(cut.messages) !== asText(run.messages)) faults.push('its request is not that of the rows cut by hand');
    return { outcome, faults };
  };
  return {
    check,
    close: async () => {
      await api.close();
      removeFolder(folder);
    },
  };
}

/**
 * The rows with the uuids, as they are in the transcript. A compaction's boundary is the first row whatever parent it
 * names, but a lost parent changes where the client continues.
 */
function onlyRows(bytes: Buffer, uuids: ReadonlySet<string>): Buffer {
  const isKept = (uuid: unknown): boolean => typeof uuid === 'string' && uuids.has(uuid);
  const rows = splitRows(bytes).filter((row) => isKept(readRow(row)?.uuid));
  return joinRows(
    rows.map((row) => {
      const fields = readRow(row);
      const isBoundary = fields?.type === 'system' && fields.compactMetadata !== undefined;
      return isBoundary && !isKept(fields.parentUuid) ? setField(row, 'parentUuid', null) : row;
    }),
  );
}

/** Each run has a folder of its own. */
function asText(messages: readonly ApiMessage[] | null): string {
  return JSON.stringify(messages).replace(/rethread-client-\w+/g, 'run');
}
