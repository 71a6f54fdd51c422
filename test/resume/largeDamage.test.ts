import { assertNoFaults } from '../support/assertNoFaults';
import { faultsOfCheck } from '../support/faultsOfCheck';
import { listDamageBases } from '../support/fixtures';
import { runSize } from '../support/runSize';
import { useResumeChecks } from '../support/useResumeChecks';
import { copyLargeDamaged, type DamageAim } from '../support/workingCopies';

const AIMS: readonly DamageAim[] = ['anything', 'sideRows'];

describe('The real client resumes a damaged transcript of more than 5 MiB as predicted, before and after its repair', () => {
  const bases = listDamageBases();
  const { largeSeeds, hugeSeeds } = runSize();
  const cases = AIMS.flatMap((aim) => [
    ...largeSeeds.map((seed) => ({ aim, seed, size: 'large' as const })),
    ...hugeSeeds.map((seed) => ({ aim, seed, size: 'huge' as const })),
  ]);
  const check = useResumeChecks(
    cases.map(
      ({ seed, ...how }) =>
        (folder) =>
          copyLargeDamaged(bases, seed, folder, how),
    ),
  );

  cases.forEach(({ aim, seed, size }, at) => {
    it(`${size}, ${aim}, seed ${seed}`, async () => {
      const { copy, check: checked } = await check(at);
      assertNoFaults(copy, faultsOfCheck(checked));
    });
  });
});
