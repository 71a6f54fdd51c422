import assert from 'node:assert/strict';
import { Prefetch } from '../../../src/extension/conversation/prefetch';

describe('A prefetched answer', () => {
  let asked: number;
  let answers: ((answer: string) => void)[];
  let ahead: Prefetch<string>;

  beforeEach(() => {
    asked = 0;
    answers = [];
    ahead = new Prefetch(() => {
      asked++;
      return new Promise((answer) => answers.push(answer));
    });
  });

  it('is the one that was requested ahead', async () => {
    ahead.begin();
    ahead.begin();
    const taken = ahead.take();
    answers[0]?.('begun');
    assert.equal(await taken, 'begun');
    assert.equal(asked, 1);
  });

  it('is requested when there is none, and each time again', async () => {
    for (const answer of ['first', 'second']) {
      const taken = ahead.take();
      answers.at(-1)?.(answer);
      assert.equal(await taken, answer);
    }
    assert.equal(asked, 2);
  });

  it('is requested again if something changed before it was used', async () => {
    ahead.begin();
    ahead.forget();
    const taken = ahead.take();
    answers[0]?.('old');
    answers[1]?.('fresh');
    assert.equal(await taken, 'fresh');
  });

  it('is requested again if something changes while it is pending', async () => {
    ahead.begin();
    const taken = ahead.take();
    ahead.forget();
    answers[0]?.('old');
    await new Promise((done) => setImmediate(done));
    assert.equal(asked, 2);
    answers[1]?.('fresh');
    assert.equal(await taken, 'fresh');
  });
});
