import assert from 'node:assert/strict';
import { UpdateFeed } from '../../rooms/sessions';
import { Deferred } from '../../rooms/util';
import { FakeClock, settle } from './fakes';

/** A feed of numbered parts; each update that was sent waits for the host to take it. */
function createFeed() {
  const clock = new FakeClock();
  const sent: number[] = [];
  const state = { parts: 0, isHostGone: false, taken: [] as Deferred<void>[] };
  let revision = 0;
  const feed = new UpdateFeed({
    configDir: '/c',
    assemble: () => {
      state.parts--;
      const nothing = { isReset: false, problem: null, isFolderMissing: false, order: null, projects: [] };
      return { update: { ...nothing, phase: { kind: 'idle' } }, hasMore: state.parts > 0 };
    },
    send: (update) => {
      sent.push(update.revision);
      if (state.isHostGone) throw new Error('The port is closed');
      const taken = new Deferred<void>();
      state.taken.push(taken);
      return taken.promise;
    },
    nextRevision: () => ++revision,
    clock,
  });
  const take = async (): Promise<void> => {
    state.taken.shift()?.resolve();
    await settle();
  };
  return { feed, clock, sent, state, take };
}

describe('what is told to the host', () => {
  it('goes out a part at a time, the next one when the host has taken the last', async () => {
    const { feed, sent, state, take } = createFeed();
    state.parts = 3;
    let isTold = false;
    const told = feed.sendNow().then(() => (isTold = true));
    await settle();
    assert.deepEqual(sent, [1]);
    await take();
    assert.deepEqual(sent, [1, 2]);
    await take();
    assert.equal(isTold, false);
    await take();
    await told;
    assert.deepEqual(sent, [1, 2, 3]);
  });

  it('holds what comes up while the host is busy, and tells it once', async () => {
    const { feed, sent, take } = createFeed();
    void feed.sendNow();
    const later = [feed.sendNow(), feed.sendNow()];
    await settle();
    assert.deepEqual(sent, [1]);
    await take();
    assert.deepEqual(sent, [1, 2]);
    await take();
    await Promise.all(later);
    assert.deepEqual(sent, [1, 2]);
  });

  it('goes out four times a second at most where there is no hurry', async () => {
    const { feed, clock, sent, take } = createFeed();
    feed.sendSoon();
    await take();
    for (let at = 0; at < 10; at++) feed.sendSoon();
    assert.deepEqual(sent, [1]);
    clock.advance(250);
    await take();
    assert.deepEqual(sent, [1, 2]);
  });

  it('goes out at once where there is, and not once more when the time comes', async () => {
    const { feed, clock, sent, take } = createFeed();
    feed.sendSoon();
    await take();
    feed.sendSoon();
    void feed.sendNow();
    await take();
    clock.advance(1000);
    await settle();
    assert.deepEqual(sent, [1, 2]);
  });

  it('goes on after a host that could not take it', async () => {
    const { feed, sent, state, take } = createFeed();
    state.isHostGone = true;
    await feed.sendNow();
    state.isHostGone = false;
    const told = feed.sendNow();
    await take();
    await told;
    assert.deepEqual(sent, [1, 2]);
  });

  it('ends when it is closed', async () => {
    const { feed, clock, sent, state, take } = createFeed();
    state.parts = 3;
    const told = feed.sendNow();
    feed.sendSoon();
    feed.close();
    await take();
    await told;
    clock.advance(1000);
    await feed.sendNow();
    assert.deepEqual(sent, [1]);
  });
});
