import assert from 'node:assert/strict';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { ChildLookup } from '../../../src/extension/sessions/childLookup';
import { subagentAppearance } from '../../../src/extension/sessions/sessionAppearance';
import { forksOf } from '../../../src/extension/sessions/sessionsState';
import { ProjectNode, SessionNode } from '../../../src/extension/sessions/treeNode';
import type { ListedMemoryFile, ListedSubagent } from '../../../src/protocol/channels/children';
import type { SessionSummary } from '../../../src/protocol/channels/sessions';
import { project, RecordedLog, session, snapshot, t } from './fakes';

const at = (name: string, change: Parameters<typeof session>[0] = {}): SessionSummary =>
  session({ id: name, path: `/c/projects/-src-app/${name}.jsonl`, title: name, ...change });

describe('The forks of a session', () => {
  it('are those that name it, in the same folder if several have its id', () => {
    const [a, fork, second] = [at('a'), at('b', { parentSessionId: 'a' }), at('c', { parentSessionId: 'a' })];
    const namesake = { ...a, path: '/c/projects/-other/a.jsonl' };
    const elsewhere = { ...fork, path: '/c/projects/-other/b.jsonl' };
    const byPath = forksOf(
      snapshot([project([namesake, elsewhere], { folder: '/c/projects/-other' }), project([a, fork, second])]),
    );
    assert.deepEqual(byPath.get(a.path), [fork, second]);
    assert.deepEqual(byPath.get(namesake.path), [elsewhere]);
    assert.equal(byPath.size, 2);
  });

  it('are found in time that grows with the number of sessions, also if all are forks of one', () => {
    let looks = 0;
    const forks = Array.from({ length: 10_000 }, (_, index) => ({
      ...at(String(index)),
      get parentSessionId() {
        looks++;
        return 'root';
      },
    }));
    assert.equal(forksOf(snapshot([project([at('root'), ...forks])])).get(at('root').path)?.length, 10_000);
    assert.ok(looks <= 20_000, String(looks));
  });

  it('have items of their own, beside those of the same sessions in the list', () => {
    const owner = new ProjectNode(project([at('a'), at('b')]));
    const [node] = owner.children();
    assert.ok(node?.kind === 'session');
    const fork = new SessionNode(node, at('b'));
    assert.notEqual(fork.key, owner.find(at('b').path)?.key);
    assert.equal(fork.owner, node);
  });
});

/** Answers as configured, and counts the calls. */
function lookUp(files: () => readonly ListedMemoryFile[] = () => []) {
  const calls: (readonly string[])[] = [];
  const state = { with: new Set<string>(), nowMs: 0, isDown: false };
  const lookup = new ChildLookup({
    client: {
      withSubagents: (paths) => {
        calls.push(paths);
        if (state.isDown) return Promise.reject(new Error('down'));
        return Promise.resolve(paths.filter((path) => state.with.has(path)));
      },
      memoryFiles: () => Promise.resolve(files()),
    },
    log: new RecordedLog(),
    now: () => state.nowMs,
  });
  const told: string[] = [];
  lookup.onSubagents((path) => told.push(path));
  lookup.onMemory((folder) => told.push(folder));
  const told1 = async (): Promise<void> => {
    for (let times = 0; times < 200 && told.length === 0; times++) await sleep(5);
  };
  const asked = async (count: number): Promise<void> => {
    for (let times = 0; times < 200 && calls.length < count; times++) await sleep(5);
    assert.equal(calls.length, count);
  };
  return { lookup, state, calls, told, told1, asked };
}

describe('Whether a session has subagents', () => {
  it('is asked in one call for all that are shown, and told where it has some', async () => {
    const { lookup, state, calls, told, told1 } = lookUp();
    const [a, b] = [at('a'), at('b')];
    state.with.add(b.path);
    assert.deepEqual(
      [a, b, a].map((each) => lookup.hasSubagents(each)),
      [false, false, false],
    );
    await told1();
    assert.deepEqual([calls, told], [[[a.path, b.path]], [b.path]]);
    assert.equal(lookup.hasSubagents(b), true);
  });

  it('is asked again only when the session has changed, or when the answer did not come', async () => {
    const { lookup, state, asked } = lookUp();
    const a = at('a');
    lookup.hasSubagents(a);
    await asked(1);
    lookup.hasSubagents(a);
    state.isDown = true;
    lookup.hasSubagents({ ...a });
    await asked(2);
    state.isDown = false;
    await turn();
    lookup.hasSubagents(a);
    await asked(3);
  });
});

describe('The memory of a project', () => {
  it('is told once it is read, and read again when the project is shown after a while', async () => {
    let files: readonly ListedMemoryFile[] = [];
    const { lookup, state, told, told1 } = lookUp(() => files);
    assert.deepEqual(lookup.memoryOf('/p'), []);
    files = [{ filePath: '/p/memory/a.md', name: 'a.md', size: 1 }];
    state.nowMs = 60_000;
    await turn();
    lookup.memoryOf('/p');
    await told1();
    assert.deepEqual(told, ['/p']);
    assert.deepEqual(lookup.memoryOf('/p'), files);
  });
});

describe('A subagent in the tree', () => {
  const subagent: ListedSubagent = {
    ...{ filePath: '/s/subagents/agent-a.jsonl', agentId: 'a5c3a57d52d7', agentType: 'Explore' },
    ...{ description: 'Look\n around', isFinished: false },
  };

  it('shows what it was asked to do, its type, and whether it works or has finished', () => {
    const { label, description, accessibleLabel } = subagentAppearance(subagent, true, t);
    assert.deepEqual([label, description], ['Look around', 'Explore · working']);
    assert.equal(accessibleLabel, 'Look around, subagent, Explore, working');
    assert.equal(subagentAppearance({ ...subagent, isFinished: true }, true, t).description, 'Explore · finished');
    assert.equal(subagentAppearance(subagent, false, t).description, 'Explore');
  });

  it('goes by its id if nothing is known of it', () => {
    const bare = { ...subagent, agentType: null, description: null };
    const { label, description } = subagentAppearance(bare, false, t);
    assert.deepEqual([label, description], ['Subagent a5c3a57d', '']);
  });
});
