import { assertNoFaults } from '../support/assertNoFaults';
import { isStoredClient } from '../support/findClient';
import { faultsOfCheck } from '../support/faultsOfCheck';
import { listCorruptCases, type Verdict } from '../support/fixtures';
import type { ResumeCheck } from '../support/resumeCheck';
import { runSize } from '../support/runSize';
import { useResumeChecks } from '../support/useResumeChecks';
import { copyCorrupt } from '../support/workingCopies';

describe('The real client resumes a damaged transcript as predicted, before and after its repair', () => {
  const cases = listCorruptCases().filter(({ spacing }) => spacing === 'far' || runSize().isFull);
  const check = useResumeChecks(cases.map((corrupt) => (folder) => copyCorrupt(corrupt, folder)));

  cases.forEach(({ name, spacing, verdict }, at) => {
    it(`${name}, ${spacing}`, async () => {
      const { copy, check: checked } = await check(at);
      assertNoFaults(copy, [
        ...faultsOfCheck(checked),
        // What is stored is of one client; others are held against the prediction alone.
        ...(isStoredClient() ? faultsAgainstVerdict(checked, verdict) : []),
      ]);
    });
  });
});

function faultsAgainstVerdict({ before, after }: ResumeCheck, verdict: Verdict): string[] {
  const faults: string[] = [];
  if (before.judged.loads !== verdict.loaded || before.judged.of !== verdict.total) {
    const seen = `${before.judged.loads} of ${before.judged.of}`;
    faults.push(`the client loads ${seen}, the verdict says ${verdict.loaded} of ${verdict.total}`);
  }
  const restorable = verdict.afterBetterRepair?.loaded ?? 0;
  if (after.judged.loads < restorable) {
    faults.push(`${restorable} rows are restorable, the client loads ${after.judged.loads} after the repair`);
  }
  return faults;
}
