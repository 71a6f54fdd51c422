import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConversationItem, ConversationView, PanelItem } from '../../../src/protocol/conversation';
import { FIXTURES, listCorruptCases, listRecordings } from '../../support/fixtures';
import { wasmScanners } from '../../support/scannerModule';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { prompt, reply, transcript } from '../../support/transcriptBuilder';
import {
  allItems,
  apart,
  CHAIN,
  FILE,
  itemsOf,
  openConversation,
  outlineOf,
  panelItems,
  withConversation,
} from './readView';
import { plainScanner } from '../../support/plainScanner';

const VIEWS: readonly ConversationView[] = [CHAIN, FILE];
const CALL = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'sleep 60' } };
const START = transcript([prompt('p1', null), reply('r1', 'p1')]);

/** Items never contain paths of transcripts. */
async function itemsOfBoth(bytes: Uint8Array): Promise<ConversationItem[][]> {
  return Promise.all(VIEWS.map((view) => itemsOf(bytes, view)));
}

for (const [name, createScanner] of [
  ['the plain scanner', plainScanner],
  ['WasmScanner', wasmScanners()],
] as const) {
  describe(`A growing conversation (${name})`, () => {
    const bases = [
      ...listRecordings().map((file) => readFileSync(join(FIXTURES, file))),
      ...listCorruptCases()
        .filter(({ spacing, name: damage }) => spacing === 'far' && /^(b6|c1|e3|e9|e11|g2|n4|o3|q9)-/.test(damage))
        .map(({ bytes }) => bytes),
    ];

    it('shows after each line the same as when it is opened again', async function () {
      this.timeout(120_000);
      for (const bytes of bases) {
        await withTemporaryFolder(async (folder) => {
          const filePath = join(folder, 'session.jsonl');
          writeFileSync(filePath, '');
          const conversation = openConversation(filePath, createScanner);
          const lines = bytes.toString('latin1').match(/[^\n]*\n/g) ?? [];
          let revision = (await conversation.head()).revision;
          for (const [at, line] of lines.entries()) {
            appendFileSync(filePath, line, 'latin1');
            assert.equal(await conversation.refresh(), true);
            const head = await conversation.head();
            assert.ok(head.revision > revision, 'the revision counts up');
            revision = head.revision;
            if (at % 9 !== 0 && at !== lines.length - 1) continue;
            const anew = await itemsOfBoth(Buffer.from(lines.slice(0, at + 1).join(''), 'latin1'));
            for (const [number, view] of VIEWS.entries()) {
              assert.deepEqual(await allItems(conversation, view), anew[number]);
            }
          }
          conversation.close();
        });
      }
    });
  });
}

describe('A conversation whose file changes', () => {
  it('counts what Claude remembers as a fresh reading does when a call that had no result yet is left without one', () => {
    const call = reply('r2', 'p2', {
      message: { id: 'm2', role: 'assistant', content: [CALL], stop_reason: 'tool_use' },
    });
    return withConversation(
      transcript([prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1')]),
      async (conversation, filePath) => {
        for (const row of [call, prompt('p3', 'r2'), reply('r3', 'p3')]) {
          const before = (await conversation.head()).memory;
          appendFileSync(filePath, transcript([row]));
          await conversation.refresh();
          const { memory } = await conversation.head();
          await withConversation(readFileSync(filePath), async (fresh) => {
            assert.deepEqual(memory, (await fresh.head()).memory, JSON.stringify(before));
          });
        }
      },
    );
  });

  it('returns pages that add up to the whole, at any page size', async () => {
    const bytes = readFileSync(join(FIXTURES, listRecordings().find((file) => file.includes('tui-edits')) ?? ''));
    await withConversation(bytes, async (conversation) => {
      for (const view of VIEWS) {
        const whole = await panelItems(conversation, view);
        for (const size of [1, 2, 7, 50]) {
          const parts: PanelItem[] = [];
          for (let from = 0; from < whole.length; from += size) {
            const page = await conversation.items(view, from, size);
            assert.equal(page.from, from);
            parts.push(...page.items);
          }
          assert.deepEqual(parts, whole);
        }
        assert.deepEqual((await conversation.items(view, whole.length, 5)).items, []);
        assert.deepEqual((await conversation.items(view, -3, Number.NaN)).items, []);
      }
    });
  });

  it('reports nothing when its file did not change', () =>
    withConversation(START, async (conversation) => {
      const { revision } = await conversation.head();
      assert.equal(await conversation.refresh(), false);
      assert.equal((await conversation.head()).revision, revision);
    }));

  it('adds a row that is still being written once it is complete', () =>
    withConversation(START, async (conversation, filePath) => {
      await conversation.head();
      const row = transcript([prompt('p2', 'r1')]);
      appendFileSync(filePath, row.subarray(0, 40));
      assert.equal(await conversation.refresh(), false);
      assert.deepEqual(outlineOf(await allItems(conversation, CHAIN)), ['1', '2']);
      appendFileSync(filePath, row.subarray(40));
      assert.equal(await conversation.refresh(), true);
      assert.deepEqual(outlineOf(await allItems(conversation, CHAIN)), ['1', '2', '3']);
    }));

  it('treats a last line without a newline as a row when nothing follows for a while', () =>
    withConversation(START, async (conversation, filePath) => {
      await conversation.head();
      appendFileSync(filePath, transcript([prompt('p2', 'r1')]).subarray(0, -1));
      let looks = 0;
      while (!(await conversation.refresh()) && looks < 100) looks++;
      assert.deepEqual(outlineOf(await allItems(conversation, CHAIN)), ['1', '2', '3']);
      appendFileSync(filePath, `\n${transcript([reply('r2', 'p2')]).toString()}`);
      assert.equal(await conversation.refresh(), true);
      assert.deepEqual(outlineOf(await allItems(conversation, CHAIN)), ['1', '2', '3', '4']);
    }));

  it('starts again when the file is truncated', () =>
    withConversation(START, async (conversation, filePath) => {
      assert.equal((await conversation.head()).count, 2);
      truncateSync(filePath, START.indexOf(10) + 1);
      assert.equal(await conversation.refresh(), true);
      assert.deepEqual(outlineOf(await allItems(conversation, CHAIN)), ['1']);
    }));

  it('distinguishes a file with other content from one that was overwritten with the same, moved or touched', () =>
    withConversation(START, async (conversation, filePath) => {
      const replacements = async (): Promise<number> => {
        await conversation.refresh();
        return (await conversation.head()).replacements;
      };
      const replaceBy = (bytes: Uint8Array): void => {
        writeFileSync(`${filePath}.new`, bytes);
        renameSync(`${filePath}.new`, filePath);
      };
      const other = transcript([prompt('other', null), reply('x', 'other'), prompt('y', 'x')]);
      assert.equal(await replacements(), 0);
      replaceBy(START);
      utimesSync(filePath, 1, 1);
      assert.equal(await replacements(), 0);
      appendFileSync(filePath, transcript([prompt('p2', 'r1')]));
      assert.equal(await replacements(), 0);
      replaceBy(other);
      assert.equal(await replacements(), 1);
      writeFileSync(filePath, Buffer.from(other.toString().replaceAll('prompt', 'PROMPT')));
      assert.equal(await replacements(), 2);
      truncateSync(filePath, other.indexOf(10) + 1);
      assert.equal(await replacements(), 3);
      rmSync(filePath);
      assert.equal(await replacements(), 3);
      assert.match((await conversation.head()).problem ?? '', /is gone: it was deleted or moved\.$/);
      writeFileSync(filePath, START);
      assert.equal(await replacements(), 4);
      rmSync(filePath);
      assert.equal(await replacements(), 4);
      writeFileSync(filePath, START);
      assert.equal(await replacements(), 4);
    }));

  it('shows the file that replaced another', () =>
    withConversation(START, async (conversation, filePath) => {
      await conversation.head();
      writeFileSync(`${filePath}.new`, transcript([prompt('other', null), reply('x', 'other'), prompt('y', 'x')]));
      renameSync(`${filePath}.new`, filePath);
      // Without a check in between: the request is for the file that is there.
      const page = await conversation.items(CHAIN, 0, 10);
      assert.deepEqual(outlineOf(apart(page.items)), ['1', '2', '3']);
      assert.equal((await conversation.head()).count, 3);
    }));

  it('reports a deleted file, still answers, and shows the file when it is back', () =>
    withConversation(START, async (conversation, filePath) => {
      await conversation.head();
      rmSync(filePath);
      assert.equal(await conversation.refresh(), true);
      assert.equal(await conversation.refresh(), false, 'it is told once');
      const head = await conversation.head();
      assert.match(head.problem ?? '', /is gone: it was deleted/);
      assert.equal(head.count, 0);
      assert.deepEqual((await conversation.items(CHAIN, 0, 10)).items, []);
      assert.deepEqual(await conversation.outline(CHAIN), []);
      assert.equal(await conversation.text(1, 'message.content'), null);
      assert.equal(await conversation.image(1, 'message.content'), null);
      assert.equal(await conversation.line(1), null);
      assert.equal(await conversation.edit(1, ''), null);
      assert.equal(await conversation.indexOfLine(CHAIN, 1), null);
      const query = { text: 'x', isRegExp: false, isCaseSensitive: false, roles: [], tool: null };
      const found = await conversation.find(CHAIN, query);
      assert.deepEqual([found.items, found.problem], [[], head.problem]);
      writeFileSync(filePath, START);
      assert.equal(await conversation.refresh(), true);
      assert.equal((await conversation.head()).problem, null);
      assert.equal((await conversation.head()).count, 2);
    }));

  it('notices a deleted file on a request, not only on a check', () =>
    withConversation(START, async (conversation, filePath) => {
      await conversation.head();
      rmSync(filePath);
      assert.deepEqual((await conversation.items(CHAIN, 0, 10)).items, []);
      assert.match((await conversation.head()).problem ?? '', /is gone: it was deleted/);
    }));
});
