import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorkerThread } from '../../../src/extension/rpc/workerClient';

describe('A worker thread', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rethread-thread-'));
  });
  after(async () => {
    await rm(folder, { recursive: true });
  });

  async function start(source: string) {
    const entry = join(folder, 'worker.cjs');
    await writeFile(entry, `const { parentPort } = require('node:worker_threads');\n${source}`);
    const thread = startWorkerThread(entry);
    const death = new Promise<string>((resolve) => {
      thread.onDeath(resolve);
    });
    return { thread, death };
  }

  it('passes messages in both directions', async () => {
    const { thread } = await start(`parentPort.on('message', (message) => parentPort.postMessage({ echo: message }));`);
    const answer = new Promise((resolve) => {
      thread.onMessage(resolve);
    });
    thread.post('hello');
    assert.deepEqual(await answer, { echo: 'hello' });
    await thread.end(0);
  });

  it('reports the error when it dies of one', async () => {
    const { death } = await start(`throw new Error('broken');`);
    assert.match(await death, /broken/);
  });

  it('reports its exit code when it exits by itself', async () => {
    const { death } = await start('process.exit(7);');
    assert.equal(await death, 'exit code 7');
  });

  it('reports a missing entry file', async () => {
    const thread = startWorkerThread(join(folder, 'missing.cjs'));
    const reason = await new Promise<string>((resolve) => {
      thread.onDeath(resolve);
    });
    assert.match(reason, /missing\.cjs/);
  });

  it('is not reported as dead when it was asked to end', async () => {
    const { thread, death } = await start(`parentPort.on('message', () => undefined);`);
    const ended = thread.end(0);
    const { thread: other, death: otherDeath } = await start('process.exit(1);');
    const first = await Promise.race([death, otherDeath.then(() => 'the other one')]);
    assert.equal(first, 'the other one');
    await Promise.all([ended, other.end(0)]);
  });

  it('is left to end by itself for as long as it is given', async () => {
    const mark = join(folder, 'last-act');
    const { thread, death } = await start(
      `process.once('exit', () => require('node:fs').writeFileSync(${JSON.stringify(mark)}, 'done'));
       parentPort.on('message', () => setTimeout(() => process.exit(), 50));`,
    );
    thread.post('end');
    await thread.end(60_000);
    assert.equal(await readFile(mark, 'utf8'), 'done');
    assert.equal(await Promise.race([death, Promise.resolve('not reported')]), 'not reported');
  });

  it('is terminated if it does not end by itself in time', async () => {
    const { thread, death } = await start(`setInterval(() => undefined, 1000);`);
    await thread.end(20);
    assert.equal(await Promise.race([death, Promise.resolve('not reported')]), 'not reported');
  });
});
