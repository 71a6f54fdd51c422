import assert from 'node:assert/strict';
import { type SessionNeed, sessionPicks } from '../../../src/extension/commands/sessionPicks';
import type { SessionsSnapshot } from '../../../src/protocol/channels/sessions';
import { formats, project, session, snapshot, t } from './fakes';

const SESSIONS = snapshot([
  project([
    session({ title: 'healthy' }),
    session({ title: 'corrupted', health: 'corrupted', isRepairable: true }),
    session({ title: 'repaired', health: 'repaired', hasBackup: true }),
    session({ title: 'odd', isRepairable: true }),
    session({ title: 'went back', id: 'rewound' }),
  ]),
]);
const KNOWN = {
  isRewound: (id: string) => id === 'rewound',
  extraConfigDirOf: (folder: string) => (folder.startsWith('/w/') ? '/home/person/.claude-work' : null),
};
const picked = (sessions: SessionsSnapshot, need: SessionNeed, typed = '') =>
  sessionPicks(sessions, { need, typed, ...KNOWN }, 0, '/home/person', formats, t);
const titles = (need: SessionNeed, typed?: string) => picked(SESSIONS, need, typed).picks.map((pick) => pick.label);

describe('The choice of a session', () => {
  it('offers all sessions, in the order of the tree', () => {
    assert.deepEqual(titles('any'), ['healthy', 'corrupted', 'repaired', 'odd', 'went back']);
  });
  it('names the config folder of sessions of another account', () => {
    const both = snapshot([project([session()]), project([session()], { folder: '/w/projects/-src-app' })]);
    assert.deepEqual(
      picked(both, 'any').picks.map(({ detail }) => detail),
      ['/src/app', '/src/app · ~/.claude-work'],
    );
  });
  it('offers for a repair those that are corrupted or can be fixed', () => {
    assert.deepEqual(titles('repairable'), ['corrupted', 'odd']);
  });
  it('offers for an undo those with a backup', () => {
    assert.deepEqual(titles('undoable'), ['repaired']);
  });
  it('offers for undoing a rewind those that have one', () => {
    assert.deepEqual(titles('rewound'), ['went back']);
  });
  it('shows a title with icon syntax literally', () => {
    const { picks } = picked(snapshot([project([session({ title: 'run $(trash)' })])]), 'any');
    assert.equal(picks[0]?.label, 'run \\$(trash)');
  });
  it('leaves filtering to VS Code if there are few sessions', () => {
    assert.equal(titles('any', 'CORR').length, 5);
  });

  describe('with many sessions', () => {
    const many = snapshot([
      project(
        Array.from({ length: 1000 }, (_, at) => session({ title: `Session\n${at}` })),
        { cwd: '/src/app' },
      ),
      project([session({ title: 'The one', id: 'abcdef' })], { folder: '/b', cwd: '/src/Other' }),
    ]);
    const found = (typed: string) => picked(many, 'any', typed).picks.map((pick) => pick.session.title);

    it('offers the first ones, and states how many there are', () => {
      const { picks, total } = picked(many, 'any');
      assert.deepEqual([picks.length, picks[0]?.label, total], [200, 'Session 0', 1001]);
    });
    it('finds one by the words of its title, as the filter of the tree does, its id or project', () => {
      assert.deepEqual(found(' the ONE'), ['The one']);
      assert.deepEqual(found('bcde'), ['The one']);
      assert.deepEqual(found('/src/other'), ['The one']);
      assert.deepEqual(found('99 session').length, 19);
      assert.deepEqual(found('nothing'), []);
    });
  });
});
