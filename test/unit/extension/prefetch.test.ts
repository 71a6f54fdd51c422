import assert from 'node:assert/strict';
import { Prefetch } from '../../../src/extension/conversation/panelHost';

describe('an answer that is asked for ahead', () => {
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

  it('is the one that was begun', async () => {
    ahead.begin();
    ahead.begin();
    const taken = ahead.take();
    answers[0]?.('begun');
    assert.equal(await taken, 'begun');
    assert.equal(asked, 1);
  });

  it('is asked for when nobody began, and each time anew', async () => {
    for (const answer of ['first', 'second']) {
      const taken = ahead.take();
      answers.at(-1)?.(answer);
      assert.equal(await taken, answer);
    }
    assert.equal(asked, 2);
  });

  it('is asked for again when something changed before it was taken', async () => {
    ahead.begin();
    ahead.forget();
    const taken = ahead.take();
    answers[0]?.('old');
    answers[1]?.('fresh');
    assert.equal(await taken, 'fresh');
  });

  it('is asked for again when something changes while it is waited for', async () => {
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
