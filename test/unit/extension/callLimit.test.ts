import assert from 'node:assert/strict';
import { withLimit } from '../../../src/protocol/rpcClient';

class LateError extends Error {}
const timedOut = (): Error => new LateError();
const never = new Promise<number>(() => undefined);

describe('A call with a limit', () => {
  it('resolves with the result of the work', async () => {
    assert.equal(await withLimit(Promise.resolve(7), 60_000, timedOut), 7);
  });
  it('rejects with the error of the work', async () => {
    await assert.rejects(withLimit(Promise.reject(new Error('no')), 60_000, timedOut), /no/);
  });
  it('rejects with a timeout when no answer arrives', async () => {
    await assert.rejects(withLimit(never, 0, timedOut), LateError);
  });
  it('rejects at once if it was aborted before it began', async () => {
    await assert.rejects(withLimit(never, AbortSignal.abort(), timedOut), { name: 'AbortError' });
  });
});
