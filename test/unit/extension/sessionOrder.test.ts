import assert from 'node:assert/strict';
import { ProjectNodes } from '../../../src/extension/sessions/projectNodes';
import { SESSION_SORTS, SessionOrder } from '../../../src/extension/sessions/sessionOrder';
import { SessionPins } from '../../../src/extension/sessions/sessionPins';
import type { SessionsSnapshot, SessionSummary } from '../../../src/protocol/channels/sessions';
import { activity, formats, project, session, snapshot, t } from './fakes';
import { sessionAppearance } from '../../../src/extension/sessions/sessionAppearance';

const NOON_MS = new Date(2026, 5, 10, 12).getTime();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const at = (name: string, change: Parameters<typeof session>[0] = {}): SessionSummary =>
  session({ id: name, path: `/c/projects/-src-app/${name}.jsonl`, title: name, ...change });

/** Stores what it is given, as VS Code does. */
function memoryOf(stored = new Map<string, unknown>()) {
  return {
    stored,
    get: (key: string) => stored.get(key),
    update: (key: string, value: unknown) => Promise.resolve(void stored.set(key, structuredClone(value))),
  };
}

function titles({ projects }: Pick<SessionsSnapshot, 'projects'>): readonly unknown[] {
  return projects.map(({ sessions }) => sessions.map(({ title }) => title).join(' '));
}

describe('The order of the tree', () => {
  const mine = project([
    at('a', { activityMs: 9, createdMs: 1, bytes: 5 }),
    at('b', { activityMs: 8, createdMs: 7, bytes: 1 }),
    at('c', { activityMs: 7, bytes: null }),
  ]);
  const other = (name: string, bytes: number) =>
    project([at(name, { activityMs: 1, bytes })], { folder: `/c/projects/${name}`, inWorkspace: false });
  const list = snapshot([mine, other('x', 10), other('y', 20)]);

  it('is by activity at first, as the sessions arrive', () => {
    assert.equal(new SessionOrder().apply(list, NOON_MS).snapshot, list);
  });

  it('is by creation, size or tokens, with what is not known last, and the projects of the window first', () => {
    const order = new SessionOrder();
    order.set({ sort: 'created' });
    assert.deepEqual(titles(order.apply(list, NOON_MS).snapshot), ['b c a', 'x', 'y']);
    order.set({ sort: 'size' });
    assert.deepEqual(titles(order.apply(list, NOON_MS).snapshot), ['a b c', 'y', 'x']);
    order.set({ sort: 'tokens' });
    order.setTokens(new Map([[at('c').path, 300]]));
    assert.deepEqual(titles(order.apply(list, NOON_MS).snapshot), ['c a b', 'x', 'y']);
  });

  it('keeps a sorted project the same object while nothing of it changes', () => {
    const order = new SessionOrder();
    order.set({ sort: 'size' });
    const [first] = order.apply(list, NOON_MS).snapshot.projects;
    assert.equal(order.apply({ ...list, revision: 2 }, NOON_MS).snapshot.projects[0], first);
  });

  it('groups sessions of all projects by the day of their last activity', () => {
    const order = new SessionOrder();
    order.set({ isByDate: true });
    const dated = snapshot([
      project([
        at('now', { activityMs: NOON_MS }),
        at('early', { activityMs: NOON_MS - 11 * HOUR_MS }),
        at('old', { activityMs: NOON_MS - 40 * DAY_MS }),
      ]),
      project([
        at('evening', { activityMs: NOON_MS - 13 * HOUR_MS }),
        at('week', { activityMs: NOON_MS - 7 * DAY_MS }),
        at('month', { activityMs: NOON_MS - 20 * DAY_MS }),
        at('later today', { activityMs: NOON_MS + HOUR_MS }),
      ]),
    ]);
    assert.deepEqual(
      order
        .apply(dated, NOON_MS)
        .dates?.map(({ range, sessions }) => [range, titles({ projects: [project(sessions)] })[0]]),
      [
        ['today', 'later today now early'],
        ['yesterday', 'evening'],
        ['last7Days', 'week'],
        ['last30Days', 'month'],
        ['older', 'old'],
      ],
    );
  });

  it('groups by the day of creation if it sorts by that', () => {
    const order = new SessionOrder();
    order.set({ isByDate: true, sort: 'created' });
    const dated = snapshot([project([at('a', { activityMs: NOON_MS, createdMs: NOON_MS - DAY_MS })])]);
    assert.deepEqual(
      order.apply(dated, NOON_MS).dates?.map(({ range }) => range),
      ['yesterday'],
    );
  });

  it('tells by how much a session is large only where the list is sorted by that', () => {
    const order = new SessionOrder();
    const [known, unknown] = [at('known', { bytes: 1_200_000 }), at('unknown', { bytes: null })];
    order.setTokens(new Map([[known.path, 84_000]]));
    const amounts = SESSION_SORTS.map((sort) => {
      order.set({ sort });
      return [order.amountOf(known), order.amountOf(unknown)];
    });
    assert.deepEqual(amounts, [
      [null, null],
      [null, null],
      [{ unit: 'bytes', count: 1_200_000 }, null],
      [{ unit: 'tokens', count: 84_000 }, null],
    ]);
  });

  it('survives a reload of the window, and anything that another version has stored', () => {
    const memory = memoryOf();
    new SessionOrder(memory).set({ sort: 'size', isByDate: true });
    const { sort, isByDate } = new SessionOrder(memory);
    assert.deepEqual([sort, isByDate], ['size', true]);
    memory.stored.set('sessionsOrder', { sort: 'weight' });
    assert.equal(new SessionOrder(memory).sort, 'activity');
  });
});

describe('The days in the tree', () => {
  const day = (...sessions: readonly SessionSummary[]) => ({ range: 'today', sessions }) as const;

  it('take the place of the projects, and hold the items of their sessions', () => {
    const nodes = new ProjectNodes();
    const a = at('a');
    const list = snapshot([project([a])]);
    nodes.update(list, { dates: [day(a)] });
    const [node] = nodes.children();
    assert.equal(node?.kind, 'date');
    const item = nodes.locate(a.path);
    assert.deepEqual([item?.owner, item?.key], [node, a.path]);
    assert.equal(nodes.projectOf(a)?.cwd, '/src/app');
    assert.equal(nodes.update(list).kind, 'all');
    assert.equal(nodes.children()[0]?.kind, 'project');
  });

  it('refresh only a changed session, and themselves if one joins them', () => {
    const nodes = new ProjectNodes();
    const [a, b] = [at('a'), at('b')];
    nodes.update(snapshot([project([a])]), { dates: [day(a)] });
    const item = nodes.locate(a.path);
    const renamed = { ...a, title: 'Another' };
    const change = nodes.update(snapshot([project([renamed])]), { dates: [day(renamed)] });
    assert.deepEqual(change, { kind: 'nodes', nodes: [item] });
    const joined = nodes.update(snapshot([project([renamed, b])]), { dates: [day(renamed, b)] });
    assert.deepEqual(joined, { kind: 'nodes', nodes: [nodes.children()[0]] });
  });
});

describe('A pinned session', () => {
  const [a, b] = [at('a'), at('b', { activity: activity('busy') })];
  const list = snapshot([project([a, b])]);

  it('stands in a group on top, behind those that run, and in its own place', async () => {
    const pins = new SessionPins(memoryOf());
    await pins.set([a, b], true);
    const nodes = new ProjectNodes();
    nodes.update(list, { pinned: pins.of(list) });
    assert.deepEqual(
      nodes.children().map(({ kind }) => kind),
      ['running', 'pinned', 'project'],
    );
    for (const node of nodes.children()) if (node.kind === 'pinned' || node.kind === 'project') node.children();
    assert.deepEqual(
      nodes.find(b.path).map(({ key }) => key),
      [`running:${b.path}`, `pinned:${b.path}`, b.path],
    );
  });

  it('is pinned until it is unpinned, also in another window', async () => {
    const memory = memoryOf();
    const pins = new SessionPins(memory);
    const other = new SessionPins(memory);
    let changes = 0;
    pins.onChange(() => changes++);
    await pins.set([a], true);
    await other.set([b], true);
    assert.deepEqual(new SessionPins(memory).of(list), [a, b]);
    await pins.set([a], false);
    assert.deepEqual(pins.of(list), [b]);
    assert.equal(changes, 2);
  });

  it('vanishes from the group when it is deleted, or when another session takes its place', async () => {
    const pins = new SessionPins(memoryOf());
    await pins.set([a], true);
    assert.deepEqual(pins.of(snapshot([project([b])])), []);
    assert.equal(pins.has({ ...a, id: 'another' }), false);
  });

  it('says that it is pinned where it stands among others, and where it belongs where that is not to be seen', () => {
    const { description } = sessionAppearance(a, NOON_MS, formats, t, { isPinned: true, place: 'app' });
    assert.equal(description, 'pinned · app');
  });

  it('ignores what another version has stored', () => {
    assert.deepEqual(new SessionPins(memoryOf(new Map([['pinnedSessions', [7]]]))).of(list), []);
  });
});
