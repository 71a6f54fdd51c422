import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { conversationOrder } from '../../rooms/conversation';
import type { LoadedTranscript } from '../../rooms/loader';
import { NO_ID, RowFlag, RowKind } from '../../rooms/transcript';
import type { ConversationView } from '../../../src/protocol/conversation';
import { damage } from '../../support/damage';
import { loaded } from '../../support/diagnosed';
import { FIXTURES, listDamageBases } from '../../support/fixtures';
import { scanBytes } from '../../support/scanBytes';

const SEEDS = 40;

/** Rows of a view: as items, and in the blocks of calls. */
function rowsIn(transcript: LoadedTranscript, view: ConversationView): number[] {
  const order = conversationOrder(transcript, view);
  const shown: number[] = [];
  for (let item = 0; item < order.count; item++) {
    if (order.kinds[item] !== 0) continue;
    const row = order.values[item] ?? 0;
    shown.push(row, ...order.pairs.resultsOf(row));
    for (const each of [row, ...order.pairs.resultsOf(row)]) assert.equal(order.itemOfRow[each], item);
  }
  assert.equal(new Set(shown).size, shown.length, 'no row stands twice');
  return shown;
}

/** Rows that can be reached from the chain through its branches, and theirs. */
function reachable(transcript: LoadedTranscript): Set<number> {
  const reached = new Set<number>();
  const leaves = new Set<number>();
  const views: ConversationView[] = [{ kind: 'chain' }];
  for (let view = views.pop(); view !== undefined; view = views.pop()) {
    for (const row of rowsIn(transcript, view)) reached.add(row);
    for (const branches of conversationOrder(transcript, view).branches.values()) {
      for (const { leaf } of branches) {
        if (leaves.has(leaf)) continue;
        leaves.add(leaf);
        views.push({ kind: 'branch', leafLine: transcript.index.rows.line(leaf) });
      }
    }
  }
  return reached;
}

describe('A randomly damaged conversation', () => {
  for (const [at, file] of listDamageBases().entries()) {
    it(`shows all of the history once, and makes everything else reachable: ${file}`, () => {
      const original = readFileSync(join(FIXTURES, file));
      for (let seed = 1; seed <= SEEDS; seed++) {
        const { bytes, operations } = damage(original, at * 1000 + seed);
        const transcript = loaded(scanBytes(bytes));
        const { index, resume, view } = transcript;
        const shown = new Set(rowsIn(transcript, { kind: 'chain' }));
        const what = operations.join('; ');
        for (const row of resume.history)
          assert.ok(shown.has(row), `line ${index.rows.line(row)} of the history: ${what}`);
        assert.equal(rowsIn(transcript, { kind: 'file' }).length, index.rows.count);
        const reached = reachable(transcript);
        for (let row = 0; row < index.rows.count; row++) {
          const uuid = index.rows.uuid(row);
          const isReplaced = uuid !== NO_ID && view.rowOf(uuid) !== row;
          const isMain = index.rows.kind(row) !== RowKind.other && !index.rows.has(row, RowFlag.sidechain);
          if (!isMain || isReplaced || !index.rows.has(row, RowFlag.counted)) continue;
          assert.ok(reached.has(row), `line ${index.rows.line(row)} can be come to: ${what}`);
        }
      }
    }).timeout(60_000);
  }
});
