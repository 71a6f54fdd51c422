import { sessionIdOf } from '../providers/claude/format/paths';
import type { RepairFailureReason, RepairOutcome, SessionRepairResult } from '../../protocol/repair';
import { type LoadedTranscript, simulateResume } from '../providers/claude/loader/loadTranscript';
import type { WriteDeps } from '../storage/openTranscript';
import { rewriteTranscript } from '../storage/rewriteTranscript';
import type { FileScanner } from '../transcript/scanFile';
import type { ScannedIdentity } from '../util/openForeignFile';
import { planRepair, type RepairPlan } from './plan';
import type { Diagnostics } from './verdict';

export interface RepairRequest {
  readonly filePath: string;
  readonly loaded: LoadedTranscript;
  /** Identity of the file whose bytes were loaded. */
  readonly identity: ScannedIdentity;
  /** Only plans the repair; nothing is written. */
  readonly isDryRun: boolean;
  readonly isLive: () => Promise<boolean>;
}

export interface RepairDeps {
  readonly scanFile: FileScanner;
  readonly diagnostics: Diagnostics;
  readonly write: WriteDeps;
}

/** Plans the repair of a loaded transcript and, unless it is a dry run, applies it. */
export async function repairTranscript(request: RepairRequest, deps: RepairDeps): Promise<RepairOutcome> {
  const { filePath, loaded, identity } = request;
  const untouched = untouchedResult(filePath, loaded);
  const plan = await planRepair(filePath, loaded, deps);
  if (plan === null) return { result: untouched, problem: null };
  if (plan === 'loadsLess') {
    const problem = 'No repair was found that keeps everything Claude loads now, so nothing was changed.';
    return failed(untouched, 'not-repairable', problem);
  }
  const planned = plannedResult(untouched, plan);
  if (request.isDryRun) return { result: planned, problem: null };
  const outcome = await rewriteTranscript(
    {
      filePath,
      expected: { ...identity, size: Number(identity.size) },
      splices: plan.splices,
      isLive: request.isLive,
      verify: (path) => isAsPlanned(path, plan, deps),
    },
    deps.write,
  );
  if (outcome.kind === 'refused') return failed(untouched, outcome.reason, outcome.problem);
  return { result: { ...planned, backupPath: outcome.backupPath }, problem: outcome.warning };
}

/** Whether the written bytes load what the plan promised. */
async function isAsPlanned(path: string, plan: RepairPlan, { scanFile, diagnostics }: RepairDeps): Promise<boolean> {
  const { index } = await scanFile(path);
  const { loads, of } = simulateResume(index, diagnostics.rules).summary;
  return loads === plan.after.loads && of === plan.after.of;
}

function untouchedResult(filePath: string, { resume }: LoadedTranscript): SessionRepairResult {
  const { loads, of } = resume.summary;
  return {
    sessionId: sessionIdOf(filePath),
    filePath,
    status: 'already_healthy',
    orphansFixed: 0,
    newChainDepth: resume.chainDepth,
    edits: [],
    resumeBefore: { loads, of },
    resumeAfter: { loads, of },
  };
}

function plannedResult(untouched: SessionRepairResult, plan: RepairPlan): SessionRepairResult {
  return {
    ...untouched,
    status: 'repaired',
    orphansFixed: plan.orphansFixed,
    newChainDepth: plan.chainDepth,
    edits: plan.edits,
    resumeAfter: plan.after,
  };
}

function failed(result: SessionRepairResult, reason: RepairFailureReason, problem: string): RepairOutcome {
  return { result: { ...result, status: 'failed', reason }, problem };
}
