import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { findCycles } from '../../../rooms/conversation';

interface Linked {
  readonly id: string;
  readonly status: string;
  readonly blockedBy: readonly string[];
}

function linked(id: number, ...blockedBy: readonly number[]): Linked {
  return { id: String(id), status: 'pending', blockedBy: blockedBy.map(String) };
}

/** Follows every link from every task: slow, and obviously correct. */
function cyclesBySearch(tasks: readonly Linked[]): string[] {
  const open = new Map(tasks.filter(({ status }) => status !== 'completed').map((task) => [task.id, task]));
  const reaches = (from: string): Set<string> => {
    const seen = new Set<string>();
    const queue = [...(open.get(from)?.blockedBy ?? [])];
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      const task = open.get(id);
      if (task === undefined || seen.has(id)) continue;
      seen.add(id);
      queue.push(...task.blockedBy);
    }
    return seen;
  };
  return [...open.keys()].filter((id) => reaches(id).has(id));
}

describe('Cyclic task dependencies', () => {
  it('are found directly and through others, without the tasks that only wait for them', () => {
    const tasks = [
      linked(1, 1),
      linked(2, 3),
      linked(3, 4),
      linked(4, 2),
      linked(5, 2),
      linked(6, 5, 7),
      linked(8, 99),
    ];
    assert.deepEqual([...findCycles(tasks)].sort(), ['1', '2', '3', '4']);
  });

  it('end when one of the tasks is done', () => {
    const [one, two] = [linked(1, 2), linked(2, 1)];
    assert.deepEqual([...findCycles([{ ...one, status: 'completed' }, two])], []);
  });

  it('are found in a chain of a hundred thousand', () => {
    const chain = Array.from({ length: 100_000 }, (_, at) => linked(at, at + 1));
    assert.equal(findCycles(chain).size, 0);
    assert.equal(findCycles([...chain.slice(0, -1), linked(99_999, 0)]).size, 100_000);
  });

  it('are the same as a search of all links finds', () => {
    const task = fc.record({
      blockedBy: fc.array(fc.nat(7), { maxLength: 4 }),
      status: fc.constantFrom('pending', 'completed', 'in_progress'),
    });
    fc.assert(
      fc.property(fc.array(task, { maxLength: 8 }), (drawn) => {
        const tasks = drawn.map(({ blockedBy, status }, id) => ({ ...linked(id, ...blockedBy), status }));
        assert.deepEqual([...findCycles(tasks)].sort(), cyclesBySearch(tasks).sort());
      }),
    );
  });
});
