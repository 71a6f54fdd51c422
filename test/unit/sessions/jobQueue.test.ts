import assert from 'node:assert/strict';
import { QueueClosedError } from '../../rooms/sessions';
import { ControlledWork } from './controlledWork';
import { settle } from './fakes';

const isClosed = (error: unknown): boolean => error instanceof QueueClosedError;
const isAbort = { name: 'AbortError' };

describe('the job queue', () => {
  it('runs what is more urgent first, and equals in the order they came', async () => {
    const work = new ControlledWork(1);
    const { queue } = work;
    void queue.add('scan', 'first', 'disk');
    void queue.add('scan', 'disk-a', 'disk');
    void queue.add('scan', 'background', 'background');
    void queue.add('scan', 'disk-b', 'disk');
    void queue.add('scan', 'visible', 'visible');
    void queue.add('scan', 'active', 'active');
    for (const session of ['first', 'active', 'visible', 'background', 'disk-a', 'disk-b']) await work.end(session);
    assert.deepEqual(
      work.begun.map((each) => each.split(' ')[1]),
      ['first', 'active', 'visible', 'background', 'disk-a', 'disk-b'],
    );
  });

  it('runs a session once that is asked for several times while it waits, and answers each of them', async () => {
    const work = new ControlledWork(1);
    void work.queue.add('scan', 'busy', 'active');
    const asked = [1, 2, 3].map(() => work.queue.add('scan', 'a', 'disk'));
    await work.end('busy');
    await work.end('a');
    assert.deepEqual(await Promise.all(asked), ['result of a', 'result of a', 'result of a']);
    assert.deepEqual(work.begun, ['scan busy', 'scan a']);
  });

  it('lets what waits become as urgent as the most urgent one who asks, and not less so by another', async () => {
    const work = new ControlledWork(1);
    void work.queue.add('scan', 'busy', 'active');
    void work.queue.add('scan', 'a', 'visible');
    void work.queue.add('scan', 'b', 'disk');
    void work.queue.add('scan', 'b', 'active');
    void work.queue.add('scan', 'b', 'disk');
    await work.end('busy');
    assert.equal(work.begun.at(-1), 'scan b');
  });

  it('scans once more what is asked for while its scan runs already: the file may have changed since', async () => {
    const work = new ControlledWork(4);
    void work.queue.add('scan', 'a', 'disk');
    const again = work.queue.add('scan', 'a', 'disk');
    assert.deepEqual(work.begun, ['scan a']);
    await work.end('a');
    assert.deepEqual(work.begun, ['scan a', 'scan a']);
    await work.end('a');
    assert.equal(await again, 'result of a');
  });

  it('never scans and repairs one session at once', async () => {
    const work = new ControlledWork(4);
    void work.queue.add('scan', 'a', 'disk');
    const repair = work.queue.add('repair', 'a', 'active');
    void work.queue.add('scan', 'b', 'disk');
    assert.deepEqual(work.begun, ['scan a', 'scan b']);
    await work.end('a');
    assert.deepEqual(work.begun, ['scan a', 'scan b', 'repair a']);
    await work.end('a');
    assert.equal(await repair, 1);
  });

  it('moves what waits up and down', async () => {
    const work = new ControlledWork(1);
    const { queue } = work;
    void queue.add('scan', 'busy', 'active');
    void queue.add('scan', 'a', 'visible');
    void queue.add('scan', 'b', 'disk');
    void queue.add('scan', 'c', 'disk');
    queue.prioritise('a', 'disk');
    queue.prioritise('c', 'background');
    queue.prioritise('unknown', 'active');
    for (const session of ['busy', 'c', 'b', 'a']) await work.end(session);
    assert.equal(work.begun.length, 4);
  });

  it('leaves what is as urgent already in its place', async () => {
    const work = new ControlledWork(1);
    void work.queue.add('scan', 'busy', 'active');
    void work.queue.add('scan', 'a', 'disk');
    void work.queue.add('scan', 'b', 'disk');
    work.queue.prioritise('a', 'disk');
    await work.end('busy');
    assert.equal(work.begun.at(-1), 'scan a');
  });

  it('keeps its last slot for what a person waits for', async () => {
    const work = new ControlledWork(2);
    void work.queue.add('scan', 'long', 'disk');
    void work.queue.add('scan', 'next', 'visible');
    assert.deepEqual(work.begun, ['scan long']);
    void work.queue.add('scan', 'wanted', 'active');
    assert.deepEqual(work.begun, ['scan long', 'scan wanted']);
    await work.end('wanted');
    assert.equal(work.begun.length, 2);
    await work.end('long');
    assert.equal(work.begun.at(-1), 'scan next');
  });

  it('runs more at once, or fewer, as soon as it is told to', async () => {
    const work = new ControlledWork(1);
    for (const session of ['a', 'b', 'c', 'd', 'e']) void work.queue.add('scan', session, 'active');
    work.queue.setConcurrency(3);
    assert.deepEqual(work.begun, ['scan a', 'scan b', 'scan c']);
    work.queue.setConcurrency(1);
    await work.end('a');
    await work.end('b');
    assert.equal(work.begun.length, 3);
    await work.end('c');
    assert.equal(work.begun.at(-1), 'scan d');
  });

  it('tells of every job that ends, and how', async () => {
    const work = new ControlledWork(3);
    const scan = work.queue.add('scan', 'a', 'active');
    void work.queue.add('repair', 'bb', 'active');
    const failing = work.queue.add('scan', 'c', 'active');
    const error = new Error('Failed to scan');
    await work.end('a');
    await work.end('bb');
    await Promise.all([work.fail('c', error), assert.rejects(failing, error)]);
    assert.equal(await scan, 'result of a');
    assert.deepEqual(work.events, [
      { kind: 'done', job: 'scan', session: 'a', result: 'result of a' },
      { kind: 'done', job: 'repair', session: 'bb', result: 2 },
      { kind: 'error', job: 'scan', session: 'c', error },
    ]);
  });

  it('goes on after a job that failed, whether or not anyone waited for it', async () => {
    const work = new ControlledWork(1);
    void work.queue.add('scan', 'a', 'disk').catch(() => undefined);
    work.queue.add('scan', 'b', 'disk').catch(() => undefined);
    await work.fail('a', new Error('Failed'));
    assert.deepEqual(work.begun, ['scan a', 'scan b']);
  });

  describe('waiting for a session', () => {
    it('begins an unknown one at once, though everything else waits', async () => {
      const work = new ControlledWork(2);
      for (let at = 0; at < 1000; at++) void work.queue.add('scan', `disk-${at}`, 'disk');
      const waiting = work.queue.waitFor('wanted');
      assert.deepEqual(work.begun, ['scan disk-0', 'scan wanted']);
      await work.end('wanted');
      assert.equal(await waiting, 'result of wanted');
    });

    it('joins the scan that runs', async () => {
      const work = new ControlledWork(2);
      void work.queue.add('scan', 'a', 'disk');
      const waiting = work.queue.waitFor('a');
      await work.end('a');
      assert.equal(await waiting, 'result of a');
      assert.deepEqual(work.begun, ['scan a']);
    });

    it('brings forward the scan that waits', async () => {
      const work = new ControlledWork(1);
      for (const session of ['busy', 'a', 'b']) void work.queue.add('scan', session, 'disk');
      const waiting = work.queue.waitFor('b');
      await work.end('busy');
      assert.equal(work.begun.at(-1), 'scan b');
      await work.end('b');
      assert.equal(await waiting, 'result of b');
    });

    it('scans after the repair that runs', async () => {
      const work = new ControlledWork(2);
      void work.queue.add('repair', 'a', 'active');
      const waiting = work.queue.waitFor('a');
      await work.end('a');
      await work.end('a');
      assert.equal(await waiting, 'result of a');
    });

    it('ends for the one who gives up, and for nobody else', async () => {
      const work = new ControlledWork(1);
      const controller = new AbortController();
      const gaveUp = work.queue.waitFor('a', controller.signal);
      const patient = work.queue.waitFor('a', new AbortController().signal);
      controller.abort();
      await assert.rejects(gaveUp, isAbort);
      await assert.rejects(work.queue.waitFor('a', controller.signal), isAbort);
      await work.end('a');
      assert.equal(await patient, 'result of a');
      assert.deepEqual(work.begun, ['scan a']);
    });
  });

  describe('winding up', () => {
    it('lets what runs end, rejects what waits, and takes no more', async () => {
      const work = new ControlledWork(1);
      const repair = work.queue.add('repair', 'a', 'active');
      const waiting = work.queue.add('scan', 'b', 'disk');
      let isDrained = false;
      const drained = work.queue.drain().then(() => {
        isDrained = true;
      });
      await assert.rejects(waiting, isClosed);
      await assert.rejects(work.queue.add('scan', 'c', 'active'), isClosed);
      await assert.rejects(work.queue.waitFor('d'), isClosed);
      await settle();
      assert.equal(isDrained, false);
      await work.end('a');
      assert.equal(await repair, 1);
      await drained;
      assert.deepEqual(work.begun, ['repair a']);
    });

    it('is done at once when nothing runs, and can be asked for twice', async () => {
      const { queue } = new ControlledWork(1);
      await Promise.all([queue.drain(), queue.drain()]);
    });

    it('lets a caller still join the scan that runs', async () => {
      const work = new ControlledWork(1);
      void work.queue.add('scan', 'a', 'disk');
      const drained = work.queue.drain();
      const waiting = work.queue.waitFor('a');
      await work.end('a');
      assert.equal(await waiting, 'result of a');
      await drained;
    });
  });
});
