import assert from 'node:assert/strict';
import { projectAppearance, ProjectNodes, refreshes } from '../../../src/extension/sessions/projectNodes';
import { sessionAppearance, sessionContextValue, sessionIcon } from '../../../src/extension/sessions/sessionAppearance';
import { fitToSideBar } from '../../../src/extension/sessions/fitToSideBar';
import { NARROW_SIDE_BAR } from '../../../src/extension/sessions/sideBarWidth';
import type { ProjectNode } from '../../../src/extension/sessions/treeNode';
import { activity, formats, project, session, snapshot, t } from './fakes';

const NOW_MS = Date.UTC(2026, 5, 10);
const HOUR_MS = 3_600_000;
const look = (change: Parameters<typeof session>[0]) => sessionAppearance(session(change), NOW_MS, formats, t);

describe('A session in the tree', () => {
  it('shows its title and the time of its last message', () => {
    const { label, description } = look({ lastMessageMs: NOW_MS - 2 * HOUR_MS });
    assert.deepEqual([label, description], ['Mend the login form', '2h']);
  });
  it('shows an age of months in weeks, because an m stands for minutes', () => {
    assert.equal(look({ lastMessageMs: NOW_MS - 40 * 24 * HOUR_MS }).description, '5w');
    assert.equal(look({ lastMessageMs: NOW_MS - HOUR_MS / 2 }).description, '30m');
  });
  it('shows by how much it is large in place of its age, in a list that is sorted by that', () => {
    const old = session({ lastMessageMs: NOW_MS - 2 * HOUR_MS, health: 'corrupted' });
    const large = (unit: 'bytes' | 'tokens', count: number) =>
      sessionAppearance(old, NOW_MS, formats, t, { amount: { unit, count } });
    assert.equal(large('bytes', 1_200_000).description, '1.2 MB · broken');
    assert.equal(large('tokens', 84_000).description, '84K tokens · broken');
    assert.equal(large('tokens', 84_000).accessibleLabel, 'Mend the login form, broken, 84K tokens, 2 hours ago');
    const title = (count: number) => fitToSideBar(large('tokens', count), 0, NARROW_SIDE_BAR);
    assert.deepEqual(title(84_000), { label: 'Mend the log…', description: '84K' });
    assert.equal(sessionAppearance(old, NOW_MS, formats, t, { amount: null }).description, '2h · broken');
  });
  it('can leave out its project, then what it does and that it is pinned, before it leaves out that it is broken', () => {
    const busy = session({ health: 'corrupted', activity: activity('busy'), lastMessageMs: NOW_MS - HOUR_MS });
    const { description, shorter } = sessionAppearance(busy, NOW_MS, formats, t, { isPinned: true, place: 'station' });
    assert.equal(description, '1h · pinned · broken · working · station');
    assert.deepEqual(shorter, ['1h · pinned · broken · working', '1h · pinned · broken', '1h · broken']);
    const old = session({ health: 'corrupted', lastMessageMs: NOW_MS - HOUR_MS });
    const large = sessionAppearance(old, NOW_MS, formats, t, {
      place: 'app',
      amount: { unit: 'tokens', count: 84_000 },
    });
    assert.deepEqual(large.shorter, ['84K tokens · broken', '84K · broken']);
  });
  it('says in a word after its age that a session is broken, so that the age stays in sight', () => {
    const change = { health: 'corrupted', loads: 9, of: 1028, lastMessageMs: NOW_MS - 30 * HOUR_MS } as const;
    assert.equal(look(change).description, '1d · broken');
  });
  it('shows how many warnings a healthy session has', () => {
    assert.equal(look({ health: 'healthy', warningCount: 1 }).description, '1 warning');
    assert.equal(look({ health: 'repaired', warningCount: 2 }).description, '2 warnings');
    assert.match(look({ health: 'healthy', warningCount: 1 }).accessibleLabel, /, healthy, 1 warning/);
  });
  it('shows that it is broken rather than that it is running', () => {
    assert.equal(sessionIcon({ health: 'corrupted', activity: activity('busy') }).id, 'warning');
    assert.equal(sessionIcon({ health: 'healthy', activity: activity('busy') }).id, 'loading~spin');
    assert.equal(look({ health: 'corrupted', loads: 1, activity: activity('busy') }).description, 'broken · working');
  });
  it('has a separate icon for each health', () => {
    const healths = ['unscanned', 'healthy', 'corrupted', 'repaired', 'unreadable', 'empty', 'missing'] as const;
    assert.equal(new Set(healths.map((health) => sessionIcon({ health, activity: null }).id)).size, healths.length);
  });
  it('shows the start of its id if it has no title', () => {
    assert.equal(look({ title: null }).label, 'Session 44444444');
    assert.equal(look({ title: ' \n ' }).label, 'Session 44444444');
  });
  it('shortens a long title to one line, without cutting a character apart', () => {
    const { label } = look({ title: `one\ntwo\t${'👩‍👩‍👧‍👦'.repeat(80)}` });
    assert.ok(label.startsWith('one two 👩‍👩‍👧‍👦'));
    assert.ok(label.endsWith('👩‍👩‍👧‍👦…'));
    assert.equal(Array.from(new Intl.Segmenter().segment(label)).length, 60);
  });
  it('describes its icon to screen readers', () => {
    const change = { health: 'corrupted', loads: 9, activity: activity('idle'), lastMessageMs: NOW_MS } as const;
    assert.equal(look(change).accessibleLabel, 'Mend the login form, broken, idle, just now');
    assert.equal(look({ health: 'empty' }).accessibleLabel, 'Mend the login form, no messages');
    const gone = look({ health: 'missing', isAbsent: true, activity: activity('missing') });
    assert.equal(gone.accessibleLabel, 'Mend the login form, transcript is gone');
  });
  it('tells a fork from its original by its icon, and says so to screen readers', () => {
    const fork = look({ parentSessionId: 'x', health: 'healthy', lastMessageMs: NOW_MS });
    assert.deepEqual([fork.icon.id, fork.description], ['repo-forked', 'now']);
    assert.match(fork.accessibleLabel, /, fork, /);
    assert.equal(look({ parentSessionId: 'x', health: 'corrupted' }).icon.id, 'warning');
  });
  it('never shows a last message in the future', () => {
    assert.equal(look({ lastMessageMs: NOW_MS + HOUR_MS }).description, 'now');
  });
  it('provides context values for the menus', () => {
    assert.equal(sessionContextValue(session(), false), 'session.healthy');
    const change = { health: 'corrupted', isRepairable: true, activity: activity('idle'), hasBackup: true } as const;
    assert.equal(sessionContextValue(session(change), true), 'session.corrupted.repairable.live.rewound.backup');
  });
});

describe('A project in the tree', () => {
  const look = (cwd: string | null, sessions = [session()], configDir: string | null = null) =>
    projectAppearance(project(sessions, { cwd }), configDir, '/home/person', formats, t);

  it('shows its folder and the parent path', () => {
    const { label, description, tooltip } = look('/home/person/src/app');
    assert.deepEqual([label, description, tooltip], ['app', '~/src', '~/src/app\n1 session']);
  });
  it('counts its broken sessions, which may be collapsed in it', () => {
    const { description } = look('/src/app', [session({ health: 'corrupted' }), session()]);
    assert.equal(description, '1 broken · /src');
  });
  it('names the config folder of another account', () => {
    const { label, description, tooltip } = look('/home/person/src/app', [session()], '/home/person/.claude-work');
    assert.deepEqual([label, description], ['app', '~/src · ~/.claude-work']);
    assert.equal(tooltip, '~/src/app\nConfig folder: ~/.claude-work\n1 session');
  });
  it('does not decode the name of its folder', () => {
    assert.deepEqual([look(null).label, look(null).description], ['-src-app', '']);
  });
  it('shows the home folder and the root literally', () => {
    assert.deepEqual([look('/home/person').label, look('/home/person').description], ['~', '']);
    assert.deepEqual([look('/').label, look('/').description], ['/', '']);
  });
});

describe('A new snapshot', () => {
  const one = project([session()], { folder: '/one' });
  const two = project([session()], { folder: '/two' });
  const at = (name: string, change: Parameters<typeof session>[0] = {}) =>
    session({ path: `/p/${name}.jsonl`, ...change });
  const many = (count: number) => Array.from({ length: count }, (_, index) => at(String(index)));
  const projectOf = (nodes: ProjectNodes, index = 0): ProjectNode => {
    const node = nodes.children()[index];
    assert.ok(node?.kind === 'project');
    return node;
  };

  it('finds the item of a session, also in a project that was never expanded, and its parent', () => {
    const nodes = new ProjectNodes();
    const b = at('b');
    nodes.update(snapshot([one, project([at('a'), b], { folder: '/c/projects/-other' })]));
    const item = nodes.locate(b.path);
    assert.equal(item?.session, b);
    assert.equal(nodes.parentOf(item), projectOf(nodes, 1));
    assert.equal(nodes.parentOf(projectOf(nodes, 1)), null);
  });
  it('finds no item of a session that the list does not show', () => {
    const nodes = new ProjectNodes();
    const sessions = many(250);
    nodes.update(snapshot([project(sessions)]));
    assert.equal(nodes.locate(sessions[200]?.path ?? ''), null);
    assert.equal(nodes.locate('/c/projects/-p/of-nobody.jsonl'), null);
  });
  it('refreshes nothing when nothing changed', () => {
    const nodes = new ProjectNodes();
    nodes.update(snapshot([one, two]));
    assert.deepEqual(nodes.update(snapshot([one, two])), { kind: 'nodes', nodes: [] });
  });
  it('refreshes a project whose number of broken sessions changed', () => {
    const nodes = new ProjectNodes();
    nodes.update(snapshot([one, two]));
    const change = nodes.update(snapshot([one, { ...two, sessions: [session({ health: 'corrupted' })] }]));
    assert.deepEqual(change, { kind: 'nodes', nodes: [projectOf(nodes, 1)] });
    assert.equal(projectOf(nodes, 1).project.sessions[0]?.health, 'corrupted');
  });
  it('refreshes only the changed sessions if their order is unchanged', () => {
    const nodes = new ProjectNodes();
    const a = at('a');
    nodes.update(snapshot([project([a, at('b')])]));
    const [, b] = projectOf(nodes).children();
    const change = nodes.update(snapshot([project([a, at('b', { title: 'Another' })])]));
    assert.ok(b?.kind === 'session');
    assert.deepEqual(change, { kind: 'nodes', nodes: [b] });
    assert.equal(b.session.title, 'Another');
  });
  it('refreshes nothing of sessions that were never expanded', () => {
    const nodes = new ProjectNodes();
    nodes.update(snapshot([project([at('a')])]));
    assert.deepEqual(nodes.update(snapshot([project([at('a', { title: 'Another' })])])), { kind: 'nodes', nodes: [] });
  });
  it('refreshes what VS Code has the sessions of first, and folded projects for themselves', () => {
    const nodes = new ProjectNodes();
    nodes.update(snapshot([one, two]));
    projectOf(nodes, 1).children();
    const without = (each: typeof one) => ({ ...each, sessions: [] });
    const change = nodes.update(snapshot([without(one), without(two)]));
    assert.deepEqual(refreshes(change), [[projectOf(nodes, 1)], [projectOf(nodes, 0)]]);
    assert.deepEqual(refreshes({ kind: 'nodes', nodes: [projectOf(nodes, 0)] }), [[projectOf(nodes, 0)]]);
    assert.deepEqual(refreshes({ kind: 'nodes', nodes: [] }), []);
    assert.deepEqual(refreshes({ kind: 'all' }), [undefined]);
  });
  it('refreshes the whole project when its sessions are added, removed or reordered', () => {
    const nodes = new ProjectNodes();
    nodes.update(snapshot([project([at('a'), at('b')])]));
    const node = projectOf(nodes);
    const [a, b] = node.children();
    assert.deepEqual(nodes.update(snapshot([project([at('b'), at('a')])])), { kind: 'nodes', nodes: [node] });
    assert.deepEqual(node.children(), [b, a]);
    assert.deepEqual(nodes.update(snapshot([project([at('b')])])), { kind: 'nodes', nodes: [node] });
    assert.deepEqual(node.children(), [b]);
  });
  it('refreshes everything when projects are added, removed or reordered', () => {
    const nodes = new ProjectNodes();
    assert.equal(nodes.update(snapshot([one])).kind, 'all');
    assert.equal(nodes.update(snapshot([one, two])).kind, 'all');
    assert.equal(nodes.update(snapshot([two, one])).kind, 'all');
    assert.equal(nodes.update(snapshot([two])).kind, 'all');
  });
  it('creates a different item for a project that joins the window, so that it expands', () => {
    const nodes = new ProjectNodes();
    nodes.update(snapshot([{ ...one, inWorkspace: false }]));
    const before = projectOf(nodes);
    assert.equal(nodes.update(snapshot([one])).kind, 'all');
    assert.notEqual(projectOf(nodes), before);
  });
  it('shows the first hundred sessions of a project, and a hundred more on each request', () => {
    const nodes = new ProjectNodes();
    nodes.update(snapshot([project(many(250))]));
    const node = projectOf(nodes);
    const sizes: (readonly [number, number])[] = [];
    for (let round = 0; round < 3; round++) {
      const sessions = node.children().filter((child) => child.kind === 'session').length;
      sizes.push([sessions, node.children().length - sessions]);
      node.more.showMore();
    }
    assert.deepEqual(sizes, [
      [100, 1],
      [200, 1],
      [250, 0],
    ]);
  });
  it('shows the first hundred projects', () => {
    const nodes = new ProjectNodes();
    nodes.update(snapshot(many(101).map(({ path: filePath }) => project([], { folder: filePath }))));
    const children = nodes.children();
    const last = children.at(-1);
    assert.equal(children.length, 101);
    assert.ok(last?.kind === 'more');
    assert.equal(last.hiddenCount, 1);
  });
});
