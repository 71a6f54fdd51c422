import assert from 'node:assert/strict';
import {
  corruptedSessions,
  existingConfigDirs,
  NO_SESSIONS,
  sessionsViewState,
} from '../../../src/extension/sessions/sessionsState';
import { attentionText, sessionsViewText } from '../../../src/extension/sessions/sessionsViewText';
import { NO_FILTER } from '../../../src/extension/sessions/sessionFilter';
import { formats, project, session, snapshot, t } from './fakes';

describe('The state of the Sessions view', () => {
  it('is starting until the first listing is finished', () => {
    assert.equal(sessionsViewState(NO_SESSIONS, null), 'starting');
    assert.equal(sessionsViewState(snapshot([], { phase: { kind: 'discovering' } }), null), 'starting');
  });
  it('distinguishes an empty folder from a missing one', () => {
    assert.equal(sessionsViewState(snapshot([]), null), 'empty');
    assert.equal(sessionsViewState(snapshot([], { isFolderMissing: true }), null), 'folderMissing');
  });
  it('is failed if nothing could be listed, and listed as long as there is something to show', () => {
    assert.equal(sessionsViewState(NO_SESSIONS, 'worker-gave-up'), 'failed');
    assert.equal(sessionsViewState(snapshot([], { problem: 'EACCES' }), null), 'failed');
    assert.equal(sessionsViewState(snapshot([project([session()])], { problem: 'EACCES' }), null), 'listed');
  });
});

describe('The config folders that are offered', () => {
  it('are those that are there, and the main one in any case, which Claude Code creates', () => {
    const extraProblems = [
      { configDir: '/gone', problem: null },
      { configDir: '/unreadable', problem: 'EACCES' },
    ];
    const listed = snapshot([], { extraProblems, isFolderMissing: true });
    assert.deepEqual(existingConfigDirs(['/main', '/gone', '/unreadable', '/work'], listed), [
      '/main',
      '/unreadable',
      '/work',
    ]);
    assert.deepEqual(existingConfigDirs(['/main', '/work'], snapshot([])), ['/main', '/work']);
  });
});

describe('The message of the Sessions view', () => {
  const base = {
    ...{ problem: null, isScanning: false, configDir: '/home/person/.claude', homeDir: '/home/person' },
    ...{ remoteMachine: null, filter: NO_FILTER, shown: null, total: 1, ignoredConfigDirs: [] },
  };

  it('is empty when all is well', () => {
    const text = sessionsViewText({ ...base, snapshot: snapshot([project([session()])]) }, formats, t);
    assert.deepEqual(text, { description: '', message: '' });
  });
  it('shows the progress of a scan that the person requested', () => {
    const phase = { kind: 'scanning', done: 12, total: 1480 } as const;
    const text = sessionsViewText({ ...base, isScanning: true, snapshot: snapshot([], { phase }) }, formats, t);
    assert.equal(text.description, 'scanning 12 of 1,480');
    assert.equal(sessionsViewText({ ...base, snapshot: snapshot([], { phase }) }, formats, t).description, '');
  });
  it('names the other machine that was looked at if it has no sessions', () => {
    const remote = { ...base, remoteMachine: 'build-box' };
    assert.equal(sessionsViewText({ ...remote, snapshot: snapshot([]) }, formats, t).description, 'on build-box');
    const listed = snapshot([project([session()])]);
    assert.equal(sessionsViewText({ ...remote, snapshot: listed }, formats, t).description, '');
  });
  it('explains why nothing could be listed', () => {
    const { message } = sessionsViewText({ ...base, snapshot: snapshot([], { problem: 'EACCES.' }) }, formats, t);
    assert.match(message, /could not be listed.*EACCES/);
    const listed = snapshot([project([session()])]);
    const failing = sessionsViewText({ ...base, snapshot: listed, problem: 'worker-gave-up' }, formats, t);
    assert.match(failing.message, /keeps failing/);
  });
  it('names the entries of the setting for further config folders that are ignored', () => {
    const input = { ...base, ignoredConfigDirs: ['work', './x'], snapshot: snapshot([project([session()])]) };
    const { message } = sessionsViewText(input, formats, t);
    assert.match(message, /“rethread.extraConfigDirs”.* not absolute paths: work, \.\/x\.$/u);
  });
  it('is empty for a worker that gave up before it listed anything, as it would hide the welcome text', () => {
    const failing = sessionsViewText({ ...base, snapshot: NO_SESSIONS, problem: 'worker-gave-up' }, formats, t);
    assert.equal(failing.message, '');
  });
  it('is empty for a setting without a folder, as it would hide the welcome text', () => {
    const input = { ...base, snapshot: NO_SESSIONS, problem: 'invalid-config-dir' } as const;
    assert.equal(sessionsViewText(input, formats, t).message, '');
    assert.equal(sessionsViewState(NO_SESSIONS, 'invalid-config-dir'), 'invalidConfigDir');
  });
});

describe('The badge', () => {
  const mine = project([session({ health: 'corrupted', title: 'Mine' }), session()]);
  const other = project([session({ health: 'corrupted', title: 'Other' })], { inWorkspace: false });

  it('counts the broken sessions of the window’s folders', () => {
    const titles = corruptedSessions(snapshot([mine, other]), true).map((each) => each.title);
    assert.deepEqual(titles, ['Mine']);
  });
  it('counts all of them if no folder is open', () => {
    assert.equal(corruptedSessions(snapshot([mine, other]), false).length, 2);
  });
  it('is absent if no session is broken', () => {
    assert.equal(attentionText({ waiting: [], broken: [] }, true, formats, t), null);
  });
  it('names the sessions that it counts, up to ten', () => {
    const broken = Array.from({ length: 12 }, (_, at) => session({ title: `Session ${at}` }));
    const text = attentionText({ waiting: [], broken }, true, formats, t);
    assert.equal(text?.count, 12);
    assert.equal(text.short, '12 broken');
    assert.equal(text.summary, '12 Claude Code sessions of this window are broken');
    assert.deepEqual([text.lines.length, text.lines[0], text.lines[10]], [11, 'Session 0', 'and 2 more']);
  });
  it('counts those that wait as well, and names them first', () => {
    const [waiting, broken] = [[session({ title: 'Waits' })], [session({ title: 'Broken' })]];
    const text = attentionText({ waiting, broken }, false, formats, t);
    assert.deepEqual(
      [text?.count, text?.short, text?.summary, text?.lines],
      [2, '1 broken, 1 waiting', '1 waits for you. 1 Claude Code session is broken', ['Waits', 'Broken']],
    );
  });
});
