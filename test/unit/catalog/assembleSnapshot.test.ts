import assert from 'node:assert/strict';
import type { BoardState } from '../../../src/core/catalog/assembleSnapshot';
import { assembleSnapshot } from '../../../src/core/catalog/assembleSnapshot';
import type { CatalogEntry } from '../../../src/core/catalog/catalogEntry';
import type { SessionHealth } from '../../../src/shared/api/worker';
import type { ScanChange } from './fakes';
import { finding, scanOf, stampOf, transcript } from './fakes';

function entry(project: string, sessionId: string, change: ScanChange | null, extra: Partial<CatalogEntry> = {}) {
  const found = transcript(project, sessionId);
  const scan = change === null ? null : scanOf(found, change);
  return { found, stamp: stampOf(500), scan, scanNumber: 1, hasBackup: false, ...extra };
}

function assemble(entries: readonly CatalogEntry[], change: Partial<BoardState> = {}) {
  return assembleSnapshot({
    revision: 1,
    phase: { kind: 'idle' },
    problem: null,
    isFolderMissing: false,
    entries,
    live: new Map(),
    workspaceFolders: [],
    homeDir: '/home/person',
    ...change,
  });
}

const folder = (path: string, projectName: string) => ({ path, realPath: path, projectName });

describe('a snapshot of the sessions', () => {
  it('puts workspace projects first in window order, and the others by their last message', () => {
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

  it('puts the session with the latest message first, whatever the files’ times say', () => {
    const snapshot = assemble([
      entry('-p', 'old', { metadata: { lastMessageMs: 10 } }, { stamp: stampOf(9_999_999) }),
      entry('-p', 'new', { metadata: { lastMessageMs: 20 } }, { stamp: stampOf(1) }),
      entry('-p', 'silent', { metadata: { lastMessageMs: null } }),
    ]);
    assert.deepEqual(
      snapshot.projects[0]?.sessions.map((session) => session.sessionId),
      ['new', 'old', 'silent'],
    );
  });

  it('lets the file’s time stand in for the last message until the scan, without showing it', () => {
    const snapshot = assemble([
      entry('-p', 'scanned', { metadata: { lastMessageMs: 100 } }),
      entry('-p', 'waiting', null, { stamp: stampOf(200) }),
    ]);
    const [first] = snapshot.projects[0]?.sessions ?? [];
    assert.equal(first?.sessionId, 'waiting');
    assert.equal(first.lastMessageMs, null);
    assert.equal(first.loads, null);
  });

  const healths: [string, ScanChange | null, boolean, SessionHealth][] = [
    ['not scanned', null, false, 'unscanned'],
    ['healthy', {}, false, 'healthy'],
    ['healthy with a backup beside it', {}, true, 'repaired'],
    ['corrupted', { result: { status: 'corrupted', findings: [finding()] } }, false, 'corrupted'],
    ['corrupted again after a repair', { result: { status: 'corrupted', findings: [finding()] } }, true, 'corrupted'],
    ['without a message', { result: { messageCount: 0 } }, false, 'ghost'],
    ['unreadable', { result: { status: 'unreadable' } }, false, 'unreadable'],
  ];
  for (const [what, change, hasBackup, expected] of healths) {
    it(`calls a session that is ${what} ${expected}`, () => {
      const snapshot = assemble([entry('-p', 's', change, { hasBackup })]);
      assert.equal(snapshot.projects[0]?.sessions[0]?.health, expected);
    });
  }

  it('counts errors alone, and says whether one of the findings can be mended', () => {
    const findings = [finding({ severity: 'info', action: 'tell' }), finding({ action: 'tell' }), finding()];
    const snapshot = assemble([entry('-p', 's', { result: { status: 'corrupted', findings } })]);
    const session = snapshot.projects[0]?.sessions[0];
    assert.equal(session?.errorCount, 2);
    assert.equal(session.isRepairable, true);
  });

  it('shows which sessions run', () => {
    const snapshot = assemble([entry('-p', 's', {})], { live: new Map([['s', 'waiting']]) });
    assert.equal(snapshot.projects[0]?.sessions[0]?.live, 'waiting');
  });

  it('names the directory that the project folder is called after, though a session was resumed elsewhere', () => {
    const snapshot = assemble([
      entry('-src-app', 'resumed', { metadata: { cwd: '/elsewhere', lastMessageMs: 20 } }),
      entry('-src-app', 'original', { metadata: { cwd: '/src/app', lastMessageMs: 10 } }),
    ]);
    assert.equal(snapshot.projects[0]?.cwd, '/src/app');
  });

  it('knows the directory of a workspace project before any scan', () => {
    const snapshot = assemble([entry('-src-app', 's', null)], { workspaceFolders: [folder('/src/app', '-src-app')] });
    assert.equal(snapshot.projects[0]?.cwd, '/src/app');
    assert.equal(snapshot.projects[0].inWorkspace, true);
  });
});
