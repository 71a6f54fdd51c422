import { assertNoFaults } from '../support/assertNoFaults';
import { faultsOfCheck } from '../support/faultsOfCheck';
import { listDamageBases } from '../support/fixtures';
import { createRandom } from '../support/random';
import { runSize } from '../support/runSize';
import { useResumeChecks } from '../support/useResumeChecks';
import { copyDamaged, copyLargeDamaged } from '../support/workingCopies';

/** Damages are drawn from as many as the newest client is tested with. */
const DRAWN_FROM = 400;

describe('An older client resumes a damaged transcript as its rules predict, before and after its repair', () => {
  const bases = listDamageBases();
  const { isFull, olderClients, ofOlder } = runSize();
  // Other damages at each full run; the title of each test names its seed.
  const draw = isFull ? Date.now() % 1_000_000 : 1;

  for (const version of olderClients) {
    describe(`${version}, drawn by ${draw}`, () => {
      const random = createRandom(draw);
      const cases = Array.from({ length: ofOlder.damages }, (_, at) => ({
        seed: 1 + random.below(DRAWN_FROM),
        isLarge: at < ofOlder.large,
      }));
      const check = useResumeChecks(
        cases.map(({ seed, isLarge }, at) => (folder) => {
          const own = `${folder}/${at}`;
          if (!isLarge) return copyDamaged(bases, seed, own);
          return copyLargeDamaged(bases, seed, own, { aim: at % 2 === 0 ? 'anything' : 'sideRows', size: 'large' });
        }),
        version,
      );
      cases.forEach(({ seed, isLarge }, at) => {
        it(`${isLarge ? 'over 5 MiB, ' : ''}seed ${seed}`, async () => {
          const { copy, check: checked } = await check(at);
          assertNoFaults(copy, faultsOfCheck(checked));
        });
      });
    });
  }
});
