import type { LoadCount, PlannedMemory, RepairEdit } from '../../protocol/repair';
import { loadedRows, LoadedTranscript, remembersSummary, type Resume } from '../providers/claude/loader/loadTranscript';
import { type Splice, Splicer } from '../storage/splice';
import { NO_ID } from '../transcript/idTable';
import { isCountedOnMain, RowFlag } from '../transcript/rowFlags';
import type { FileScanner } from '../transcript/scanFile';
import { cutsAsLoaded, fixAll, LinkDamage } from './linkDamage';
import { type LocatedEdits, locateEdits } from './locateEdits';
import type { RequestPlan } from './poison/planRequestRepair';
import { type DraftEdit, RepairDraft } from './repairDraft';
import type { Diagnostics } from './verdict';

/** Edits that fix a transcript, and what the client loads once they are applied. */
export interface RepairPlan {
  readonly edits: readonly RepairEdit[];
  readonly splices: readonly Splice[];
  readonly before: LoadCount;
  readonly after: LoadCount;
  /** 1-based lines, before the repair, of rows that the client loads without the repair only. */
  readonly unloads: readonly number[];
  readonly memoryAfter: PlannedMemory;
  /** Number of rows from the leaf to the root or the break, after the repair. */
  readonly chainDepth: number;
  /** Number of rows whose parent was not in the file, and whose link now names another row or none. */
  readonly orphansFixed: number;
  /** What is loaded after the repair. */
  readonly loaded: LoadedTranscript;
  /** The edits of the content of messages; null if there are none. */
  readonly content: RequestPlan | null;
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
    loaded: step.loaded,
    before: loadCount(original.resume),
    after: loadCount(step.loaded.resume),
    unloads: linesOf(original, unloadedRows(original, step.loaded)),
    memoryAfter: plannedMemory(original, step.loaded),
    chainDepth: step.loaded.resume.chainDepth,
    orphansFixed: links.filter((edit) => edit.kind === 'link' && original.view.isOrphan(edit.row)).length,
    content: null,
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
export function unloadedRows(before: LoadedTranscript, after: LoadedTranscript): number[] {
  const lost: number[] = [];
  const { kept } = after.resume.request;
  for (let row = 0; row < before.index.rows.count; row++) {
    if (before.resume.request.kept.has(row) && !kept.has(row)) lost.push(row);
  }
  return lost;
}

/** @param originalRows  the numbers of rows in the original, from those after the repair; of one that leaves out none, the same */
export function plannedMemory(
  original: LoadedTranscript,
  after: LoadedTranscript,
  originalRows: (rows: readonly number[]) => readonly number[] = (rows) => rows,
): PlannedMemory {
  const { rows } = after.index;
  const { rows: before } = original.index;
  const missing: number[] = [];
  const counted: number[] = [];
  for (let row = 0; row < rows.count; row++) {
    if (!isCountedOnMain(rows.flags(row))) continue;
    counted.push(row);
    if (!after.resume.request.kept.has(row)) missing.push(row);
  }
  const found = originalRows(counted).filter((row) => !isCountedOnMain(before.flags(row)));
  const notLoaded = originalRows(missing);
  const sharesLine = (row: number): boolean => before.has(row, RowFlag.sharesLine);
  const lost = new Set(notLoaded.filter((row) => sharesLine(row)));
  return {
    missingLines: linesOf(
      original,
      notLoaded.filter((row) => !sharesLine(row)),
    ),
    lost: [...lost].map((row) => before.offset(row)),
    found: found.filter((row) => !lost.has(row)).map((row) => before.offset(row)),
    hasSummary: remembersSummary(after),
  };
}

function loadsOf({ index, resume }: LoadedTranscript): number {
  return loadedRows(index, resume);
}

export function linesOf({ index }: LoadedTranscript, rows: readonly number[]): number[] {
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
      draft.setParent(
        row,
        next,
        'This message points to one that is missing: it is linked to the one at which Claude continues.',
      );
    }
  }
}

export function loadCount(resume: Resume): LoadCount {
  return { loads: resume.summary.loads, of: resume.summary.of };
}
