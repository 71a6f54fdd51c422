import assert from 'node:assert/strict';
import { QueueClosedError } from '../../rooms/sessions';
import { ControlledWork } from './controlledWork';
import { settle } from './fakes';

const isClosed = (error: unknown): boolean => error instanceof QueueClosedError;
const isAbort = { name: 'AbortError' };

describe('JobQueue', () => {
  it('runs the more urgent jobs first, and equal ones in the order of arrival', async () => {
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

  it('runs a session once if it is requested several times while it waits, and answers each request', async () => {
    const work = new ControlledWork(1);
    void work.queue.add('scan', 'busy', 'active');
    const asked = [1, 2, 3].map(() => work.queue.add('scan', 'a', 'disk'));
    await work.end('busy');
    await work.end('a');
    assert.deepEqual(await Promise.all(asked), ['result of a', 'result of a', 'result of a']);
    assert.deepEqual(work.begun, ['scan busy', 'scan a']);
  });

  it('raises a waiting job to the most urgent of its requests, and never lowers it', async () => {
    const work = new ControlledWork(1);
    void work.queue.add('scan', 'busy', 'active');
    void work.queue.add('scan', 'a', 'visible');
    void work.queue.add('scan', 'b', 'disk');
    void work.queue.add('scan', 'b', 'active');
    void work.queue.add('scan', 'b', 'disk');
    await work.end('busy');
    assert.equal(work.begun.at(-1), 'scan b');
  });

  it('scans a session again if it is requested while its scan runs, as the file may have changed since', async () => {
    const work = new ControlledWork(4);
    void work.queue.add('scan', 'a', 'disk');
    const again = work.queue.add('scan', 'a', 'disk');
    assert.deepEqual(work.begun, ['scan a']);
    await work.end('a');
    assert.deepEqual(work.begun, ['scan a', 'scan a']);
    await work.end('a');
    assert.equal(await again, 'result of a');
  });

  it('never scans and repairs the same session at once', async () => {
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

  it('moves waiting jobs up and down', async () => {
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

  it('keeps a job in place if its priority does not change', async () => {
    const work = new ControlledWork(1);
    void work.queue.add('scan', 'busy', 'active');
    void work.queue.add('scan', 'a', 'disk');
    void work.queue.add('scan', 'b', 'disk');
    work.queue.prioritise('a', 'disk');
    await work.end('busy');
    assert.equal(work.begun.at(-1), 'scan a');
  });

  it('reserves its last slot for jobs that a person waits for', async () => {
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

  it('begins an idle job only while nothing else waits or runs, and moves it up only if somebody asks for it', async () => {
    const work = new ControlledWork(4);
    void work.queue.add('scan', 'idle', 'idle');
    void work.queue.add('scan', 'other', 'idle');
    assert.deepEqual(work.begun, ['scan idle']);
    void work.queue.add('scan', 'a', 'disk');
    work.queue.prioritise('other', 'active');
    await work.end('idle');
    assert.deepEqual(work.begun, ['scan idle', 'scan a']);
    void work.queue.add('scan', 'other', 'visible');
    assert.deepEqual(work.begun, ['scan idle', 'scan a', 'scan other']);
  });

  it('applies a changed concurrency limit at once', async () => {
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

  it('reports the end of every job, with its outcome', async () => {
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

  it('continues after a failed job, whether or not anyone waited for it', async () => {
    const work = new ControlledWork(1);
    void work.queue.add('scan', 'a', 'disk').catch(() => undefined);
    work.queue.add('scan', 'b', 'disk').catch(() => undefined);
    await work.fail('a', new Error('Failed'));
    assert.deepEqual(work.begun, ['scan a', 'scan b']);
  });

  describe('waitFor', () => {
    it('starts the scan of an unknown session at once, ahead of all others', async () => {
      const work = new ControlledWork(2);
      for (let at = 0; at < 1000; at++) void work.queue.add('scan', `disk-${at}`, 'disk');
      const waiting = work.queue.waitFor('wanted');
      assert.deepEqual(work.begun, ['scan disk-0', 'scan wanted']);
      await work.end('wanted');
      assert.equal(await waiting, 'result of wanted');
    });

    it('joins a running scan', async () => {
      const work = new ControlledWork(2);
      void work.queue.add('scan', 'a', 'disk');
      const waiting = work.queue.waitFor('a');
      await work.end('a');
      assert.equal(await waiting, 'result of a');
      assert.deepEqual(work.begun, ['scan a']);
    });

    it('brings a waiting scan forward', async () => {
      const work = new ControlledWork(1);
      for (const session of ['busy', 'a', 'b']) void work.queue.add('scan', session, 'disk');
      const waiting = work.queue.waitFor('b');
      await work.end('busy');
      assert.equal(work.begun.at(-1), 'scan b');
      await work.end('b');
      assert.equal(await waiting, 'result of b');
    });

    it('scans after a running repair', async () => {
      const work = new ControlledWork(2);
      void work.queue.add('repair', 'a', 'active');
      const waiting = work.queue.waitFor('a');
      await work.end('a');
      await work.end('a');
      assert.equal(await waiting, 'result of a');
    });

    it('ends for the caller that gives up, and for no other', async () => {
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

  describe('drain', () => {
    it('lets running jobs finish, rejects waiting ones, and accepts no more', async () => {
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

    it('resolves at once when nothing runs, and can be called twice', async () => {
      const { queue } = new ControlledWork(1);
      await Promise.all([queue.drain(), queue.drain()]);
    });

    it('still lets a caller join a running scan', async () => {
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
