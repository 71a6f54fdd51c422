import { assertNoFaults } from '../support/assertNoFaults';
import { faultsOfCheck } from '../support/faultsOfCheck';
import { listDamageBases } from '../support/fixtures';
import { runSize } from '../support/runSize';
import { useResumeChecks } from '../support/useResumeChecks';
import { copyDamaged } from '../support/workingCopies';

describe('The real client resumes a randomly damaged transcript as predicted, before and after its repair', () => {
  const bases = listDamageBases();
  const { seeds } = runSize();
  const check = useResumeChecks(seeds.map((seed) => (folder) => copyDamaged(bases, seed, folder)));

  seeds.forEach((seed, at) => {
    it(`seed ${seed}`, async () => {
      const { copy, check: checked } = await check(at);
      assertNoFaults(copy, faultsOfCheck(checked));
    });
  });
});
