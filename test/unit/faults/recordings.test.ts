import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFaults, mendFaults } from '../../../src/core/faults/faultClasses';
import { RepairDraft } from '../../../src/core/faults/repairDraft';
import { FIXTURES, listRecordings } from '../../support/fixtures';
import { examine, sayFinding } from './faultsOf';

describe('What is found in a healthy recording', () => {
  for (const recording of listRecordings()) {
    it(`costs nothing and is left alone: ${recording.replace('dot-claude/projects/-home-user-project/', '')}`, () => {
      const examination = examine(readFileSync(join(FIXTURES, recording)));
      const bad = findFaults(examination).filter(({ severity, action }) => severity !== 'info' || action === 'auto');
      assert.deepEqual(bad.map(sayFinding), []);
      const draft = new RepairDraft(examination);
      mendFaults(draft);
      assert.deepEqual([...draft.edits.values()], []);
    });
  }
});
