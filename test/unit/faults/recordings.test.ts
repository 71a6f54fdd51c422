import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixAll, RepairDraft } from '../../rooms/diagnose';
import { DIAGNOSTICS } from '../../support/diagnosed';
import { FIXTURES, listRecordings } from '../../support/fixtures';
import { allFindingsOf, load, sayFinding } from './faultsOf';

describe('The findings in a healthy recording', () => {
  for (const recording of listRecordings()) {
    it(`are harmless and need no edit: ${recording.replace('dot-claude/projects/-home-user-project/', '')}`, () => {
      const bytes = readFileSync(join(FIXTURES, recording));
      const loaded = load(bytes);
      const bad = allFindingsOf(bytes).filter(({ severity, action }) => severity !== 'info' || action === 'auto');
      assert.deepEqual(bad.map(sayFinding), []);
      const draft = new RepairDraft(loaded);
      fixAll(draft, DIAGNOSTICS.checks);
      assert.deepEqual([...draft.edits.values()], []);
    });
  }
});
