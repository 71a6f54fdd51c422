import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  type AssembledUpdate,
  SessionEntries,
  type SessionEntry,
  type SessionsState,
  UpdateAssembler,
} from '../../rooms/sessions';
import { MergedSessions } from '../../../src/extension/sessions/mergedSessions';
import type { SessionHealth, SessionsSnapshot } from '../../../src/protocol/channels/sessions';
import { type Finding, WRONG_LEAF } from '../../../src/protocol/repair';
import { CONFIG_DIR, finding, type ScanChange, scanOf, stampOf, transcript } from './fakes';
import { FAKE_PROVIDER, NOT_RUNNING } from '../../support/fakeProvider';

const IDLE: SessionsState = {
  phase: { kind: 'idle' },
  problem: null,
  isFolderMissing: false,
  activityOf: () => null,
  workspaceFolders: [],
  capabilities: FAKE_PROVIDER.capabilities,
};

function entry(project: string, sessionId: string, change: ScanChange | null, extra: Partial<SessionEntry> = {}) {
  const found = transcript(project, sessionId);
  const scan = change === null ? null : scanOf(found, change);
  return {
    found,
    stamp: stampOf(500),
    scan,
    quickMetadata: null,
    isOutdated: scan === null,
    hasBackup: false,
    ...extra,
  };
}

/** Session entries, and an extension that receives their updates. */
class Receiver {
  readonly merged = new MergedSessions();
  readonly entries = new SessionEntries((filePath, folder) => {
    this.assembler.touch(filePath, folder);
  });
  readonly assembler: UpdateAssembler;
  /** Number of sessions in each update. */
  readonly sizes: number[] = [];

  constructor(entries: readonly SessionEntry[] = [], maxSessions?: number) {
    this.assembler = new UpdateAssembler(this.entries, '/home/person', maxSessions);
    for (const each of entries) this.entries.set(each);
  }

  receiveNext(change: Partial<SessionsState> = {}): AssembledUpdate {
    const next = this.assembler.next({ ...IDLE, ...change });
    this.sizes.push(next.update.projects.reduce((sum, project) => sum + project.sessions.length, 0));
    this.merged.apply({ revision: this.sizes.length, configDir: CONFIG_DIR, ...next.update });
    return next;
  }

  receive(change: Partial<SessionsState> = {}): SessionsSnapshot {
    while (this.receiveNext(change).hasMore);
    return this.merged.of(CONFIG_DIR);
  }
}

const assemble = (entries: readonly SessionEntry[], change: Partial<SessionsState> = {}): SessionsSnapshot =>
  new Receiver(entries).receive(change);
const folder = (path: string, projectName: string) => ({ path, realPath: path, projectName });
const projectNames = ({ projects }: SessionsSnapshot) => projects.map((project) => project.folder.split('/').at(-1));

describe('The session updates sent to the extension', () => {
  it('put workspace projects first in window order, and the others by their last message', () => {
    const snapshot = assemble(
      [
        entry('-late', 'a', { metadata: { lastMessageMs: 9000 } }),
        entry('-early', 'b', { metadata: { lastMessageMs: 10 } }),
        entry('-src-two', 'c', { metadata: { lastMessageMs: 1 } }),
        entry('-src-one', 'd', { metadata: { lastMessageMs: 5 } }),
      ],
      { workspaceFolders: [folder('/src/two', '-src-two'), folder('/src/one', '-src-one')] },
    );
    assert.deepEqual(
      snapshot.projects.map((project) => [project.folder.split('/').at(-1), project.inWorkspace]),
      [
        ['-src-two', true],
        ['-src-one', true],
        ['-late', false],
        ['-early', false],
      ],
    );
  });

  it('put the session with the latest message first, whatever the file times are', () => {
    const snapshot = assemble([
      entry('-p', 'old', { metadata: { lastMessageMs: 10 } }, { stamp: stampOf(9_999_999) }),
      entry('-p', 'new', { metadata: { lastMessageMs: 20 } }, { stamp: stampOf(1) }),
      entry('-p', 'silent', { metadata: { lastMessageMs: null } }),
    ]);
    assert.deepEqual(
      snapshot.projects[0]?.sessions.map((session) => session.id),
      ['new', 'old', 'silent'],
    );
  });

  it('sort an unscanned session by its file time, without showing it as the last message', () => {
    const snapshot = assemble([
      entry('-p', 'scanned', { metadata: { lastMessageMs: 100 } }),
      entry('-p', 'waiting', null, { stamp: stampOf(200) }),
    ]);
    const [first] = snapshot.projects[0]?.sessions ?? [];
    assert.equal(first?.id, 'waiting');
    assert.equal(first.lastMessageMs, null);
    assert.equal(first.loads, null);
  });

  const healths: [string, ScanChange | null, boolean, SessionHealth][] = [
    ['not scanned', null, false, 'unscanned'],
    ['healthy', {}, false, 'healthy'],
    ['healthy with a backup beside it', {}, true, 'repaired'],
    ['corrupted', { result: { status: 'corrupted', findings: [finding()] } }, false, 'corrupted'],
    ['corrupted again after a repair', { result: { status: 'corrupted', findings: [finding()] } }, true, 'corrupted'],
    ['without a message', { result: { messageCount: 0 } }, false, 'empty'],
    ['unreadable', { result: { status: 'unreadable' } }, false, 'unreadable'],
  ];
  for (const [what, change, hasBackup, expected] of healths) {
    it(`call a session that is ${what} ${expected}`, () => {
      const snapshot = assemble([entry('-p', 's', change, { hasBackup })]);
      assert.equal(snapshot.projects[0]?.sessions[0]?.health, expected);
    });
  }

  it('count only errors, and state whether one of the findings can be fixed', () => {
    const findings = [finding({ severity: 'info', action: 'tell' }), finding({ action: 'tell' }), finding()];
    const snapshot = assemble([entry('-p', 's', { result: { status: 'corrupted', findings } })]);
    const session = snapshot.projects[0]?.sessions[0];
    assert.equal(session?.errorCount, 2);
    assert.equal(session.isRepairable, true);
  });

  it('call a session lost of which nothing loads, unless a repair or a choice brings it back', () => {
    const resume = { loads: 0, of: 4, leafUuid: null, missingLines: [], client: '2.1.330', isExact: true };
    const stateWith = (change: Partial<Finding>): string | undefined => {
      const findings = [finding({ action: 'tell', ...change })];
      const snapshot = assemble([entry('-p', 's', { result: { status: 'corrupted', findings, resume } })]);
      return snapshot.projects[0]?.sessions[0]?.activity?.state;
    };
    assert.equal(stateWith({}), 'unrecoverable');
    assert.equal(stateWith({ action: 'auto' }), undefined);
    assert.equal(stateWith({ code: WRONG_LEAF, action: 'ask', offer: { kind: 'fork-newest', line: 4 } }), undefined);
  });

  it('show which sessions run', () => {
    const snapshot = assemble([entry('-p', 's', {})], {
      activityOf: () => ({ live: 'live', activity: { ...NOT_RUNNING, state: 'busy' }, call: 'Bash: ls' }),
    });
    const { live, activity, doing } = snapshot.projects[0]?.sessions[0] ?? {};
    assert.deepEqual([live, activity?.state, doing], ['live', 'busy', 'Bash: ls']);
  });

  it('name the directory that the project folder is called after, even if a session was resumed elsewhere', () => {
    const snapshot = assemble([
      entry('-src-app', 'resumed', { metadata: { cwd: '/elsewhere', lastMessageMs: 20 } }),
      entry('-src-app', 'original', { metadata: { cwd: '/src/app', lastMessageMs: 10 } }),
    ]);
    assert.equal(snapshot.projects[0]?.cwd, '/src/app');
  });

  it('use the quick metadata until the scan', () => {
    const quickMetadata = { title: 'Mend the login form', cwd: '/src/app', lastMessageMs: 300 };
    const snapshot = assemble([
      entry('-p', 'scanned', { metadata: { lastMessageMs: 200 } }),
      entry('-p', 'waiting', null, { quickMetadata, stamp: stampOf(100) }),
    ]);
    const [project] = snapshot.projects;
    const [first] = project?.sessions ?? [];
    assert.equal(project?.cwd, '/src/app');
    assert.deepEqual([first?.id, first?.title, first?.lastMessageMs], ['waiting', 'Mend the login form', 300]);
    assert.equal(first?.health, 'unscanned');
    const scanned = assemble([entry('-p', 's', {}, { quickMetadata })]);
    assert.equal(scanned.projects[0]?.sessions[0]?.title, 'Title of s');
  });

  it('know the directory of a workspace project before any scan', () => {
    const snapshot = assemble([entry('-src-app', 's', null)], { workspaceFolders: [folder('/src/app', '-src-app')] });
    assert.equal(snapshot.projects[0]?.cwd, '/src/app');
    assert.equal(snapshot.projects[0].inWorkspace, true);
  });

  it('arrive in parts, with what the person sees first, and end with the idle phase', () => {
    const many = (project: string, count: number) =>
      Array.from({ length: count }, (_, at) => entry(project, `${project}${at}`, {}));
    const receiver = new Receiver([...many('-big', 950), ...many('-src-app', 30)]);
    const workspaceFolders = [folder('/src/app', '-src-app')];
    const phase = { kind: 'scanning', done: 1, total: 2 } as const;
    const first = receiver.receiveNext({ workspaceFolders, phase });
    assert.ok(first.hasMore);
    assert.deepEqual(first.update.projects[0]?.sessions.length, 30);
    assert.deepEqual(first.update.phase, { kind: 'idle' });
    const snapshot = receiver.receive({ workspaceFolders, phase });
    assert.deepEqual(
      snapshot.projects.map((project) => project.sessions.length),
      [30, 950],
    );
    assert.deepEqual(snapshot.phase, phase);
    assert.ok(receiver.sizes.length > 1);
    assert.ok(Math.max(...receiver.sizes) <= 500);
  });

  it('include changes to a project that is being sent', () => {
    const many = Array.from({ length: 950 }, (_, at) => entry('-p', `s${at}`, {}));
    const receiver = new Receiver(many);
    assert.ok(receiver.receiveNext().hasMore);
    receiver.entries.set(entry('-p', 's0', { metadata: { cwd: '/src/app', lastMessageMs: 9_000_000 } }));
    receiver.entries.set(entry('-q', 'other', { metadata: { lastMessageMs: 8_000_000 } }));
    const snapshot = receiver.receive();
    assert.deepEqual(projectNames(snapshot), ['-p', '-q']);
    assert.equal(snapshot.projects[0]?.cwd, '/src/app');
  });

  it('send nothing twice', () => {
    const receiver = new Receiver([entry('-p', 'a', {}), entry('-q', 'b', {})]);
    receiver.receive();
    receiver.receive();
    assert.deepEqual(receiver.sizes, [2, 0]);
    receiver.entries.set(entry('-p', 'a', { result: { status: 'corrupted' } }));
    receiver.receive();
    assert.deepEqual(receiver.sizes, [2, 0, 1]);
  });

  it('follow the folders of the window', () => {
    const receiver = new Receiver([entry('-one', 'a', {}), entry('-src-app', 'b', {}, { stamp: stampOf(1) })]);
    receiver.receive();
    receiver.assembler.touchProjects();
    const snapshot = receiver.receive({ workspaceFolders: [folder('/src/app', '-src-app')] });
    assert.deepEqual(projectNames(snapshot), ['-src-app', '-one']);
    assert.deepEqual(
      snapshot.projects.map((project) => project.inWorkspace),
      [true, false],
    );
  });

  it('add up to a single update with the same sessions, whatever the changes', () => {
    const change = fc.record({
      project: fc.constantFrom('-a', '-b', '-src-app'),
      session: fc.constantFrom('1', '2', '3', '4'),
      isGone: fc.boolean(),
      lastMessageMs: fc.integer({ min: 0, max: 5 }),
      cwd: fc.constantFrom(null, '/a', '/src/app', '/src/app/inside'),
      isReceived: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), fc.integer({ min: 1, max: 4 }), (changes, maxSessions) => {
        const receiver = new Receiver([], maxSessions);
        const state = { workspaceFolders: [folder('/src/app', '-src-app')] };
        for (const { project, session, isGone, lastMessageMs, cwd, isReceived } of changes) {
          const next = entry(project, session, { metadata: { lastMessageMs, cwd } });
          if (isGone) receiver.entries.delete(next.found.path);
          else receiver.entries.set(next);
          if (isReceived) receiver.receiveNext(state);
        }
        const { projects } = receiver.receive(state);
        assert.deepEqual(projects, assemble([...receiver.entries.values()], state).projects);
      }),
    );
  });
});
