import assert from 'node:assert/strict';
import { sessionPicks } from '../../../src/host/commands/sessionPicks';
import { formats, project, session, snapshot, t } from './fakes';

const SESSIONS = snapshot([
  project([
    session({ title: 'healthy' }),
    session({ title: 'corrupted', health: 'corrupted', isRepairable: true }),
    session({ title: 'repaired', health: 'repaired', hasBackup: true }),
    session({ title: 'odd', isRepairable: true }),
  ]),
]);
const titles = (need: Parameters<typeof sessionPicks>[1]) =>
  sessionPicks(SESSIONS, need, 0, '/home/person', formats, t).map((pick) => pick.label);

describe('choosing a session', () => {
  it('offers all of them, in the order of the tree', () => {
    assert.deepEqual(titles('any'), ['healthy', 'corrupted', 'repaired', 'odd']);
  });
  it('offers for a repair those that are corrupted or can be mended', () => {
    assert.deepEqual(titles('repairable'), ['corrupted', 'odd']);
  });
  it('offers for undoing those with a backup', () => {
    assert.deepEqual(titles('undoable'), ['repaired']);
  });
  it('shows a title that looks like an icon as it is written', () => {
    const picks = sessionPicks(
      snapshot([project([session({ title: 'run $(trash)' })])]),
      'any',
      0,
      '/home/person',
      formats,
      t,
    );
    assert.equal(picks[0]?.label, 'run \\$(trash)');
  });
});
