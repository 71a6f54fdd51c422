import assert from 'node:assert/strict';
import { UnfinishedWork } from '../../../src/worker/unfinishedWork';

describe('Work that must not be aborted', () => {
  it('is waited for, even if it fails', async () => {
    const work = new UnfinishedWork(() => false);
    let finish: (value: string) => void = () => undefined;
    const rewind = work.keep(
      (name: string) =>
        new Promise<string>(
          (done) =>
            (finish = () => {
              done(name);
            }),
        ),
    );
    const fails = work.keep(() => Promise.reject(new Error('no')));
    const result = rewind('one');
    await assert.rejects(fails(), /no/);
    let isSettled = false;
    const settled = work.settled().then(() => (isSettled = true));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isSettled, false);
    finish('one');
    await settled;
    assert.equal(await result, 'one');
  });

  it('is not started any more during the shutdown', async () => {
    let isClosing = false;
    let begun = 0;
    const work = new UnfinishedWork(() => isClosing);
    const rewind = work.keep(() => Promise.resolve(begun++));
    await rewind();
    isClosing = true;
    await assert.rejects(rewind(), /shutting down/);
    assert.equal(begun, 1);
    await work.settled();
  });
});
