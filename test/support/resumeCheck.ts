import { mkdtemp, readFile, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diagnosticsFor } from '../../src/core/diagnose/verdict';
import { createEngine, type Engine } from '../../src/core/engine';
import type { RepairOutcome } from '../../src/protocol/repair';
import type { SessionScanResult } from '../../src/protocol/session';
import { compareLeaf, type LeafComparison } from './compareLeaf';
import { comparePrediction, type PredictionDifference } from './comparePrediction';
import { testedVersion } from './findClient';
import { judge, type Judgement } from './judge';
import { type MockApi, startMockApi } from './mockApi';
import { type ClientRun, resumeWithRealClient } from './realClient';
import { removeFolder } from './removeFolder';
import { wasmScanners } from './scannerModule';

/** The engine's prediction for a transcript, and what the real client does with it. */
interface Observation {
  readonly scan: SessionScanResult;
  readonly run: ClientRun;
  readonly judged: Judgement;
  readonly difference: PredictionDifference;
  readonly leaf: LeafComparison;
}

/** A transcript before and after its repair, and after a second one. */
export interface ResumeCheck {
  readonly before: Observation;
  readonly repair: RepairOutcome;
  /** The first observation if the repair left the bytes unchanged. */
  readonly after: Observation;
  readonly original: Buffer;
  readonly repaired: Buffer;
  readonly wasChanged: boolean;
  /** The backup that the repair reports; null if it names none. */
  readonly backup: Buffer | null;
  readonly secondRepair: RepairOutcome;
  readonly wasChangedAgain: boolean;
}

/** The engine, the real client and its mock, with a working folder for transcripts. */
export interface ResumeBench {
  /** Removed by `close`. */
  readonly folder: string;
  observe(filePath: string): Promise<Observation>;
  /** Repairs the file; pass it a copy. */
  check(filePath: string): Promise<ResumeCheck>;
  close(): Promise<void>;
}

/** `version`: that of the client, by whose rules the engine predicts. */
export async function openResumeBench(client: string, version = testedVersion()): Promise<ResumeBench> {
  const folder = await mkdtemp(join(tmpdir(), 'rethread-resume-'));
  const api = await startMockApi();
  const engine = createEngine({
    configDir: join(folder, 'no-config'),
    createScanner: wasmScanners(),
    diagnostics: diagnosticsFor(version),
  });
  const observe = (filePath: string): Promise<Observation> => observeFile(engine, client, api, filePath);
  return {
    folder,
    observe,
    check: (filePath) => checkFile(engine, observe, filePath),
    close: async () => {
      await api.close();
      removeFolder(folder);
    },
  };
}

async function observeFile(engine: Engine, client: string, api: MockApi, filePath: string): Promise<Observation> {
  const bytes = await readFile(filePath);
  const { result } = await engine.scan(filePath);
  const run = await resumeWithRealClient(filePath, { client, api });
  if (run.timedOut) throw new Error(`The client did not end in time on ${filePath}`);
  const judged = judge(bytes, run.messages);
  return {
    scan: result,
    run,
    judged,
    difference: comparePrediction(bytes, result.resume, judged),
    leaf: compareLeaf(result.resume.leafUuid, run),
  };
}

/** Seconds since the epoch. */
const LONG_AGO = 1_750_000_000;

async function checkFile(
  engine: Engine,
  observe: (filePath: string) => Promise<Observation>,
  filePath: string,
): Promise<ResumeCheck> {
  const original = await readFile(filePath);
  // A session that a client without a registry wrote to a moment ago may be live, and would not be repaired.
  await utimes(filePath, LONG_AGO, LONG_AGO);
  const before = await observe(filePath);
  const repair = await engine.repair(filePath);
  const repaired = await readFile(filePath);
  const wasChanged = !repaired.equals(original);
  const after = wasChanged ? await observe(filePath) : before;
  const secondRepair = await engine.repair(filePath);
  const wasChangedAgain = !(await readFile(filePath)).equals(repaired);
  const { backupPath } = repair.result;
  const backup = backupPath === undefined ? null : await readFile(backupPath);
  return { before, repair, after, original, repaired, wasChanged, backup, secondRepair, wasChangedAgain };
}
