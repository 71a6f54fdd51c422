import { join } from 'node:path';
import type {
  LoadCount,
  RepairFailureReason,
  RepairOutcome,
  RepairPlanOutcome,
  SessionRepairResult,
} from '../../protocol/repair';
import { removedFolderName, removedFolderOf } from '../providers/claude/format/movedText';
import { sessionIdOf } from '../providers/claude/format/paths';
import { LoadedTranscript, simulateResume } from '../providers/claude/loader/loadTranscript';
import type { KeptFile } from '../storage/keepBeside';
import type { LiveGuard, WriteDeps } from '../storage/openTranscript';
import { rewriteTranscript } from '../storage/rewriteTranscript';
import { beginsWithSpliced, type Splice, splicedSize, Splicer } from '../storage/splice';
import { readRequestRows, rowReader } from '../providers/claude/request/requestRows';
import { Refusal } from '../storage/refusal';
import type { RepairTrace } from '../storage/traceRepair';
import type { AppendedRows, NamedRange } from '../storage/undoRewrite';
import { RowSource } from '../transcript/rowSource';
import type { ScannedIdentity } from '../util/openForeignFile';
import type { NamedRepair } from './check';
import {
  linesOf,
  loadCount,
  type PlanDeps,
  plannedMemory,
  planRepair,
  type RepairPlan,
  unloadedRows,
} from './planRepair';
import type { LinkRepair } from './poison/contentDraft';
import { canBeJudged, codeOf, diagnoseHistory, isPoison } from './poison/diagnoseRequest';
import { faultsAfterLinks, planRequestRepair, type RequestPlan } from './poison/planRequestRepair';
import { loadSession } from './scanSession';
import { CHECKS, diagnose, type Diagnostics } from './verdict';

export interface RepairRequest {
  readonly filePath: string;
  /** Not the loaded transcript itself, so that a giant is not in memory any more while it is written. */
  readonly load: () => Promise<LoadedForRepair | EndedRepair>;
  /** Only plans the repair; nothing is written. */
  readonly isDryRun: boolean;
  /** Nobody was shown the plan, so it must not take a row away. */
  readonly isAutomatic: boolean;
  readonly assertNotLive: LiveGuard;
  /** Only findings of this code; null for all that a repair mends without being named. */
  readonly code: string | null;
}

export interface LoadedForRepair {
  readonly kind: 'loaded';
  readonly loaded: LoadedTranscript;
  /** Identity of the file whose bytes were loaded. */
  readonly identity: ScannedIdentity;
}

/** There is nothing to apply. */
export interface EndedRepair {
  readonly kind: 'ended';
  readonly outcome: RepairPlanOutcome;
}

export interface RepairDeps extends PlanDeps {
  readonly write: WriteDeps;
}

/** Plans the repair of a transcript and, unless it is a dry run, applies it. */
export async function repairTranscript(request: RepairRequest, deps: RepairDeps): Promise<RepairPlanOutcome> {
  const { filePath } = request;
  const proven = await proveRepair(request, deps);
  if (proven.kind === 'ended') return proven.outcome;
  const { planned, splices, kept, identity } = proven;
  if (request.isDryRun) {
    const { memoryAfter, mendsContent } = proven;
    return { result: planned, problem: null, memoryAfter, mendsContent };
  }
  const outcome = await rewriteTranscript(
    {
      filePath,
      expected: { ...identity, size: Number(identity.size) },
      splices,
      kept,
      assertNotLive: request.assertNotLive,
      verify: (path) => loadsAsPlanned(path, planned.resumeAfter, deps),
    },
    deps.write,
  );
  if (outcome.kind === 'refused') return failed(proven.untouched, outcome.reason, outcome.problem);
  return { result: { ...planned, backupPath: outcome.backupPath }, problem: outcome.warning };
}

/** What of a plan is needed to apply it: nothing that grows with the transcript. */
interface ProvenRepair extends Pick<RepairPlan, 'splices' | 'memoryAfter'>, Pick<LoadedForRepair, 'identity'> {
  readonly kind: 'proven';
  readonly untouched: SessionRepairResult;
  readonly planned: SessionRepairResult;
  readonly kept: readonly KeptFile[];
  readonly mendsContent: boolean;
}

/** Plans the repair, and ends with an outcome if there is none, or none that may be applied. */
async function proveRepair(request: RepairRequest, deps: PlanDeps): Promise<ProvenRepair | EndedRepair> {
  const { filePath } = request;
  const session = await request.load();
  if (session.kind === 'ended') return session;
  const { loaded, identity } = session;
  const untouched = untouchedResult(filePath, loaded);
  const plan = await planFor({ ...request, loaded }, deps);
  if (plan === null) return { kind: 'ended', outcome: { result: untouched, problem: null } };
  const problem = whyNotApplied(plan, loaded);
  if (typeof plan === 'string' || problem !== null) {
    return { kind: 'ended', outcome: failed(untouched, 'not-repairable', problem) };
  }
  return {
    kind: 'proven',
    identity,
    untouched,
    planned: plannedResult(untouched, plan),
    splices: plan.splices,
    kept: keptFiles(filePath, plan.content),
    memoryAfter: plan.memoryAfter,
    mendsContent: plan.content !== null,
  };
}

/** Null for a plan that may be applied. */
function whyNotApplied(
  plan: RepairPlan | 'loadsLess' | 'unproven' | 'failsPromise',
  { index }: LoadedTranscript,
): string | null {
  if (plan === 'unproven') {
    return 'No repair was found after which the API accepts all that Claude sends now, so nothing was changed.';
  }
  if (plan === 'failsPromise') return 'With this repair, Claude would not load what it should, so nothing was changed.';
  const unknown = index.longLines.find(({ isKnown }) => !isKnown);
  if (unknown !== undefined) {
    const size = `${Math.round(unknown.length / 1e6)} MB`;
    return `Line ${unknown.line} has ${size}, which is too long to be read, so nothing was changed: what other messages seem to miss may be in it.`;
  }
  if (plan === 'loadsLess')
    return 'No repair was found that keeps everything Claude loads now, so nothing was changed.';
  return null;
}

function keptFiles(filePath: string, content: RequestPlan | null): readonly KeptFile[] {
  const folder = removedFolderOf(filePath);
  return [...(content?.kept ?? [])].map(([name, bytes]) => ({ path: join(folder, name), read: () => bytes }));
}

type ToPlan = Pick<RepairRequest, 'filePath' | 'code' | 'isAutomatic'> & Pick<LoadedForRepair, 'loaded'>;

/** The repair of the links and then of the content, or the one that was asked for by its name. */
async function planFor(
  request: ToPlan,
  deps: PlanDeps,
): Promise<RepairPlan | 'loadsLess' | 'unproven' | 'failsPromise' | null> {
  const { filePath, loaded, code, isAutomatic } = request;
  const byName = code === null ? null : namedRepairOf(filePath, loaded, deps);
  if (byName !== null) return isAutomatic ? null : planNamed(filePath, loaded, byName, deps);
  const planned = await planRepair(filePath, loaded, deps, { mayUnload: !isAutomatic });
  // A content is mended where no link can be.
  const links = planned === 'loadsLess' ? null : planned;
  const ofContent = await planContent(request, links, deps);
  if (ofContent === 'unproven') return planned === 'loadsLess' ? planned : ofContent;
  return ofContent === null ? planned : withContent(loaded, links, ofContent);
}

/** The repair that the first check has that makes one only by its name; null if none of them has one. */
function namedRepairOf(filePath: string, loaded: LoadedTranscript, { diagnostics }: PlanDeps): NamedRepair | null {
  for (const check of diagnostics.checks) {
    const found = check.byName?.(filePath, loaded) ?? null;
    if (found !== null) return found;
  }
  return null;
}

/** Proves the repair on the resulting bytes: it is what was asked for, and the transcript has no error that it does not have now. */
async function planNamed(
  filePath: string,
  original: LoadedTranscript,
  { edits, splices, isProven }: NamedRepair,
  { scanFile, diagnostics }: PlanDeps,
): Promise<RepairPlan | 'failsPromise'> {
  const { index } = await scanFile(filePath, {
    through: () => new Splicer(splices),
    sizeAfter: splicedSize(original.index.fileSize, splices),
  });
  const loaded = new LoadedTranscript(index, diagnostics.rules);
  const errors = new Set(errorsOf(original));
  if (!isProven(loaded) || errorsOf(loaded).some((code) => !errors.has(code))) return 'failsPromise';
  const isRefused = refusesRequest(filePath, original, loaded) && !refusesRequest(filePath, original, original);
  return {
    edits: isRefused ? edits.map((edit) => ({ ...edit, why: `${edit.why} ${THEN_REFUSED}` })) : edits,
    splices,
    loaded,
    before: loadCount(original.resume),
    after: loadCount(loaded.resume),
    unloads: linesOf(original, unloadedRows(original, loaded)),
    memoryAfter: plannedMemory(original, loaded),
    chainDepth: loaded.resume.chainDepth,
    orphansFixed: 0,
    content: null,
  };
}

const THEN_REFUSED = "Claude's API refuses what Claude remembers then: repair the session once more afterwards.";

/** Whether the API refuses what loads of the rows, which a repair by name leaves as they are. */
function refusesRequest(filePath: string, { index }: LoadedTranscript, loaded: LoadedTranscript): boolean {
  if (!canBeJudged(index)) return false;
  const source = RowSource.open(filePath, index.fileSize);
  try {
    const read = rowReader({ index }, source);
    return diagnoseHistory(loaded, readRequestRows(loaded, read)).faults.some(isPoison);
  } finally {
    source.close();
  }
}

function errorsOf(loaded: LoadedTranscript): readonly string[] {
  return diagnose(loaded, CHECKS).flatMap(({ code, severity }) => (severity === 'error' ? [code] : []));
}

/** The second stage: the edits of content. */
async function planContent(
  { filePath, loaded, code, isAutomatic }: ToPlan,
  links: RepairPlan | null,
  deps: PlanDeps,
  /** The path of the transcript, if `filePath` is that of its backup. */
  namedAs = filePath,
): Promise<RequestPlan | 'unproven' | null> {
  if (!canBeJudged(loaded.index) || loaded.index.longLines.some(({ isKnown }) => !isKnown)) return null;
  const after = afterLinks(loaded, links);
  const keptIn = removedFolderName(namedAs);
  return planRequestRepair(filePath, loaded, after, deps, { code, isAutomatic, keptIn });
}

/**
 * For an undo: recognises a repair of the content of messages, or one that was made by its name, which change more than `traceRepair`
 * explains. The transcript has to be the backup after one of the repairs that the rules of the client allow, with bytes appended.
 */
export function createContentTrace(deps: PlanDeps) {
  return async (backup: NamedRange, current: NamedRange): Promise<RepairTrace> => {
    const session = await loadSession(backup.path, deps.scanFile, deps.diagnostics.rules);
    if (session.kind === 'problem') return { kind: 'unexplained' };
    const named = deps.diagnostics.checks.flatMap((check) => {
      const repair = check.byName?.(backup.path, session.loaded) ?? null;
      return repair === null ? [] : [repair.splices];
    });
    for (const splices of [...named, ...(await contentRepairs(backup.path, current.path, session.loaded, deps))]) {
      const tailStart = splicedSize(backup.to, splices);
      if (tailStart > current.to || !(await beginsWithSpliced(backup, current, splices))) continue;
      return { kind: 'repaired', tailStart, isUnchanged: false };
    }
    return { kind: 'unexplained' };
  };
}

/**
 * For an undo: refuses it if a message that was appended since points to one that the repair has inserted or given another id. Without
 * that, the history above would be lost.
 */
export function createTailGuard({ scanFile, diagnostics }: PlanDeps) {
  const orphansOf = async ({ path, from }: AppendedRows['restored']): Promise<readonly boolean[]> => {
    const { index } = await scanFile(path);
    const { view } = new LoadedTranscript(index, diagnostics.rules);
    const orphans: boolean[] = [];
    for (let row = 0; row < index.rows.count; row++)
      if (index.rows.offset(row) >= from) orphans.push(view.isOrphan(row));
    return orphans;
  };
  return async ({ transcript, restored }: AppendedRows): Promise<void> => {
    const now = await orphansOf(transcript);
    const cut = (await orphansOf(restored)).findIndex((isOrphan, at) => isOrphan && now[at] === false);
    if (cut < 0) return;
    const problem =
      'The session was continued from a message that the repair has inserted or given another id: without it, Claude would no longer find what came before, so nothing was undone.';
    throw new Refusal('changed-since-repair', problem);
  };
}

/** The repairs of content that may have been applied, each with the repair of links before it; none if nothing in the content is mended. */
async function contentRepairs(
  filePath: string,
  namedAs: string,
  loaded: LoadedTranscript,
  deps: PlanDeps,
): Promise<readonly (readonly Splice[])[]> {
  if (!canBeJudged(loaded.index)) return [];
  // Where links are broken, the repair has seen more than what loads now.
  const codes = new Set<string>();
  for (const mayUnload of [true, false]) {
    const links = await planLinks(filePath, loaded, deps, mayUnload);
    for (const fault of faultsAfterLinks(filePath, loaded, afterLinks(loaded, links))) codes.add(codeOf(fault));
    if (links === null) break;
  }
  const repairs: (readonly Splice[])[] = [];
  for (const code of codes.size === 0 ? [] : [null, ...codes]) {
    const ofCode = { ...deps, diagnostics: onlyChecksOf(deps.diagnostics, code) };
    for (const isAutomatic of [false, true]) {
      const links = await planLinks(filePath, loaded, ofCode, !isAutomatic);
      const content = await planContent({ filePath, loaded, code, isAutomatic }, links, ofCode, namedAs);
      if (content !== null && content !== 'unproven') repairs.push(content.splices);
    }
  }
  return repairs;
}

/** Null if there is nothing to mend in the links, or nothing can be. */
async function planLinks(
  filePath: string,
  loaded: LoadedTranscript,
  deps: PlanDeps,
  mayUnload: boolean,
): Promise<RepairPlan | null> {
  const planned = await planRepair(filePath, loaded, deps, { mayUnload });
  return planned === 'loadsLess' ? null : planned;
}

function afterLinks(loaded: LoadedTranscript, links: RepairPlan | null): LinkRepair {
  return links === null ? { loaded, splices: [] } : { loaded: links.loaded, splices: links.splices };
}

/** The diagnostics with the checks whose findings have the code; all of them for null. */
export function onlyChecksOf(diagnostics: Diagnostics, code: string | null): Diagnostics {
  if (code === null) return diagnostics;
  return { ...diagnostics, checks: diagnostics.checks.filter((check) => check.code === code) };
}

function withContent(original: LoadedTranscript, links: RepairPlan | null, content: RequestPlan): RepairPlan {
  return {
    edits: [...(links?.edits ?? []), ...content.edits].sort((a, b) => a.line - b.line),
    splices: content.splices,
    before: loadCount(original.resume),
    after: loadCount(content.loaded.resume),
    unloads: links?.unloads ?? [],
    memoryAfter: plannedMemory(original, content.loaded, content.originalRows),
    chainDepth: content.loaded.resume.chainDepth,
    orphansFixed: links?.orphansFixed ?? 0,
    loaded: content.loaded,
    content,
  };
}

/** Whether the written bytes load what the plan promised. */
async function loadsAsPlanned(path: string, planned: LoadCount, { scanFile, diagnostics }: PlanDeps): Promise<boolean> {
  const { index } = await scanFile(path);
  const { loads, of } = simulateResume(index, diagnostics.rules).summary;
  return loads === planned.loads && of === planned.of;
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

function failed(result: SessionRepairResult, reason: RepairFailureReason, problem: string | null): RepairOutcome {
  return { result: { ...result, status: 'failed', reason }, problem };
}
