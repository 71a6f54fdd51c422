import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { alarmText } from '../../../src/extension/alarms/alarmTexts';
import { AlarmTeller } from '../../../src/extension/alarms/alarmTeller';
import { sweepText } from '../../../src/extension/sessions/sweepText';
import type { Alarm, AlarmKey, ExpiringAlarm, UnsavedCause } from '../../../src/protocol/channels/alarms';
import { formats, t } from './fakes';

const NOW_MS = Date.UTC(2026, 11, 1, 12);
const DAY_MS = 86_400_000;
const REF = { provider: 'claude', id: 'a', path: '/c/projects/-src-app/a.jsonl' } as const;
const OTHER = { provider: 'claude', id: 'b', path: '/c/projects/-src-app/b.jsonl' } as const;

const key = (id: string, topic = id, pauseMs = 0): AlarmKey => ({ id, topic, pauseMs });

function unsaved(cause: UnsavedCause, isOfWindow = true, id = cause as string): Alarm {
  return { kind: 'unsaved', keys: [key(id)], isOfWindow, cause, session: REF, pid: 4, cwd: '/home/p/app' };
}

const EXPIRING: ExpiringAlarm = {
  kind: 'expiring',
  keys: [key('1', 'expiring', DAY_MS), key('2', 'expiring', DAY_MS)],
  isOfWindow: true,
  sessions: [
    { ...REF, alarmId: '1', sweptMs: NOW_MS + 2 * DAY_MS },
    { ...OTHER, alarmId: '2', sweptMs: NOW_MS + 3 * DAY_MS },
  ],
  period: { days: 5, settingsPath: '/home/p/app/.claude/settings.json' },
};

const deps = { titleOf: () => 'Mend it', homeDir: '/home/p', formats, t, now: () => NOW_MS };

describe('The text of an alarm', () => {
  it('says for each cause which session is not saved, and to export it now', () => {
    const causes: readonly UnsavedCause[] = ['full-disk', 'read-only', 'deleted', 'inherited', 'unknown'];
    const texts = causes.map((cause) => alarmText(unsaved(cause), deps));
    for (const text of texts) assert.match(text, /“Mend it”.* \/export in /su);
    assert.equal(new Set(texts).size, causes.length);
  });

  it('names the folder of a session that has no title', () => {
    assert.match(alarmText(unsaved('inherited'), { ...deps, titleOf: () => null }), /the session in ~\/app:/);
  });

  it('says when sessions will be deleted, and by which setting', () => {
    assert.match(
      alarmText(EXPIRING, deps),
      /^Claude Code will delete 2 sessions .* the first on Dec 3, 2026 \(cleanupPeriodDays: 5 in ~\/app\/\.claude\/settings\.json\)\. A new message/,
    );
    const one = { ...EXPIRING, sessions: EXPIRING.sessions.slice(0, 1), period: { days: 30, settingsPath: null } };
    assert.match(alarmText(one, deps), /delete “Mend it” on Dec 3, 2026 \(cleanupPeriodDays: 30 by default\)\./);
    const due = { ...one, sessions: [{ ...REF, alarmId: '1', sweptMs: NOW_MS - 1 }] };
    assert.match(alarmText(due, deps), /delete “Mend it” when it next cleans up/);
  });

  it('says which project shortens the period of all, and which processes write to one session', () => {
    const short: Alarm = {
      kind: 'short-retention',
      keys: [key('s')],
      isOfWindow: false,
      folder: '/home/p/app',
      period: EXPIRING.period,
      ownDays: 365,
    };
    assert.match(alarmText(short, deps), /~\/app, .*cleanupPeriodDays: 5 in .*365 days/);
    const writers: Alarm = {
      kind: 'two-writers',
      keys: [key('w')],
      isOfWindow: true,
      session: REF,
      pids: [4, 7],
      cwd: null,
    };
    assert.match(alarmText(writers, deps), /“Mend it” in several places at once \(processes 4, 7\)/);
  });
});

describe('A window', () => {
  const tellers: AlarmTeller[] = [];
  afterEach(() => {
    for (const teller of tellers.splice(0)) teller.dispose();
  });

  /** A window beside others: `told` is what they have told already. */
  function openWindow(told = new Set<string>()) {
    const shown: Alarm[] = [];
    const claimed: string[] = [];
    const teller = new AlarmTeller({
      claim: (keys) => {
        const mine = keys.map(({ id }) => id).filter((id) => !told.has(id));
        for (const id of mine) told.add(id);
        claimed.push(...keys.map(({ id }) => id));
        return Promise.resolve(mine);
      },
      tell: (alarm) => shown.push(alarm),
      log: (message) => assert.fail(message),
      now: () => NOW_MS,
    });
    tellers.push(teller);
    return { teller, shown, claimed };
  }

  it('tells an alarm of its folders once, however often it is sent', async () => {
    const { teller, shown } = openWindow();
    for (let revision = 1; revision < 4; revision++)
      teller.update({ revision, alarms: [unsaved('deleted')], expiring: [] });
    await turn();
    assert.equal(shown.length, 1);
  });

  it('does not tell what another window has told', async () => {
    const told = new Set<string>();
    const windows = [openWindow(told), openWindow(told)];
    for (const { teller } of windows) teller.update({ revision: 1, alarms: [unsaved('deleted')], expiring: [] });
    await turn();
    assert.equal(windows.flatMap(({ shown }) => shown).length, 1);
  });

  it('leaves an alarm of other folders to their window at first', async () => {
    const { teller, claimed } = openWindow();
    teller.update({ revision: 1, alarms: [unsaved('deleted', false)], expiring: [] });
    await turn();
    assert.deepEqual(claimed, []);
  });

  it('tells in one message of all sessions that will be deleted, without those that it told of before', async () => {
    const { teller, shown } = openWindow(new Set(['1']));
    teller.update({ revision: 1, alarms: [EXPIRING], expiring: [] });
    await turn();
    assert.deepEqual(
      shown.flatMap((alarm) => (alarm.kind === 'expiring' ? alarm.sessions.map(({ id }) => id) : [])),
      ['b'],
    );
  });
});

describe('The tooltip line about the clean-up', () => {
  it('says when a session would be deleted, and why', () => {
    const text = (sweptMs: number, settingsPath: string | null = null): string =>
      sweepText({ sweptMs, period: { days: 5, settingsPath } }, NOW_MS, '/home/p', formats, t);
    assert.equal(
      text(NOW_MS + 2 * DAY_MS, '/home/p/app/.claude/settings.json'),
      'Claude Code would delete it on Dec 3, 2026 (cleanupPeriodDays: 5)',
    );
    assert.equal(text(NOW_MS - 1), 'Claude Code would delete it at its next cleanup (cleanupPeriodDays: 5)');
    assert.equal(
      sweepText({ sweptMs: NOW_MS + 2 * DAY_MS, period: null }, NOW_MS, '/home/p', formats, t),
      'Claude Code would delete it on Dec 3, 2026',
    );
  });
});
