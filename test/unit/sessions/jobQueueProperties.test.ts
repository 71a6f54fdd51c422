import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isMoreUrgent, PRIORITIES, type Priority, QueueClosedError } from '../../rooms/sessions';
import { ControlledWork, type Results } from './controlledWork';
import { settle } from './fakes';

const SESSIONS = ['a', 'b', 'c', 'd', 'e', 'f'];

const session = fc.constantFrom(...SESSIONS);
const priority = fc.constantFrom(...PRIORITIES);
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('add' as const), session, priority, isRepair: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('prioritise' as const), session, priority }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('waitFor' as const), session }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('limit' as const), limit: fc.integer({ min: 1, max: 5 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('end' as const), which: fc.nat(9), fails: fc.boolean() }),
  },
);
const steps = fc.array(step, { maxLength: 60 });

interface ModelJob {
  readonly kind: keyof Results;
  readonly session: string;
  priority: Priority;
  /** Position in the order of arrival among the jobs of its priority. */
  since: number;
}

/** A direct implementation of the queue's description, without regard to speed. */
class Model {
  waiting: ModelJob[] = [];
  running: ModelJob[] = [];
  readonly begun: string[] = [];
  #time = 0;

  constructor(public limit: number) {}

  add(kind: keyof Results, session: string, priority: Priority): void {
    const same = this.waiting.find((job) => job.kind === kind && job.session === session);
    if (same === undefined) this.waiting.push({ kind, session, priority, since: this.#time++ });
    else if (isMoreUrgent(priority, same.priority)) Object.assign(same, { priority, since: this.#time++ });
    this.start();
  }

  prioritise(session: string, priority: Priority): void {
    for (const job of this.waiting) {
      if (job.session === session && job.priority !== priority && job.priority !== 'idle')
        Object.assign(job, { priority, since: this.#time++ });
    }
    this.start();
  }

  slotsFor(priority: Priority): number {
    if (priority === 'idle') return 1;
    return priority === 'active' ? this.limit : Math.max(1, this.limit - 1);
  }

  start(): void {
    for (;;) {
      const may = this.waiting
        .filter((job) => !this.running.some((other) => other.session === job.session))
        .filter((job) => this.running.length < this.slotsFor(job.priority))
        .sort((a, b) => PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority) || a.since - b.since);
      const [next] = may;
      if (next === undefined) return;
      this.waiting = this.waiting.filter((job) => job !== next);
      this.running.push(next);
      this.begun.push(`${next.kind} ${next.session}`);
    }
  }
}

describe('JobQueue, under random requests', () => {
  it('starts the same jobs in the same order as its model', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), steps, async (limit, taken) => {
        const work = new ControlledWork(limit);
        const model = new Model(limit);
        const answers: Promise<unknown>[] = [];
        for (const each of taken) {
          answers.push(...(await take(each, work, model)));
          assert.deepEqual(work.begun, model.begun);
          assert.ok(work.running.length <= Math.max(model.limit, model.running.length));
          const sessions = work.running.map((job) => job.session);
          assert.equal(new Set(sessions).size, sessions.length, 'a session has two jobs running');
        }
        assert.ok(answers.length >= work.begun.length);
      }),
    );
  });

  it('answers every request, and runs no more jobs than were requested', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), steps, async (limit, taken) => {
        const work = new ControlledWork(limit);
        const model = new Model(limit);
        const answers: Promise<unknown>[] = [];
        for (const each of taken) answers.push(...(await take(each, work, model)));
        const begunByAdding = answers.length;
        while (work.running.length > 0) await work.end(work.running[0]?.session ?? '');
        await Promise.allSettled(answers);
        assert.ok(work.begun.length <= begunByAdding);
        assert.equal(work.events.length, work.begun.length);
      }),
    );
  });

  it('aborts nothing when it is drained, and leaves no caller waiting', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), steps, async (limit, taken) => {
        const work = new ControlledWork(limit);
        const model = new Model(limit);
        const answers: Promise<unknown>[] = [];
        for (const each of taken) answers.push(...(await take(each, work, model)));
        const begun = work.begun.length;
        const drained = work.queue.drain();
        while (work.running.length > 0) await work.end(work.running[0]?.session ?? '');
        await drained;
        const results = await Promise.allSettled(answers);
        assert.equal(work.begun.length, begun);
        const refused = results.filter((each) => each.status === 'rejected' && each.reason instanceof QueueClosedError);
        assert.ok(refused.length >= model.waiting.length);
        assert.equal(work.events.length, begun);
      }),
    );
  });
});

async function take(
  each: typeof step extends fc.Arbitrary<infer Step> ? Step : never,
  work: ControlledWork,
  model: Model,
): Promise<readonly Promise<unknown>[]> {
  const asked: Promise<unknown>[] = [];
  switch (each.do) {
    case 'add': {
      const kind = each.isRepair ? 'repair' : 'scan';
      asked.push(work.queue.add(kind, each.session, each.priority));
      model.add(kind, each.session, each.priority);
      break;
    }
    case 'waitFor': {
      asked.push(work.queue.waitFor(each.session));
      const isScanning = model.running.some((job) => job.kind === 'scan' && job.session === each.session);
      if (!isScanning) model.add('scan', each.session, 'active');
      break;
    }
    case 'prioritise':
      work.queue.prioritise(each.session, each.priority);
      model.prioritise(each.session, each.priority);
      break;
    case 'limit':
      work.queue.setConcurrency(each.limit);
      model.limit = each.limit;
      model.start();
      break;
    case 'end': {
      const job = work.running[each.which % Math.max(1, work.running.length)];
      if (job === undefined) break;
      if (each.fails) await work.fail(job.session, new Error('Failed'));
      else await work.end(job.session);
      model.running = model.running.filter((other) => other.session !== job.session);
      model.start();
      break;
    }
  }
  await settle();
  for (const answer of asked) answer.catch(() => undefined);
  return asked;
}
