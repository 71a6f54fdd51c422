import type {
  LoadCount,
  RepairEdit,
  RepairFailureReason,
  RepairOutcome,
  SessionRepairResult,
} from '../../protocol/repair';
import { sessionIdOf } from '../providers/claude/format/paths';
import { loadedRows, LoadedTranscript, type Resume, simulateResume } from '../providers/claude/loader/loadTranscript';
import type { LiveGuard, WriteDeps } from '../storage/openTranscript';
import { rewriteTranscript } from '../storage/rewriteTranscript';
import { type Splice, Splicer } from '../storage/splice';
import { NO_ID } from '../transcript/idTable';
import type { FileScanner } from '../transcript/scanFile';
import type { ScannedIdentity } from '../util/openForeignFile';
import { cutsAsLoaded, fixAll, LinkDamage } from './linkDamage';
import { type LocatedEdits, locateEdits } from './locateEdits';
import { type DraftEdit, RepairDraft } from './repairDraft';
import type { Diagnostics } from './verdict';

export interface RepairRequest {
  readonly filePath: string;
  readonly loaded: LoadedTranscript;
  /** Identity of the file whose bytes were loaded. */
  readonly identity: ScannedIdentity;
  /** Only plans the repair; nothing is written. */
  readonly isDryRun: boolean;
  /** Nobody was shown the plan, so it must not take a row away. */
  readonly isAutomatic: boolean;
  readonly assertNotLive: LiveGuard;
}

export interface RepairDeps extends PlanDeps {
  readonly write: WriteDeps;
}

/** Plans the repair of a loaded transcript and, unless it is a dry run, applies it. */
export async function repairTranscript(request: RepairRequest, deps: RepairDeps): Promise<RepairOutcome> {
  const { filePath, loaded, identity } = request;
  const untouched = untouchedResult(filePath, loaded);
  const plan = await planRepair(filePath, loaded, deps, { mayUnload: !request.isAutomatic });
  if (plan === null) return { result: untouched, problem: null };
  const unknown = loaded.index.longLines.find(({ isKnown }) => !isKnown);
  if (unknown !== undefined) {
    const size = `${Math.round(unknown.length / 1e6)} MB`;
    const problem = `Line ${unknown.line} has ${size}, which is too long to be read, so nothing was changed: the rows that seem to have lost their parent may hang from what it holds.`;
    return failed(untouched, 'not-repairable', problem);
  }
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
      assertNotLive: request.assertNotLive,
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
    ...(plan.unloads.length === 0 ? {} : { unloads: plan.unloads }),
  };
}

function failed(result: SessionRepairResult, reason: RepairFailureReason, problem: string): RepairOutcome {
  return { result: { ...result, status: 'failed', reason }, problem };
}

/** Edits that fix a transcript, and what the client loads once they are applied. */
export interface RepairPlan {
  readonly edits: readonly RepairEdit[];
  readonly splices: readonly Splice[];
  readonly before: LoadCount;
  readonly after: LoadCount;
  /** 1-based lines, before the repair, of rows that the client loads without the repair only. */
  readonly unloads: readonly number[];
  /** Number of rows from the leaf to the root or the break, after the repair. */
  readonly chainDepth: number;
  /** Number of rows whose parent was not in the file, and whose link now names another row or none. */
  readonly orphansFixed: number;
}

export interface PlanDeps {
  readonly scanFile: FileScanner;
  readonly diagnostics: Diagnostics;
}

/** Never exceeded in practice. Each round fixes what the previous one revealed. */
const MAX_ROUNDS = 6;

/** Which plan to make. */
export interface PlanOptions {
  /** Whether the plan may take away rows that the client loads now, if it loads more rows in all. */
  readonly mayUnload: boolean;
}

/**
 * The plan that fixes a transcript, proven by scanning and simulating the resulting bytes. Null if there is nothing to
 * fix. `loadsLess`: every attempt would make the client load less than before, so there is no plan.
 *
 * A round takes the first draft of edits after which the client loads no fewer rows, and the next round starts from there,
 * until nothing is left to fix or no draft is acceptable. Therefore a second repair finds nothing to do. If the client then
 * no longer loads all rows that it loads now, the plan is made anew, and each round has to keep all of them.
 */
export async function planRepair(
  filePath: string,
  original: LoadedTranscript,
  deps: PlanDeps,
  { mayUnload }: PlanOptions,
): Promise<RepairPlan | 'loadsLess' | null> {
  const plan = await planRounds(filePath, original, deps, (before, after) => {
    return loadsOf(after) >= loadsOf(before) ? 'accept' : 'reject';
  });
  if (plan === null || plan === 'loadsLess' || plan.unloads.length === 0) return plan;
  return planRounds(filePath, original, deps, (before, after) => {
    if (unloadedRows(before, after).length === 0) return 'accept';
    return mayUnload && loadsOf(after) > loadsOf(before) ? 'accept if no other' : 'reject';
  });
}

/** Judges the edits of a round. */
type Judge = (before: LoadedTranscript, after: LoadedTranscript) => 'accept' | 'accept if no other' | 'reject';

async function planRounds(
  filePath: string,
  original: LoadedTranscript,
  deps: PlanDeps,
  judge: Judge,
): Promise<RepairPlan | 'loadsLess' | null> {
  let step: Step = { loaded: original, draft: new Map(), located: { edits: [], splices: [] } };
  let isUnfinished = false;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = await nextStep(filePath, original, step, deps, judge);
    isUnfinished = next === 'loadsLess';
    if (next === null || next === 'loadsLess') break;
    step = next;
  }
  if (step.draft.size === 0) return isUnfinished ? 'loadsLess' : null;
  const links = [...step.draft.values()].filter((edit) => edit.kind === 'link' && edit.field === 'parentUuid');
  return {
    ...step.located,
    before: loadCount(original.resume),
    after: loadCount(step.loaded.resume),
    unloads: linesOf(original, unloadedRows(original, step.loaded)),
    chainDepth: step.loaded.resume.chainDepth,
    orphansFixed: links.filter((edit) => edit.kind === 'link' && original.view.isOrphan(edit.row)).length,
  };
}

/** The transcript after some of the edits. Rows keep their numbers, because no edit adds, removes or moves one. */
interface Step {
  readonly loaded: LoadedTranscript;
  /** Edits so far, keyed by what they change; a later edit of the same value replaces the earlier one. */
  readonly draft: ReadonlyMap<string, DraftEdit>;
  readonly located: LocatedEdits;
}

async function nextStep(
  filePath: string,
  original: LoadedTranscript,
  step: Step,
  { scanFile, diagnostics }: PlanDeps,
  judge: Judge,
): Promise<Step | 'loadsLess' | null> {
  let isFirst = true;
  let reserve: Step | null = null;
  for (const drafted of draftsOf(step.loaded, diagnostics)) {
    // Lines are edited only in the first round, because their numbers change afterwards.
    const edits = step.draft.size === 0 ? drafted : new Map([...drafted].filter(([, edit]) => edit.kind !== 'line'));
    if (edits.size === 0 && isFirst) return null;
    isFirst = false;
    if (edits.size === 0) continue;
    const draft = new Map([...step.draft, ...edits]);
    const located = await locateEdits(filePath, original.index, [...draft.values()]);
    const { index } = await scanFile(filePath, { through: () => new Splicer(located.splices) });
    const loaded = new LoadedTranscript(index, diagnostics.rules);
    const next = { loaded, draft, located };
    const judgement = judge(step.loaded, loaded);
    if (judgement === 'accept') return next;
    if (judgement === 'accept if no other') reserve ??= next;
  }
  return reserve ?? 'loadsLess';
}

/** Rows whose content the client sends before some edits, but not after them. */
function unloadedRows(before: LoadedTranscript, after: LoadedTranscript): number[] {
  const lost: number[] = [];
  const { kept } = after.resume.request;
  for (let row = 0; row < before.index.rows.count; row++) {
    if (before.resume.request.kept.has(row) && !kept.has(row)) lost.push(row);
  }
  return lost;
}

function loadsOf({ index, resume }: LoadedTranscript): number {
  return loadedRows(index, resume);
}

function linesOf({ index }: LoadedTranscript, rows: readonly number[]): number[] {
  return [...new Set(rows.map((row) => index.rows.line(row)))];
}

/** Drafts of edits, best first. */
function* draftsOf(loaded: LoadedTranscript, { checks }: Diagnostics): Generator<ReadonlyMap<string, DraftEdit>> {
  const byFileOrder = new RepairDraft(loaded);
  fixAll(byFileOrder, checks);
  const ofLines = new Map([...byFileOrder.edits].filter(([, edit]) => edit.kind === 'line'));
  if (new LinkDamage(loaded, checks).losesRows) {
    yield byFileOrder.edits;
    const asLoaded = new RepairDraft(loaded, cutsAsLoaded(loaded));
    fixAll(asLoaded, checks);
    keepHealedLinks(asLoaded, loaded.resume);
    yield asLoaded.edits;
  }
  yield ofLines;
}

/** If the client continued by time at a broken link, the link is set to that row. */
function keepHealedLinks(draft: RepairDraft, resume: Resume): void {
  const { chain, healed } = resume.walk;
  const waiting = new Set(healed);
  for (const [at, row] of chain.entries()) {
    const next = waiting.has(row) ? chain[at - 1] : undefined;
    if (next === undefined) continue;
    // A row without a uuid cannot be named: the client finds it only by time.
    if (draft.index.rows.uuid(next) === NO_ID || draft.descendsFrom(next, row)) draft.keepParent(row);
    else {
      draft.setParent(row, next, 'Its parent is not in the file: it is hung from the row at which Claude goes on.');
    }
  }
}

function loadCount(resume: Resume): LoadCount {
  return { loads: resume.summary.loads, of: resume.summary.of };
}
