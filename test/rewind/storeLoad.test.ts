import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { messageRow, sessionPaths, SessionStore, storeLayout } from '../rooms/history';
import { nodeWriteFs, writeRows } from '../rooms/storage';
import { withTemporaryFolder } from '../support/temporaryFolder';

const ROWS = 100_000;
const ROUNDS = 3;
/** The memory of the plainest way, and a little more; `npm run bench` measures the time. */
const MAX_TIMES_PLAIN = 2;

describe('A session of 100,000 messages', () => {
  it('is loaded completely, in about the time that JSON.parse takes on its lines', () =>
    withTemporaryFolder(async (configDir) => {
      const paths = sessionPaths(storeLayout(configDir), 'large');
      mkdirSync(paths.folder, { recursive: true });
      const text = 'a few words, "quoted"\n'.repeat(12);
      const rows = Array.from({ length: ROWS }, (_, at) =>
        messageRow({
          uuid: `m${at}`,
          timeMs: at,
          after: null,
          body: { type: 'user', message: { role: 'user', content: text } },
        }),
      );
      await writeRows(paths.messages, 'messages', rows, nodeWriteFs);
      const store = new SessionStore({ configDir: () => configDir, fs: nodeWriteFs, now: Date.now, random: () => 'x' });
      const times = { ours: Infinity, plain: Infinity };
      for (let round = 0; round < ROUNDS; round++) {
        const plain = process.cpuUsage();
        const parsed = readFileSync(paths.messages, 'utf8')
          .split('\n')
          .map((line): unknown => JSON.parse(line));
        times.plain = Math.min(times.plain, cpuMs(plain));
        assert.equal(parsed.length, ROWS + 1);
        const ours = process.cpuUsage();
        const { messages } = await store.load('large');
        times.ours = Math.min(times.ours, cpuMs(ours));
        assert.deepEqual([messages.length, messages.at(-1)?.uuid], [ROWS, `m${ROWS - 1}`]);
      }
      console.log(`      ${times.ours.toFixed(0)} ms of CPU, plain ${times.plain.toFixed(0)} ms`);
      assert.ok(times.ours <= MAX_TIMES_PLAIN * times.plain);
      appendFileSync(paths.messages, '\n{"uuid":"torn');
      await (await store.open('large', '/')).append({ type: 'next' });
      const healed = await store.load('large');
      assert.deepEqual([healed.messages.length, healed.torn], [ROWS + 1, 1]);
    })).timeout(120_000);
});

function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}
