import assert from 'node:assert/strict';
import { filterChoices } from '../../../src/extension/sessions/filterChoices';
import { ProjectNodes } from '../../../src/extension/sessions/projectNodes';
import { type FilterValue, NO_FILTER, SessionFilter } from '../../../src/extension/sessions/sessionFilter';
import { filteredText, sessionsViewText } from '../../../src/extension/sessions/sessionsViewText';
import type { SessionsSnapshot, SessionSummary } from '../../../src/protocol/channels/sessions';
import { activity, formats, project, session, snapshot, t } from './fakes';

const at = (name: string, change: Parameters<typeof session>[0] = {}): SessionSummary =>
  session({ id: name, path: `/c/projects/-src-app/${name}.jsonl`, title: name, ...change });

/** The titles that a filter leaves. */
function left(
  list: SessionsSnapshot,
  value: Partial<FilterValue>,
  expiring: readonly string[] = [],
): readonly unknown[] {
  const filter = new SessionFilter();
  filter.setExpiring(new Set(expiring));
  filter.set(value);
  return filter.apply(list).snapshot.projects.flatMap(({ sessions }) => sessions.map(({ title }) => title));
}

describe('The filter of the tree', () => {
  const kept = at('kept');
  const list = snapshot([project([kept, at('other')]), project([at('far')], { folder: '/far', inWorkspace: false })]);

  it('leaves only sessions that match, and no empty projects', () => {
    const filter = new SessionFilter();
    assert.equal(filter.apply(list).snapshot, list);
    filter.setExpiring(new Set([kept.path]));
    filter.toggle('expiring');
    const filtered = filter.apply(list);
    assert.deepEqual(
      filtered.snapshot.projects.map(({ sessions }) => sessions),
      [[kept]],
    );
    assert.deepEqual([filtered.shown, filtered.total], [1, 3]);
    filter.clear();
    assert.equal(filter.apply(list).snapshot, list);
  });

  it('finds all words of a text in a title, in any order and case, and the beginning of an id', () => {
    const some = snapshot([
      project([at('Tides of the North Sea'), at('Tides elsewhere'), at('x', { id: '4f0cab', title: null })]),
    ]);
    assert.deepEqual(left(some, { text: ' sea TIDES ' }), ['Tides of the North Sea']);
    assert.deepEqual(left(some, { text: '4f0c' }), [null]);
    assert.deepEqual(left(some, { text: '4f0' }), []);
    assert.deepEqual(left(some, { text: 'f0ca' }), []);
    assert.deepEqual(left(some, { text: 'tides of mars' }), []);
  });

  it('leaves sessions that have all chosen properties', () => {
    const some = snapshot([
      project([
        at('broken', { health: 'corrupted' }),
        at('waiting', { activity: activity('waiting-answer') }),
        at('both', { health: 'corrupted', activity: activity('waiting-answer') }),
        at('busy', { activity: activity('busy') }),
        at('fork', { parentSessionId: 'broken' }),
        at('repaired', { health: 'repaired' }),
      ]),
      project([at('far', { health: 'corrupted' })], { folder: '/far', inWorkspace: false }),
    ]);
    assert.deepEqual(left(some, { marks: ['broken'] }), ['broken', 'both', 'far']);
    assert.deepEqual(left(some, { marks: ['broken', 'waiting'] }), ['both']);
    assert.deepEqual(left(some, { marks: ['running'] }), ['waiting', 'both', 'busy']);
    assert.deepEqual(left(some, { marks: ['fork'] }), ['fork']);
    assert.deepEqual(left(some, { marks: ['repaired'] }), ['repaired']);
    assert.deepEqual(left(some, { marks: ['broken', 'thisFolder'] }), ['broken', 'both']);
    assert.deepEqual(left(some, { marks: ['broken'], text: 'far' }), ['far']);
    assert.deepEqual(left(some, { projects: ['/far'] }), ['far']);
    assert.deepEqual(left(some, { configDirs: ['/elsewhere'] }), []);
  });

  it('tells of each change, and of nothing else', () => {
    const filter = new SessionFilter();
    let changes = 0;
    filter.onChange(() => changes++);
    filter.clear();
    filter.setExpiring(new Set(['/a']));
    filter.toggle('expiring');
    filter.set({ marks: ['expiring'], text: ' ' });
    filter.setExpiring(new Set(['/b']));
    filter.clear();
    assert.equal(changes, 3);
  });

  it('follows the sessions as they change', () => {
    const filter = new SessionFilter();
    filter.set({ text: 'kept' });
    assert.equal(filter.apply(list).shown, 1);
    const other = project([at('kept'), at('kept, too')]);
    assert.equal(filter.apply(snapshot([other])).shown, 2);
    assert.equal(filter.apply(list).snapshot.projects[0], filter.apply(list).snapshot.projects[0]);
  });

  it('survives a reload of the window, and anything that another version has stored', () => {
    const stored = new Map<string, unknown>();
    const memory = {
      get: (key: string) => stored.get(key),
      update: (key: string, value: unknown) => Promise.resolve(void stored.set(key, structuredClone(value))),
    };
    new SessionFilter(memory).set({ text: 'tides', marks: ['broken'] });
    assert.deepEqual(new SessionFilter(memory).value, { ...NO_FILTER, text: 'tides', marks: ['broken'] });
    new SessionFilter(memory).clear();
    assert.equal(new SessionFilter(memory).isActive, false);
    stored.set('sessionsFilter', { text: 7 });
    assert.equal(new SessionFilter(memory).isActive, false);
  });

  it('looks at each of 10,000 sessions once for a letter that is typed, however often its result is asked for', () => {
    let looks = 0;
    const counted = (id: string): SessionSummary => ({
      ...at(id),
      get title() {
        looks++;
        return id;
      },
    });
    const projects = Array.from({ length: 200 }, (_p, p) =>
      project(
        Array.from({ length: 50 }, (_s, s) => counted(`session ${p}-${s}`)),
        { folder: `/c/projects/${p}` },
      ),
    );
    const many = snapshot(projects);
    const filter = new SessionFilter();
    filter.set({ text: '9' });
    for (let times = 0; times < 3; times++) filter.apply(many);
    assert.equal(looks, 10_000);
    filter.set({ text: '99' });
    assert.ok(filter.apply(many).shown > 0);
    assert.equal(looks, 10_000);
  });
});

describe('The tree with a searched text', () => {
  const many = (folder: string, count: number) =>
    project(
      Array.from({ length: count }, (_, index) => at(`${folder}${index}`)),
      { folder, inWorkspace: false },
    );

  it('expands the projects with the first hits, and not thousands of sessions', () => {
    const nodes = new ProjectNodes();
    const found = (...counts: readonly number[]): readonly boolean[] => {
      nodes.update(snapshot(counts.map((count, at) => many(`/p${at}`, count))), { isSearch: true });
      return nodes.children().map((node) => node.kind === 'project' && node.isFound);
    };
    assert.deepEqual(found(30, 30, 1), [true, true, false]);
    assert.deepEqual(found(120, 1), [true, false]);
    // A screen of projects, each with its hit below it.
    assert.equal(found(...Array.from({ length: 60 }, () => 1)).filter(Boolean).length, 25);
  });
});

describe('What the filter consists of', () => {
  const list = snapshot([project([session()], { cwd: '/home/p/app' }), project([], { folder: '/empty' })]);
  const choices = (value: Partial<FilterValue>, configDirs = ['/c']) =>
    filterChoices(list, { ...NO_FILTER, ...value }, configDirs, '/home/p', formats, t);

  it('is offered as choices that say whether they are on, and switch one another on and off', () => {
    const [broken] = choices({ marks: ['broken'] }).marks;
    assert.deepEqual([broken?.label, broken?.isOn, broken?.switched], ['Broken', true, { marks: [] }]);
    const [, repaired] = choices({ marks: ['broken'] }).marks;
    assert.deepEqual([repaired?.isOn, repaired?.switched], [false, { marks: ['broken', 'repaired'] }]);
  });

  it('includes the projects that have sessions', () => {
    assert.deepEqual(
      choices({}).projects.map(({ label, description }) => [label, description]),
      [['app', '1 session · ~']],
    );
  });

  it('includes the config folders if there are several', () => {
    assert.deepEqual(choices({}).configDirs, []);
    const [main, work] = choices({}, ['/c', '/home/p/.claude-work']).configDirs;
    assert.deepEqual(
      [main?.description, work?.label, work?.description],
      ['1 session', '~/.claude-work', '0 sessions'],
    );
  });

  it('is named above the tree, with how many sessions are left, and how to clear it where none is', () => {
    const message = (filter: Partial<FilterValue>, shown: number | null): string => {
      const input = {
        problem: null,
        isScanning: false,
        configDir: '/c',
        homeDir: '/home/p',
        remoteMachine: null,
        ignoredConfigDirs: [],
      };
      const view = { ...input, snapshot: list, filter: { ...NO_FILTER, ...filter }, shown, total: 340 };
      return sessionsViewText(view, formats, t).message;
    };
    assert.equal(message({}, null), '');
    assert.equal(message({ marks: ['broken'], text: ' tides ' }, 12), 'Filtered: broken, “tides” · 12 of 340');
    const ofProject = { projects: ['/c/projects/-src-app'], configDirs: ['/home/p/.claude-work'] };
    assert.equal(message(ofProject, 1), 'Filtered: app, ~/.claude-work · 1 of 340');
    assert.match(message({ marks: ['expiring'] }, 0), /^Filtered: expiring soon · 0 of 340\. Clear Filter /);
  });

  it('is quoted shortened, and no word of it is wider than the view, so that the way out stays in sight', () => {
    const quoted = (text: string): string => filteredText({ ...NO_FILTER, text }, [], '/home/p', t);
    assert.equal(quoted('x'.repeat(150)), `“${'x'.repeat(18)}…”`);
    assert.equal(
      quoted('the tides of the northern coasts, and of the islands'),
      '“the tides of the northern coasts, and o…”',
    );
    assert.equal(quoted(`tides ${'W'.repeat(60)}`), `“tides ${'W'.repeat(11)}…”`);
  });
});
