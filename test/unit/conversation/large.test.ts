import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wasmScanners } from '../../support/scannerModule';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { call, lines, prompt, reply, result, type RowFields } from '../../support/transcriptBuilder';
import { apart, CHAIN, FILE, openConversation, rowsOf } from './readView';

const TURNS = 25_000;

/** A session of 100,000 rows: prompts, calls, results and replies. */
function largeTranscript(): Buffer {
  const parts: string[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const [p, c, t, r] = [`p${turn}`, `c${turn}`, `t${turn}`, `r${turn}`];
    const rows: RowFields[] = [
      prompt(p, turn === 0 ? null : `r${turn - 1}`),
      call(c, p, `call ${turn}`),
      result(t, c, `call ${turn}`),
      reply(r, t),
    ];
    parts.push(...lines(rows));
  }
  return Buffer.from(`${parts.join('\n')}\n`);
}

describe('A conversation of 100,000 rows', () => {
  it('is read to its last row, page by page, with constant memory', function () {
    this.timeout(120_000);
    return withTemporaryFolder(async (folder) => {
      const filePath = join(folder, 'session.jsonl');
      writeFileSync(filePath, largeTranscript());
      const conversation = openConversation(filePath, wasmScanners());
      const head = await conversation.head(CHAIN);
      assert.equal(head.count, TURNS * 3);
      assert.equal(head.loads, TURNS * 4);
      assert.equal((await conversation.head(FILE)).count, TURNS * 4);
      const last = rowsOf(apart((await conversation.items(CHAIN, head.count - 1, 10)).items));
      assert.deepEqual(
        last.map(({ line, isLoaded }) => [line, isLoaded]),
        [[TURNS * 4, true]],
      );
      const before = process.memoryUsage();
      let rows = 0;
      for (let from = 0; from < head.count; from += 1000) {
        const { items } = await conversation.items(CHAIN, from, 1000);
        rows += items.length;
      }
      assert.equal(rows, head.count);
      const after = process.memoryUsage();
      const kept = after.arrayBuffers + after.external - before.arrayBuffers - before.external;
      assert.ok(kept < 32 * 1024 * 1024, `${kept} bytes outside of the heap`);
      assert.equal((await conversation.outline(CHAIN)).length, TURNS);
      conversation.close();
    });
  });
});
