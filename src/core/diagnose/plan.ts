import type { LoadCount, RepairEdit } from '../../protocol/repair';
import { LoadedTranscript, type Resume } from '../providers/claude/loader/loadTranscript';
import { type Splice, Splicer } from '../storage/splice';
import { NO_ID } from '../transcript/idTable';
import type { FileScanner } from '../transcript/scanFile';
import { type LocatedEdits, locateEdits } from './locateEdits';
import { cutsAsLoaded, fixAll, LinkDamage } from './linkDamage';
import { type DraftEdit, RepairDraft } from './repairDraft';
import type { Diagnostics } from './verdict';

/** Edits that fix a transcript, and what the client loads once they are applied. */
export interface RepairPlan {
  readonly edits: readonly RepairEdit[];
  readonly splices: readonly Splice[];
  readonly before: LoadCount;
  readonly after: LoadCount;
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

/**
 * The plan that fixes a transcript, proven by scanning and simulating the resulting bytes. Null if there is nothing to
 * fix. `loadsLess`: every attempt would make the client load less than before, so there is no plan.
 *
 * A round takes the first draft of edits after which the client loads no less, and the next round starts from there, until
 * nothing is left to fix or no draft is acceptable. Therefore a second repair finds nothing to do.
 */
export async function planRepair(
  filePath: string,
  original: LoadedTranscript,
  deps: PlanDeps,
): Promise<RepairPlan | 'loadsLess' | null> {
  let step: Step = { loaded: original, draft: new Map(), located: { edits: [], splices: [] } };
  let isUnfinished = false;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = await nextStep(filePath, original, step, deps);
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
): Promise<Step | 'loadsLess' | null> {
  let isFirst = true;
  for (const drafted of draftsOf(step.loaded, diagnostics)) {
    // Lines are edited only in the first round, because their numbers change afterwards.
    const edits = step.draft.size === 0 ? drafted : new Map([...drafted].filter(([, edit]) => edit.kind !== 'line'));
    if (edits.size === 0 && isFirst) return null;
    isFirst = false;
    if (edits.size === 0) continue;
    const draft = new Map([...step.draft, ...edits]);
    const located = await locateEdits(filePath, original.index, [...draft.values()]);
    const { index } = await scanFile(filePath, { through: new Splicer(located.splices) });
    const loaded = new LoadedTranscript(index, diagnostics.rules);
    if (loaded.resume.summary.loads < step.loaded.resume.summary.loads) continue;
    return { loaded, draft, located };
  }
  return 'loadsLess';
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
