import assert from 'node:assert/strict';
import { UpdateFeed } from '../../rooms/sessions';
import { Deferred } from '../../rooms/util';
import { FakeClock, settle } from './fakes';

/** A feed of numbered parts. Each sent update waits until the extension takes it. */
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

describe('UpdateFeed', () => {
  it('sends one part at a time, the next once the extension has taken the last', async () => {
    const { feed, sent, state, take } = createFeed();
    state.parts = 3;
    let isSent = false;
    const sending = feed.sendNow().then(() => (isSent = true));
    await settle();
    assert.deepEqual(sent, [1]);
    await take();
    assert.deepEqual(sent, [1, 2]);
    await take();
    assert.equal(isSent, false);
    await take();
    await sending;
    assert.deepEqual(sent, [1, 2, 3]);
  });

  it('collects changes while the extension is busy, and sends them once', async () => {
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

  it('sends at most four times a second when nothing is urgent', async () => {
    const { feed, clock, sent, take } = createFeed();
    feed.sendSoon();
    await take();
    for (let at = 0; at < 10; at++) feed.sendSoon();
    assert.deepEqual(sent, [1]);
    clock.advance(250);
    await take();
    assert.deepEqual(sent, [1, 2]);
  });

  it('sends urgent changes at once, and does not repeat them at the next interval', async () => {
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

  it('continues after an extension that could not take an update', async () => {
    const { feed, sent, state, take } = createFeed();
    state.isHostGone = true;
    await feed.sendNow();
    state.isHostGone = false;
    const sending = feed.sendNow();
    await take();
    await sending;
    assert.deepEqual(sent, [1, 2]);
  });

  it('stops when it is closed', async () => {
    const { feed, clock, sent, state, take } = createFeed();
    state.parts = 3;
    const sending = feed.sendNow();
    feed.sendSoon();
    feed.close();
    await take();
    await sending;
    clock.advance(1000);
    await feed.sendNow();
    assert.deepEqual(sent, [1]);
  });
});
