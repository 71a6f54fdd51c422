import type { LoadCount, RepairEdit } from '../../shared/repair';
import type { Examination } from '../faults/faultClass';
import { mendFaults } from '../faults/faultClasses';
import { RepairDraft, type DraftEdit } from '../faults/repairDraft';
import { simulateResume, type Resume } from '../resume/simulateResume';
import { scanFile } from '../scan/scanFile';
import type { ScannerFactory } from '../scan/scanner';
import { Splicer, type Splice } from '../write/splice';
import { locateEdits } from './locateEdits';

/** Edits that mend a transcript, with what the client loads once they are applied. */
export interface RepairPlan {
  readonly edits: readonly RepairEdit[];
  readonly splices: readonly Splice[];
  readonly before: LoadCount;
  readonly after: LoadCount;
  /** Rows from the leaf to the root or the break, after the repair. */
  readonly chainDepth: number;
  /** Rows that named a parent which is not in the file, and name one that is. */
  readonly orphansFixed: number;
}

/**
 * The plan that mends a transcript, proven by scanning and simulating the bytes it leads to. Null when there is nothing
 * to mend. `loadsLess`: every plan that was tried would make the client load less than before, so that none is given.
 */
export async function planRepair(
  filePath: string,
  examination: Examination,
  createScanner: ScannerFactory,
): Promise<RepairPlan | 'loadsLess' | null> {
  const before = loadCount(examination.resume);
  for (const edits of draftsOf(examination)) {
    if (edits.length === 0) return null;
    const located = await locateEdits(filePath, examination.facts, edits);
    const { facts } = await scanFile(filePath, createScanner, { through: new Splicer(located.splices) });
    const resume = simulateResume(facts);
    if (resume.summary.loads < before.loads) continue;
    return {
      ...located,
      before,
      after: loadCount(resume),
      chainDepth: resume.chainDepth,
      orphansFixed: edits.filter((edit) => edit.kind === 'link' && examination.view.isOrphan(edit.row)).length,
    };
  }
  return 'loadsLess';
}

/** Drafts of edits, the best first; a later one is made only when the one before does not hold. */
function* draftsOf(examination: Examination): Generator<readonly DraftEdit[]> {
  const byFileOrder = new RepairDraft(examination);
  mendFaults(byFileOrder);
  yield byFileOrder.edits;
  const asLoaded = new RepairDraft(examination);
  mendFaults(asLoaded);
  keepHealedLinks(asLoaded, examination.resume);
  yield asLoaded.edits;
}

/** Where the client went on by time at a broken link, the link is made to say so. */
function keepHealedLinks(draft: RepairDraft, resume: Resume): void {
  const { chain, healed } = resume.walk;
  for (const row of healed) {
    const next = chain[chain.indexOf(row) - 1];
    if (next === undefined || draft.facts.rows.uuid(next) < -1) continue;
    draft.setParent(row, next, 'Its parent is not in the file: it is hung from the row at which Claude goes on.');
  }
}

function loadCount(resume: Resume): LoadCount {
  return { loads: resume.summary.loads, of: resume.summary.of };
}
