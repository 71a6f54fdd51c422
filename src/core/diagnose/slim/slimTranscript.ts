import { dirname, join } from 'node:path';
import type { RepairFailureReason } from '../../../protocol/repair';
import type { SlimOutcome, SlimResult } from '../../../protocol/slim';
import { removedFolderOf } from '../../providers/claude/format/movedText';
import { sessionIdOf } from '../../providers/claude/format/paths';
import { LoadedTranscript } from '../../providers/claude/loader/loadTranscript';
import type { KeptFile } from '../../storage/keepBeside';
import { PROBLEMS } from '../../storage/refusal';
import type { LiveGuard, WriteDeps } from '../../storage/openTranscript';
import { rewriteTranscript } from '../../storage/rewriteTranscript';
import { beginsWithSpliced, splicedSize } from '../../storage/splice';
import type { RepairTrace } from '../../storage/traceRepair';
import type { NamedRange } from '../../storage/undoRewrite';
import { RowSource } from '../../transcript/rowSource';
import type { FileScanner } from '../../transcript/scanFile';
import type { TranscriptIndex } from '../../transcript/transcriptIndex';
import { BitSet } from '../../util/columns';
import { fileProblem, type ScannedIdentity } from '../../util/openForeignFile';
import { type BulkyOutput, readOutput } from './bulkyOutputs';
import { findSlimmable, loadedFacts, planSlim, type SlimDeps, type SlimPlan, slimSplices } from './planSlim';
import { removalOf } from './removableRows';

export interface SlimRequest {
  readonly filePath: string;
  readonly loaded: LoadedTranscript;
  /** Identity of the file whose bytes were loaded. */
  readonly identity: ScannedIdentity;
  /** Only plans; nothing is written. */
  readonly isDryRun: boolean;
  readonly assertNotLive: LiveGuard;
}

export interface SlimWriteDeps extends SlimDeps {
  readonly write: WriteDeps;
  /** Bytes that can be written to the disk of a folder; null if unknown. Never rejects. */
  readonly freeBytes: (folder: string) => Promise<number | null>;
}

/** Plans the slimming of a loaded transcript and, unless it is a dry run, applies it. */
export async function slimTranscript(request: SlimRequest, deps: SlimWriteDeps): Promise<SlimOutcome> {
  const { filePath, loaded, identity, isDryRun } = request;
  const untouched = untouchedResult(filePath, loaded);
  const plan = await planOf(filePath, loaded, deps);
  if (plan === 'changed') return failed(untouched, 'changed-while-repairing', PROBLEMS.changed);
  if (plan === null) return { result: untouched, problem: null };
  if (plan === 'unproven') {
    const problem = 'Nothing was found that can be removed without changing what Claude loads, so nothing was changed.';
    return failed(untouched, 'not-repairable', problem);
  }
  const planned = plannedResult(untouched, plan);
  if (isDryRun) return { result: planned, problem: null };
  // The backup, the slimmed transcript and what is moved, all of which exist beside the original until it is replaced.
  const moved = filesOf(filePath, loaded.index.fileSize, plan.outputs);
  const needed = loaded.index.fileSize + plan.bytesAfter + moved.bytes;
  const free = await deps.freeBytes(dirname(filePath));
  if (free !== null && free < needed) {
    const problem = `The disk has ${megabytes(free)} left, and ${megabytes(needed)} are needed for the backup and the slimmed transcript, so nothing was changed.`;
    return failed(untouched, 'no-space', problem);
  }
  const outcome = await rewriteTranscript(
    {
      filePath,
      expected: { ...identity, size: Number(identity.size) },
      splices: plan.splices,
      kept: moved.files,
      assertNotLive: request.assertNotLive,
      verify: (path) => isAsPlanned(path, plan, deps),
    },
    deps.write,
  );
  if (outcome.kind === 'refused') return failed(untouched, outcome.reason, outcome.problem);
  return { result: { ...planned, backupPath: outcome.backupPath }, problem: outcome.warning };
}

/** The files of outputs, each of which is read from the transcript when it is written. Outputs with the same content have one file. */
function filesOf(
  filePath: string,
  size: number,
  outputs: readonly BulkyOutput[],
): { readonly files: readonly KeptFile[]; readonly bytes: number } {
  const byName = new Map(outputs.map((output) => [output.name, output]));
  const folder = removedFolderOf(filePath);
  const files = Array.from(byName.values(), (output): KeptFile => {
    const read = (): Buffer => {
      const source = RowSource.open(filePath, size);
      try {
        return readOutput(output, source);
      } finally {
        source.close();
      }
    };
    return { path: join(folder, output.name), read };
  });
  return { files, bytes: Array.from(byName.values()).reduce((sum, output) => sum + output.bytes, 0) };
}

/** `changed`: the file became shorter while it was being read. */
async function planOf(
  filePath: string,
  loaded: LoadedTranscript,
  deps: SlimDeps,
): Promise<SlimPlan | 'unproven' | 'changed' | null> {
  try {
    return await planSlim(filePath, loaded, deps);
  } catch (error) {
    // The splices do not fit a file that was truncated meanwhile.
    if (error instanceof RangeError || fileProblem(error, filePath).kind === 'missing') return 'changed';
    throw error;
  }
}

/** Whether the written bytes load what the plan promised. */
async function isAsPlanned(path: string, plan: SlimPlan, { scanFile, diagnostics }: SlimDeps): Promise<boolean> {
  const { index } = await scanFile(path);
  const { loads, of, leafUuid, rows } = loadedFacts(new LoadedTranscript(index, diagnostics.rules));
  const meant = plan.loadedAfter;
  return loads === meant.loads && of === meant.of && leafUuid === meant.leafUuid && rows === meant.rows;
}

function untouchedResult(filePath: string, { index, summary }: LoadedTranscript): SlimResult {
  const { loads, of } = summary;
  return {
    sessionId: sessionIdOf(filePath),
    filePath,
    status: 'already_slim',
    bytesBefore: index.fileSize,
    bytesAfter: index.fileSize,
    kinds: [],
    relinked: 0,
    resumeBefore: { loads, of },
    resumeAfter: { loads, of },
  };
}

function plannedResult(untouched: SlimResult, plan: SlimPlan): SlimResult {
  const { kinds, relinked, bytesAfter, loadedAfter } = plan;
  const resumeAfter = { loads: loadedAfter.loads, of: loadedAfter.of };
  return { ...untouched, status: 'slimmed', bytesAfter, kinds, relinked, resumeAfter };
}

function failed(result: SlimResult, reason: RepairFailureReason, problem: string): SlimOutcome {
  return { result: { ...result, status: 'failed', reason }, problem };
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6).toLocaleString('en')} MB`;
}

/**
 * Proves that a transcript is its backup after it was slimmed, with bytes appended: the removed rows are those that only the backup has,
 * either all long outputs were moved or none, and what slimming them gives is the beginning of the transcript. It does not matter which
 * client the transcript was slimmed for.
 */
export function createSlimTrace(scanFile: FileScanner) {
  return async (backup: NamedRange, current: NamedRange): Promise<RepairTrace> => {
    const kept = await scanFile(current.path, { withByteRows: false }).then(({ index }) => uuidsOf(index));
    const { index } = await scanFile(backup.path, { withByteRows: false });
    const { progress, snapshots, outputs } = await findSlimmable(backup.path, index, current.path);
    const removed = new BitSet(index.rows.count);
    for (let row = 0; row < index.rows.count; row++) {
      const isRemovable = progress.has(row) || snapshots.rows.has(row);
      if (isRemovable && !kept.has(index.ids.text(index.rows.uuid(row)) ?? '')) removed.add(row);
    }
    const removal = removalOf(index, removed);
    for (const moved of outputs.length === 0 ? [outputs] : [outputs, []]) {
      if (removed.isEmpty && moved.length === 0) continue;
      const { splices } = await slimSplices(backup.path, index, removal, moved);
      const tailStart = splicedSize(backup.to, splices);
      const isSlimmed = tailStart <= current.to && (await beginsWithSpliced(backup, current, splices));
      if (isSlimmed) return { kind: 'repaired', tailStart, isUnchanged: false };
    }
    return { kind: 'unexplained' };
  };
}

/** The uuids that rows of the transcript have. */
function uuidsOf({ rows, ids }: TranscriptIndex): { has(uuid: string): boolean } {
  const owned = new BitSet(ids.uuidCount);
  for (let row = 0; row < rows.count; row++) if (rows.uuid(row) >= 0) owned.add(rows.uuid(row));
  return { has: (uuid) => ids.has(uuid) && owned.has(ids.intern(uuid)) };
}
