import type { LoadCount, RepairEdit } from '../../protocol/repair';
import { LoadedTranscript, type Resume } from '../providers/claude/loader/loadTranscript';
import { type Splice, Splicer } from '../storage/splice';
import { NO_ID } from '../transcript/idTable';
import type { FileScanner } from '../transcript/scanFile';
import type { Check } from './check';
import { type LocatedEdits, locateEdits } from './locateEdits';
import { type DraftEdit, RepairDraft } from './repairDraft';
import type { Diagnostics } from './verdict';

/** Edits that fix a transcript, with what the client loads once they are applied. */
export interface RepairPlan {
  readonly edits: readonly RepairEdit[];
  readonly splices: readonly Splice[];
  readonly before: LoadCount;
  readonly after: LoadCount;
  /** Rows from the leaf to the root or the break, after the repair. */
  readonly chainDepth: number;
  /** Rows that named a parent which is not in the file, and name another one or none. */
  readonly orphansFixed: number;
}

export interface PlanDeps {
  readonly scanFile: FileScanner;
  readonly diagnostics: Diagnostics;
}

/** More rounds than this were never needed; each one fixes what the one before brought to light. */
const MAX_ROUNDS = 6;

/**
 * The plan that fixes a transcript, proven by scanning and simulating the bytes it leads to. Null when there is nothing
 * to fix. `loadsLess`: whatever was tried would make the client load less than before, so that no plan is given.
 *
 * A round takes the first draft of edits after which the client loads no less, and the next one starts from there, until
 * nothing is left to fix or no draft holds: so that a second repair finds nothing to do.
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

/** The transcript after some of the edits. Rows keep their numbers: no edit adds, drops or moves one. */
interface Step {
  readonly loaded: LoadedTranscript;
  /** Edits so far, by what they change; a later one of the same value takes the earlier one's place. */
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
    // Lines are edited in the first round only: after it they have other numbers.
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

/** Drafts of edits, the best first. */
function* draftsOf(loaded: LoadedTranscript, { checks }: Diagnostics): Generator<ReadonlyMap<string, DraftEdit>> {
  const byFileOrder = new RepairDraft(loaded);
  fixAll(byFileOrder, checks);
  yield byFileOrder.edits;
  const { healed, brokenAt } = loaded.resume.walk;
  const asLoaded = new RepairDraft(loaded, new Set(brokenAt === null ? healed : [...healed, brokenAt]));
  fixAll(asLoaded, checks);
  keepHealedLinks(asLoaded, loaded.resume);
  yield asLoaded.edits;
  yield new Map([...byFileOrder.edits].filter(([, edit]) => edit.kind === 'line'));
}

/** Writes the edits of all checks into the draft. */
export function fixAll(draft: RepairDraft, checks: readonly Check[]): void {
  for (const check of checks) check.fix?.(draft);
}

/** Where the client continued by time at a broken link, the link is made to say so. */
function keepHealedLinks(draft: RepairDraft, resume: Resume): void {
  const { chain, healed } = resume.walk;
  const waiting = new Set(healed);
  for (const [at, row] of chain.entries()) {
    const next = waiting.has(row) ? chain[at - 1] : undefined;
    if (next === undefined) continue;
    // A row without a uuid cannot be named: only its time leads the client to it.
    if (draft.index.rows.uuid(next) === NO_ID || draft.descendsFrom(next, row)) draft.keepParent(row);
    else {
      draft.setParent(row, next, 'Its parent is not in the file: it is hung from the row at which Claude goes on.');
    }
  }
}

function loadCount(resume: Resume): LoadCount {
  return { loads: resume.summary.loads, of: resume.summary.of };
}
