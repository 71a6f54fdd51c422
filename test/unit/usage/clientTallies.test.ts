import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeWriteFs } from '../../rooms/storage';
import { UsageService } from '../../rooms/usage';
import { FIXTURES } from '../../support/fixtures';
import { FakeClock } from '../sessions/fakes';
import { createTranscripts } from './createCounter';
import { plainScanner } from '../../support/plainScanner';

const VIEW = { timeZone: 'Europe/Berlin', priceOverrides: {} };

describe('The client’s own token counts in the recordings', () => {
  const recordings = join(FIXTURES, 'recordings');

  /** The client's counts for a recorded session, and ours. */
  async function compare(recording: string, sessionId: string, isAllCounted = false) {
    const configDir = join(recordings, recording, 'dot-claude');
    const service = new UsageService({
      configDir: () => configDir,
      openCache: () => null,
      openToolCache: () => null,
      createScanner: plainScanner,
      transcripts: createTranscripts(plainScanner, new FakeClock()),
      liveSessions: () => Promise.resolve(new Set()),
      isBusy: () => false,
      write: { fs: nodeWriteFs, random: randomUUID },
      clock: new FakeClock(),
      events: { usageChanged: () => undefined },
    });
    const path = join(configDir, 'projects', '-home-user-project', `${sessionId}.jsonl`);
    if (isAllCounted) await service.usageReport('session', VIEW);
    const usage = await service.sessionUsage(path, VIEW);
    assert.ok(usage?.clientTally, path);
    assert.ok(readFileSync(path, 'utf8').includes('cost-state'));
    return { usage, tally: usage.clientTally };
  }

  for (const [recording, sessionId] of [
    ['plain-chat', '11111111-1111-4111-8111-111111111111'],
    ['tools-parallel-print-mode', '22222222-2222-4222-8222-222222222222'],
    ['resumed-5-turns-and-fork-session', '44444444-4444-4444-8444-444444444444'],
    ['resumed-5-turns-and-fork-session', '55555555-5555-4555-8555-555555555555'],
    ['file-history-rewind', '66666666-6666-4666-8666-666666666666'],
    ['tasks-and-todos', 'a1a1a1a1-a1a1-4a1a-8a1a-a1a1a1a1a1a1'],
    ['tasks-and-todos', 'b2b2b2b2-b2b2-4b2b-8b2b-b2b2b2b2b2b2'],
    ['tasks-and-todos', 'c3c3c3c3-c3c3-4c3c-8c3c-c3c3c3c3c3c3'],
  ] as const) {
    it(`match in tokens and dollars: ${recording}, ${sessionId.slice(0, 8)}`, async () => {
      const { usage, tally } = await compare(recording, sessionId);
      assert.deepEqual(usage.total.counts, tally.counts);
      assert.ok(Math.abs((usage.total.cost.usd ?? NaN) - tally.usd) < 1e-9);
    });
  }

  it('start at zero for a branch: the client counted what is not shared', async () => {
    const recording = 'tui-edits-rewind-tasks-subagents-compaction-branch';
    const { usage, tally } = await compare(recording, '9fc6139e-1bb5-4c4b-8551-2cf7f0cbe897', true);
    assert.equal(usage.total.counts.input - usage.shared.counts.input, tally.counts.input);
    assert.equal(usage.total.counts.output - usage.shared.counts.output, tally.counts.output);
    assert.equal(usage.total.counts.cacheRead - usage.shared.counts.cacheRead, tally.counts.cacheRead);
  });

  it('are higher where a compaction requested a summary, and lower where two clients ran at once', async () => {
    const [compacted, summarised] = [
      await compare('tui-edits-rewind-tasks-subagents-compaction-branch', '33333333-3333-4333-8333-333333333333'),
      await compare('tui-rewind-to-first-and-summarize-from-here', '99999999-9999-4999-8999-999999999999'),
    ];
    // Every recorded request had seven input tokens.
    assert.equal(compacted.tally.counts.input - compacted.usage.total.counts.input, 2 * 7);
    assert.equal(summarised.tally.counts.input - summarised.usage.total.counts.input, 7);
    const twice = await compare('concurrent-writers', 'cccccccc-cccc-4ccc-8ccc-cccccccccccc');
    assert.equal(twice.tally.counts.input - twice.usage.total.counts.input, -2 * 7);
  });
});
