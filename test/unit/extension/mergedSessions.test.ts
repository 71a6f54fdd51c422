import assert from 'node:assert/strict';
import { MergedFolders } from '../../../src/extension/sessions/mergedFolders';
import { MergedSessions } from '../../../src/extension/sessions/mergedSessions';
import { NO_SESSIONS } from '../../../src/extension/sessions/sessionsState';
import type { ProjectSummary, SessionsUpdate } from '../../../src/protocol/channels/sessions';
import { project, session, snapshot, update } from './fakes';

const at = (name: string, activityMs: number) => session({ path: `/p/${name}.jsonl`, activityMs });

function merged(...updates: readonly SessionsUpdate[]): MergedSessions {
  const sessions = new MergedSessions();
  for (const each of updates) sessions.apply(each);
  return sessions;
}

/** Applies an update with one more project. */
function of(change: Partial<SessionsUpdate['projects'][number]>, rest: Partial<SessionsUpdate> = {}): SessionsUpdate {
  return update([], {
    isReset: false,
    order: null,
    projects: [{ ...project([]), removed: [], ...change }],
    ...rest,
  });
}

const names = (sessions: MergedSessions) =>
  sessions.of('/c').projects.map((each) => each.sessions.map((one) => one.path.slice(3, -6)).join(''));

describe('The updates of a worker', () => {
  it('add up to the sessions, latest first', () => {
    const first = update([project([at('a', 1), at('b', 3)])]);
    const sessions = merged(first, of({ sessions: [at('c', 2), at('d', 9)] }));
    assert.deepEqual(names(sessions), ['dbca']);
  });

  it('replace a session that they contain again, and sort it into place', () => {
    const sessions = merged(update([project([at('a', 3), at('b', 2), at('c', 1)])]), of({ sessions: [at('c', 4)] }));
    assert.deepEqual(names(sessions), ['cab']);
  });

  it('remove deleted sessions', () => {
    const sessions = merged(update([project([at('a', 3), at('b', 2)])]), of({ removed: ['/p/a.jsonl', '/p/x.jsonl'] }));
    assert.deepEqual(names(sessions), ['b']);
  });

  it('put the projects in the order that they state, and drop all others', () => {
    const [one, two, three] = ['/one', '/two', '/three'].map((folder) => project([at(folder, 1)], { folder }));
    assert.ok(one && two && three);
    const sessions = merged(
      update([one, two, three]),
      update([], { isReset: false, order: ['/three', '/unknown', '/one'] }),
    );
    assert.deepEqual(
      sessions.of('/c').projects.map((each) => each.folder),
      ['/three', '/one'],
    );
  });

  it('keep the object of a project that they do not mention', () => {
    const [one, two] = ['/one', '/two'].map((folder) => project([at(folder, 1)], { folder }));
    assert.ok(one && two);
    const sessions = merged(update([one, two]));
    const before = sessions.of('/c').projects;
    sessions.apply(of({ folder: '/two', sessions: [at('b', 2)] }));
    assert.equal(sessions.of('/c').projects[0], before[0]);
    assert.notEqual(sessions.of('/c').projects[1], before[1]);
    const after = sessions.of('/c').projects;
    sessions.apply(update([], { isReset: false, order: null, phase: { kind: 'scanning', done: 1, total: 2 } }));
    assert.equal(sessions.of('/c').projects, after);
  });

  it('can state a project’s folder without its sessions', () => {
    const sessions = merged(update([project([at('a', 1)])]), of({ cwd: '/moved', inWorkspace: false }));
    assert.deepEqual(sessions.of('/c').projects, [project([at('a', 1)], { cwd: '/moved', inWorkspace: false })]);
  });

  it('start from nothing when a worker starts again', () => {
    const sessions = merged(update([project([at('a', 1)])]), update([], { revision: 7, problem: 'EACCES' }));
    assert.deepEqual(sessions.of('/c'), snapshot([], { revision: 7, problem: 'EACCES' }));
  });

  it('apply to one config folder only', () => {
    const sessions = merged(update([project([at('a', 1)])]));
    assert.deepEqual(sessions.of('/d'), NO_SESSIONS);
    assert.deepEqual(sessions.of(null), NO_SESSIONS);
    sessions.apply(update([], { configDir: '/d' }));
    assert.deepEqual(sessions.of('/c'), NO_SESSIONS);
    assert.deepEqual(sessions.of('/d'), snapshot([]));
  });
});

describe('The updates about several config folders', () => {
  const [main, work] = ['/c', '/w'];
  const projectOf = (configDir: string, name: string, activityMs: number, change: Partial<ProjectSummary> = {}) =>
    project([session({ path: `${configDir}/projects/${name}/a.jsonl`, activityMs })], {
      folder: `${configDir}/projects/${name}`,
      cwd: `/src/${name}`,
      inWorkspace: false,
      ...change,
    });
  const foldersOf = (sessions: MergedFolders) => sessions.of([main, work]).projects.map(({ folder }) => folder);
  const both = (ofMain: readonly ProjectSummary[], ofWork: readonly ProjectSummary[]): MergedFolders => {
    const sessions = new MergedFolders();
    sessions.apply(update(ofMain, { configDir: main }));
    sessions.apply(update(ofWork, { configDir: work }));
    return sessions;
  };

  it('never drop the sessions of another folder', () => {
    const sessions = both([projectOf(main, 'a', 2)], [projectOf(work, 'b', 1)]);
    assert.deepEqual(foldersOf(sessions), ['/c/projects/a', '/w/projects/b']);
    sessions.apply(update([], { configDir: work }));
    assert.deepEqual(foldersOf(sessions), ['/c/projects/a']);
  });

  it('put a project of the window beside its namesake, and the others by their latest activity', () => {
    const sessions = both(
      [
        projectOf(main, 'one', 1, { inWorkspace: true }),
        projectOf(main, 'two', 1, { inWorkspace: true }),
        projectOf(main, 'old', 1),
      ],
      [projectOf(work, 'one', 9, { inWorkspace: true }), projectOf(work, 'new', 5)],
    );
    assert.deepEqual(foldersOf(sessions), [
      '/c/projects/one',
      '/w/projects/one',
      '/c/projects/two',
      '/w/projects/new',
      '/c/projects/old',
    ]);
  });

  it('leave the snapshot the same object until one changes', () => {
    const sessions = both([projectOf(main, 'a', 2)], [projectOf(work, 'b', 1)]);
    const before = sessions.of([main, work]);
    assert.equal(sessions.of([main, work]), before);
    sessions.apply(update([], { configDir: work, isReset: false, order: null, revision: 9 }));
    assert.equal(sessions.of([main, work]).projects, before.projects);
    assert.equal(sessions.of([main, work]).revision, 9);
  });

  it('show nothing of a folder that is not configured any more', () => {
    const sessions = both([projectOf(main, 'a', 2)], [projectOf(work, 'b', 1)]);
    assert.deepEqual(
      sessions.of([main]).projects.map(({ folder }) => folder),
      ['/c/projects/a'],
    );
  });

  it('add up their progress', () => {
    const sessions = both([projectOf(main, 'a', 2)], []);
    for (const configDir of [main, work]) {
      const phase = { kind: 'scanning', done: 1, total: 5 } as const;
      sessions.apply(update([], { configDir, isReset: false, order: null, phase }));
    }
    assert.deepEqual(sessions.of([main, work]).phase, { kind: 'scanning', done: 2, total: 10 });
  });
});
