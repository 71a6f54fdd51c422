import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assertNoFaults } from '../support/assertNoFaults';
import { faultsOfCheck } from '../support/faultsOfCheck';
import { createRandom } from '../support/random';
import { randomCalls } from '../support/randomCalls';
import { runSize } from '../support/runSize';
import { transcript } from '../support/transcriptBuilder';
import { useResumeChecks } from '../support/useResumeChecks';
import type { WorkingCopy } from '../support/workingCopies';

const PLACES = {
  'in a line': {},
  'on branches': { branches: true },
  'among attachments': { attachments: true },
};

for (const [where, options] of Object.entries(PLACES)) {
  describe(`The real client resumes calls and results in any order ${where} as predicted`, () => {
    const { seeds } = runSize();
    const check = useResumeChecks(
      seeds.map((seed) => async (folder: string): Promise<WorkingCopy> => {
        const of = join(folder, `order ${where} ${seed}`);
        await mkdir(of, { recursive: true });
        const filePath = join(of, '44444444-4444-4444-8444-444444444444.jsonl');
        await writeFile(filePath, transcript(randomCalls(createRandom(seed), options)));
        return { name: `seed ${seed}`, filePath, operations: [] };
      }),
    );

    seeds.forEach((seed, at) => {
      it(`seed ${seed}`, async () => {
        const { copy, check: checked } = await check(at);
        assertNoFaults(copy, faultsOfCheck(checked));
      });
    });
  });
}
