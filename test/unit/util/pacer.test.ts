import assert from 'node:assert/strict';
import { createPacer } from '../../rooms/util';

describe('createPacer', () => {
  let nowMs: number;
  const now = (): number => nowMs;

  beforeEach(() => {
    nowMs = 1000;
  });

  it('does not yield before the interval is over', () => {
    const pacer = createPacer(10, now);
    nowMs += 9.9;
    assert.equal(pacer.yieldIfDue(), null);
  });

  it('yields to the event loop once the interval is over', async () => {
    const pacer = createPacer(10, now);
    let hasTurned = false;
    setImmediate(() => {
      hasTurned = true;
    });
    nowMs += 10;
    await pacer.yieldIfDue();
    assert.equal(hasTurned, true);
  });

  it('counts the interval from the last yield', async () => {
    const pacer = createPacer(10, now);
    nowMs += 50;
    await pacer.yieldIfDue();
    nowMs += 9;
    assert.equal(pacer.yieldIfDue(), null);
    nowMs += 1;
    assert.notEqual(pacer.yieldIfDue(), null);
  });

  it('makes concurrent tasks wait for the same yield', async () => {
    const pacer = createPacer(10, now);
    nowMs += 10;
    const first = pacer.yieldIfDue();
    assert.notEqual(first, null);
    assert.equal(pacer.yieldIfDue(), first);
    await first;
    assert.equal(pacer.yieldIfDue(), null);
  });

  it('lets timers fire during long work', async () => {
    const pacer = createPacer(1);
    const timer = { hasFired: false };
    setTimeout(() => {
      timer.hasFired = true;
    }, 1);
    for (let rounds = 0; !timer.hasFired && rounds < 1e7; rounds++) await pacer.yieldIfDue();
    assert.equal(timer.hasFired, true);
  });
});
