import assert from 'node:assert/strict';
import { withLimit } from '../../../src/protocol/rpcClient';

class LateError extends Error {}
const timedOut = (): Error => new LateError();
const never = new Promise<number>(() => undefined);

describe('a call with a limit', () => {
  it('gives what the work gives', async () => {
    assert.equal(await withLimit(Promise.resolve(7), 60_000, timedOut), 7);
  });
  it('rejects with what the work rejects with', async () => {
    await assert.rejects(withLimit(Promise.reject(new Error('no')), 60_000, timedOut), /no/);
  });
  it('rejects as timed out when no answer comes', async () => {
    await assert.rejects(withLimit(never, 0, timedOut), LateError);
  });
  it('rejects at once when it was given up before it began', async () => {
    await assert.rejects(withLimit(never, AbortSignal.abort(), timedOut), { name: 'AbortError' });
  });
});
