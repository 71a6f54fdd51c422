import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SessionStore } from '../../../rooms/history';
import { withStore } from './storeFixture';

const IDS = ['a', 'b', 'c', 'B/..'] as const;
const id = fc.constantFrom(...IDS);

const operation = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), id, cwd: fc.constantFrom('/x', '/y') }),
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('append' as const), id, at: fc.option(fc.nat(), { nil: null }) }),
  },
  fc.record({ kind: fc.constant('fork' as const), id, to: id, at: fc.option(fc.nat(), { nil: null }) }),
  fc.record({ kind: fc.constant('delete' as const), id }),
  fc.record({ kind: fc.constant('latest' as const), cwd: fc.constantFrom('/x', '/y') }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

interface Plain {
  cwd: string;
  parent: string | null;
  uuids: string[];
  /** Counts the stored rows, so that the latest is known. */
  touched: number;
}

/** The same store, as a map. */
class PlainStore {
  readonly sessions = new Map<string, Plain>();
  #touches = 0;

  touch(): number {
    return ++this.#touches;
  }

  latest(cwd: string): string | null {
    const all = [...this.sessions].filter(([, session]) => session.cwd === cwd);
    return all.sort(([, one], [, other]) => other.touched - one.touched)[0]?.[0] ?? null;
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : 'none');
const pickOf = (uuids: readonly string[], at: number | null): string | undefined =>
  at === null || uuids.length === 0 ? undefined : uuids[at % uuids.length];

async function run(step: Operation, store: SessionStore, plain: PlainStore): Promise<void> {
  if (step.kind === 'latest') {
    assert.equal((await store.latest(step.cwd))?.info.id ?? null, plain.latest(step.cwd));
    return;
  }
  const known = plain.sessions.get(step.id);
  switch (step.kind) {
    case 'create': {
      const made = await store.create({ id: step.id, cwd: step.cwd }).then(() => 'made', codeOf);
      assert.equal(made, known === undefined ? 'made' : 'exists');
      if (known === undefined) {
        plain.sessions.set(step.id, { cwd: step.cwd, parent: null, uuids: [], touched: plain.touch() });
      }
      return;
    }
    case 'append': {
      const at = pickOf(known?.uuids ?? [], step.at);
      const session = await store.resume(step.id, at).catch(codeOf);
      if (typeof session === 'string' || known === undefined) {
        assert.deepEqual([session, known], ['missing', undefined]);
        return;
      }
      const { uuid } = await session.append({ step });
      if (at !== undefined) known.uuids.length = known.uuids.lastIndexOf(at) + 1;
      known.uuids.push(uuid);
      known.touched = plain.touch();
      return;
    }
    case 'fork': {
      const at = pickOf(known?.uuids ?? [], step.at);
      const forked = await store
        .fork(step.id, { id: step.to, ...(at === undefined ? {} : { at }) })
        .then(() => 'made', codeOf);
      const isTaken = plain.sessions.has(step.to);
      assert.equal(forked, known === undefined ? 'missing' : isTaken ? 'exists' : 'made');
      if (known === undefined || isTaken) return;
      const uuids = at === undefined ? [...known.uuids] : known.uuids.slice(0, known.uuids.lastIndexOf(at) + 1);
      plain.sessions.set(step.to, { cwd: known.cwd, parent: step.id, uuids, touched: plain.touch() });
      return;
    }
    case 'delete':
      assert.equal(await store.delete(step.id), plain.sessions.delete(step.id));
  }
}

describe('A store of sessions', () => {
  it('behaves like a map of sessions under random operations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 24 }), (steps) =>
        withStore(async ({ store }) => {
          const plain = new PlainStore();
          for (const step of steps) await run(step, store, plain);
          const listed = await store.list();
          assert.deepEqual(listed.map((each) => each.id).sort(), [...plain.sessions.keys()].sort());
          for (const [name, { uuids, cwd, parent }] of plain.sessions) {
            const { messages, info: facts } = await store.load(name);
            assert.deepEqual(
              messages.map(({ uuid }) => uuid),
              uuids,
            );
            assert.deepEqual([facts.cwd, facts.parentSessionId], [cwd, parent]);
          }
        }),
      ),
      { numRuns: 60 },
    );
  }).timeout(30_000);
});
