import assert from 'node:assert/strict';
import { goneText, NewsWatch, withoutMoved } from '../../../src/extension/sessions/news';
import { ProjectNodes } from '../../../src/extension/sessions/projectNodes';
import {
  absenceText,
  runningAppearance,
  sessionContextValue,
  sessionIcon,
  struckThrough,
} from '../../../src/extension/sessions/sessionAppearance';
import { placeNow, runningSessions } from '../../../src/extension/sessions/sessionsState';
import { SESSION_STATES } from '../../../src/protocol/sessionActivity';
import { activity, formats, project, session, snapshot, t } from './fakes';

const NOW_MS = Date.UTC(2026, 5, 10);
const MINUTE_MS = 60_000;

function running(path: string, state: Parameters<typeof activity>[0], sinceMs = 0) {
  return session({ path, id: path, title: path, activity: activity(state, { sinceMs }) });
}

describe('The running sessions', () => {
  it('are listed by urgency: who waits longest, then what works, then the others', () => {
    const here = project([running('idle', 'idle', 9), running('works', 'busy', 5), running('ended', 'ended', 9)]);
    const there = project([running('waits', 'waiting-answer', 7), running('waits longer', 'waiting-approval', 3)]);
    const paths = runningSessions(snapshot([here, there])).map(({ session: { path } }) => path);
    assert.deepEqual(paths, ['waits longer', 'waits', 'works', 'idle']);
  });

  it('say what they do, since when, and where', () => {
    const busy = session({ title: 'Fix it', doing: 'Bash: npm test', activity: activity('busy') });
    const [found] = runningSessions(snapshot([project([busy], { cwd: '/src/app' })]));
    assert.ok(found !== undefined);
    const since = { ...found, activity: { ...found.activity, sinceMs: NOW_MS - 3 * MINUTE_MS } };
    const { label, description, accessibleLabel } = runningAppearance(since, NOW_MS, formats, t);
    assert.deepEqual([label, description], ['Fix it', '3m · Bash: npm test · app']);
    assert.equal(accessibleLabel, 'Fix it, working, Bash: npm test, 3 minutes ago, app');
  });

  it('form a group on top of the tree, and stand below their projects as well', () => {
    const nodes = new ProjectNodes();
    nodes.update(snapshot([project([running('a', 'ended')])]));
    assert.deepEqual(
      nodes.children().map(({ kind }) => kind),
      ['project'],
    );
    assert.deepEqual(nodes.update(snapshot([project([running('a', 'busy')])])), { kind: 'all' });
    const [group, below] = nodes.children();
    assert.ok(group?.kind === 'running' && below?.kind === 'project');
    assert.deepEqual([group.children.length, below.children().length], [1, 1]);
    const change = nodes.update(snapshot([project([running('a', 'waiting-answer')])]));
    assert.ok(change.kind === 'nodes' && change.nodes.some((node) => node === group.children[0]));
    assert.deepEqual(nodes.update(snapshot([project([running('a', 'ended')])])), { kind: 'all' });
  });

  it('have an icon for each state, unless they are broken', () => {
    const states = SESSION_STATES.filter((state) => state !== 'busy' && state !== 'ended');
    const icons = states.map((state) => sessionIcon({ health: 'healthy', activity: activity(state) }).id);
    assert.equal(new Set(icons).size, states.length);
    assert.equal(sessionIcon({ health: 'corrupted', activity: activity('busy') }).id, 'warning');
    assert.equal(sessionIcon({ health: 'empty', activity: activity('idle') }).id, 'circle-filled');
  });
});

describe('A session without a transcript', () => {
  it('offers no action that needs one', () => {
    assert.equal(sessionContextValue(session({ health: 'missing', isAbsent: true }), false), 'absent.missing');
    const expected = session({ health: 'empty', isAbsent: true, activity: activity('idle') });
    assert.equal(sessionContextValue(expected, false), 'absent.expected.live');
  });

  it('says that Claude Code still has the conversation, if it does', () => {
    const gone = { health: 'missing', isAbsent: true } as const;
    const running = absenceText(session({ ...gone, activity: activity('shell') }), t);
    assert.match(running, /Claude Code still runs the session and has the conversation: run \/export there now/);
    assert.match(absenceText(session(gone), t), /Restore the file from a backup of yours/);
  });

  it('is struck through, character by character', () => {
    assert.equal(struckThrough('a👩‍👩‍👧‍👦'), 'a\u0336👩‍👩‍👧‍👦\u0336');
    assert.equal(struckThrough('\u2068אב\u2069'), '\u2068א\u0336ב\u0336\u2069');
  });
});

describe('News about the sessions of the window', () => {
  const at = (state: Parameters<typeof activity>[0], sinceMs = 1) =>
    snapshot([project([running('a', state, sinceMs)], { inWorkspace: true })]);

  it('tells that one waits, and that a turn is over, once each', () => {
    const watch = new NewsWatch();
    const kinds = (['busy', 'waiting-approval', 'waiting-answer', 'busy', 'idle', 'idle'] as const).map((state) =>
      watch.update(at(state), true).map(({ kind }) => kind),
    );
    assert.deepEqual(kinds, [[], ['waits'], [], [], ['finished'], []]);
  });

  it('tells nothing of what was so when the window opened, nor of other folders', () => {
    assert.deepEqual(new NewsWatch().update(at('waiting-answer'), true), []);
    const watch = new NewsWatch();
    const elsewhere = (state: Parameters<typeof activity>[0]) =>
      snapshot([project([running('a', state)], { inWorkspace: false })]);
    watch.update(elsewhere('busy'), true);
    assert.deepEqual(watch.update(elsewhere('idle'), true), []);
  });

  it('has the same key in all windows, and another one for the next time', () => {
    const keys = [1, 1, 2].map((sinceMs) => {
      const watch = new NewsWatch();
      watch.update(at('busy'), true);
      return watch.update(at('waiting-answer', sinceMs), true)[0]?.key;
    });
    assert.equal(keys[0], keys[1]);
    assert.notEqual(keys[1], keys[2]);
  });

  it('tells that a transcript is gone', () => {
    const watch = new NewsWatch();
    watch.update(at('ended'), true);
    const gone = snapshot([project([{ ...running('a', 'missing'), health: 'missing' }], { inWorkspace: true })]);
    assert.deepEqual(
      watch.update(gone, true).map(({ kind }) => kind),
      ['gone'],
    );
    assert.deepEqual(watch.update(gone, true), []);
  });

  it('tells once of all transcripts that are gone, and of none that is at another place now', () => {
    const gone = (['a', 'b', 'c'] as const).map((id) => {
      const missing = { ...running(id, 'missing'), health: 'missing' as const, title: id };
      return { kind: 'gone' as const, session: missing, key: id };
    });
    const left = snapshot([
      project(gone.map((each) => each.session)),
      project([session({ path: '/new/b.jsonl', id: 'b' })]),
    ]);
    const told = withoutMoved(gone, left);
    assert.deepEqual(
      told.map(({ key }) => key),
      ['a', 'c'],
    );
    assert.match(goneText(told, formats, t), /^The transcripts of 2 sessions are gone\./);
    assert.match(goneText(told.slice(0, 1), formats, t), /^The transcript of “a” is gone\./);
  });
});

describe('A transcript that is opened', () => {
  const at = (...paths: readonly string[]) => snapshot(paths.map((path) => project([session({ path, id: 'a' })])));

  it('is looked for where it is now if it was moved', () => {
    assert.equal(placeNow(at('/new/a.jsonl'), '/old/a.jsonl'), '/new/a.jsonl');
    assert.equal(placeNow(at('/old/a.jsonl'), '/old/a.jsonl'), '/old/a.jsonl');
  });

  it('is the one that was meant if there are several, or none is listed', () => {
    assert.equal(placeNow(at('/new/a.jsonl', '/old/a.jsonl'), '/old/a.jsonl'), '/old/a.jsonl');
    assert.equal(placeNow(at('/new/a.jsonl', '/other/a.jsonl'), '/old/a.jsonl'), '/old/a.jsonl');
    assert.equal(placeNow(at(), '/old/a.jsonl'), '/old/a.jsonl');
  });
});
