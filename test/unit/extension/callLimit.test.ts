import assert from 'node:assert/strict';
import { withLimit } from '../../../src/extension/rpc/callLimit';
import { WorkerError } from '../../../src/extension/rpc/workerError';

const never = new Promise<number>(() => undefined);

describe('a call with a limit', () => {
  it('gives what the work gives', async () => {
    assert.equal(await withLimit(Promise.resolve(7), 60_000), 7);
  });
  it('rejects with what the work rejects with', async () => {
    await assert.rejects(withLimit(Promise.reject(new Error('no')), 60_000), /no/);
  });
  it('rejects as timed out when no answer comes', async () => {
    await assert.rejects(withLimit(never, 0), (error) => error instanceof WorkerError && error.code === 'timeout');
  });
  it('rejects at once when it was given up before it began', async () => {
    await assert.rejects(withLimit(never, AbortSignal.abort()), { name: 'AbortError' });
  });
});
