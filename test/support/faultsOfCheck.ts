import { describeDifference } from './comparePrediction';
import { faultsOfBytes } from './faultsOfBytes';
import { judge } from './judge';
import type { ResumeCheck } from './resumeCheck';

/** What must be true of any transcript, however broken; one sentence for each violation. */
export function faultsOfCheck(check: ResumeCheck): string[] {
  const { repair, wasChanged } = check;
  return [
    ...faultsOfPrediction(check),
    ...faultsOfRepair(check),
    ...(wasChanged ? faultsOfBytes({ ...check, edits: repair.result.edits }) : []),
  ];
}

function faultsOfPrediction({ before, after, wasChanged }: ResumeCheck): string[] {
  const faults: string[] = [];
  const count = `${before.judged.loads} of ${before.judged.of}`;
  if (!before.difference.isEqual) faults.push(`client loads ${count}: ${describeDifference(before.difference)}`);
  if (wasChanged && !after.difference.isEqual) faults.push(`after repair: ${describeDifference(after.difference)}`);
  return faults;
}

function faultsOfRepair(check: ResumeCheck): string[] {
  const { before, repair, after, original, wasChanged, secondRepair, wasChangedAgain } = check;
  const { status, reason, edits, resumeBefore, resumeAfter, unloads = [] } = repair.result;
  const faults: string[] = [];
  if (after.judged.loads < before.judged.loads) {
    faults.push(`the client loads ${before.judged.loads} before and ${after.judged.loads} after the repair`);
  }
  // The repair moves lines, so the rows of the original are searched in the later request.
  const missingBefore = new Set(before.judged.missingLines);
  const taken = judge(original, after.run.messages).missingLines.filter((line) => !missingBefore.has(line));
  // An edit of its content names a message, and shows what becomes of it.
  const edited = edits.filter(({ field }) => field.startsWith('message.')).map(({ line }) => line);
  const untold = taken.filter((line) => !unloads.includes(line) && !edited.includes(line));
  if (untold.length > 0) faults.push(`the repair takes away lines ${untold.join(', ')}, and does not say so`);
  if (status === 'failed' && reason !== 'not-repairable' && reason !== 'unreadable') {
    faults.push(`the repair failed: ${reason ?? 'for no reason'}, ${repair.problem ?? ''}`);
  }
  if (wasChanged !== (status === 'repaired'))
    faults.push(`the bytes ${wasChanged ? '' : 'un'}changed, status ${status}`);
  if (status === 'repaired' && edits.length === 0) faults.push('repaired without an edit');
  if (status !== 'failed') {
    const { loads: loadsBefore } = before.scan.resume;
    const { loads: loadsAfter, of } = after.scan.resume;
    if (resumeBefore.loads !== loadsBefore) faults.push(`resumeBefore says ${resumeBefore.loads}, scan ${loadsBefore}`);
    if (resumeAfter.loads !== loadsAfter || resumeAfter.of !== of) {
      faults.push(`resumeAfter says ${resumeAfter.loads} of ${resumeAfter.of}, scan ${loadsAfter} of ${of}`);
    }
  }
  if (wasChangedAgain || secondRepair.result.edits.length > 0) {
    faults.push(`a second repair makes ${secondRepair.result.edits.length} edits`);
  }
  return faults;
}
