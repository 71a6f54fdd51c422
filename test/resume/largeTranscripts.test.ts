import { assertNoFaults } from '../support/assertNoFaults';
import { faultsOfCheck } from '../support/faultsOfCheck';
import { listCorruptCases } from '../support/fixtures';
import { runSize } from '../support/runSize';
import { useResumeChecks } from '../support/useResumeChecks';
import { copyLargeCorrupt } from '../support/workingCopies';

/** In the quick run: one variant for each rule that differs, and the undamaged one. */
const QUICK_CASES = ['00-healthy', 'b2-user-orphan-mid', 'e3-nul-bytes', 'e10-pretty-printed'];

describe('The real client resumes a transcript of more than 5 MiB as predicted, before and after its repair', () => {
  const cases = listCorruptCases().filter(
    ({ spacing, name }) => spacing === 'far' && (runSize().isFull || QUICK_CASES.includes(name)),
  );
  const check = useResumeChecks(cases.map((corrupt) => (folder) => copyLargeCorrupt(corrupt, folder)));

  cases.forEach(({ name }, at) => {
    it(name, async () => {
      const { copy, check: checked } = await check(at);
      assertNoFaults(copy, faultsOfCheck(checked));
    });
  });
});
