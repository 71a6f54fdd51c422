import { join } from 'node:path';
import { assertNoFaults } from '../support/assertNoFaults';
import { isStoredClient } from '../support/findClient';
import { faultsOfCheck } from '../support/faultsOfCheck';
import { listHealthyCases } from '../support/fixtures';
import { useResumeChecks } from '../support/useResumeChecks';
import { copyRecording } from '../support/workingCopies';

describe('The real client resumes a healthy recording as predicted, and a repair leaves it unchanged', () => {
  const cases = listHealthyCases();
  const check = useResumeChecks(
    cases.map(
      ({ recording }, at) =>
        (folder) =>
          copyRecording(recording, join(folder, String(at))),
    ),
  );

  cases.forEach(({ recording, verdict }, at) => {
    it(recording.replace('dot-claude/projects/-home-user-project/', ''), async () => {
      const { copy, check: checked } = await check(at);
      const faults = faultsOfCheck(checked);
      const { scan, judged } = checked.before;
      const { status } = scan;
      const isAsStored = judged.loads === verdict.loaded && judged.of === verdict.total;
      if (isStoredClient() && !isAsStored) {
        faults.push(`the client loads ${judged.loads} of ${judged.of}, it used to load ${verdict.loaded}`);
      }
      if (status !== 'healthy') faults.push(`its status is ${status}`);
      if (checked.wasChanged || checked.repair.result.edits.length > 0) faults.push('the repair edits it');
      assertNoFaults(copy, faults);
    });
  });
});
