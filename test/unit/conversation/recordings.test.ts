import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RowFlag } from '../../rooms/transcript';
import type { ConversationView } from '../../../src/protocol/conversation';
import { loaded } from '../../support/diagnosed';
import { FIXTURES, listCorruptCases, listRecordings } from '../../support/fixtures';
import { scanBytes } from '../../support/scanBytes';
import { allItems, apart, CHAIN, FILE, panelItems, rowsOf, shownLines, withConversation } from './readView';

interface Case {
  readonly name: string;
  readonly bytes: Buffer;
}

const CASES: readonly Case[] = [
  ...listRecordings().map((file) => ({ name: file, bytes: readFileSync(join(FIXTURES, file)) })),
  ...listCorruptCases().map(({ name, spacing, bytes }) => ({ name: `${name} (${spacing})`, bytes })),
];

/** The lines of the rows that a resume would load or check, each as often as there are rows on it. */
function historyLines(bytes: Buffer): number[] {
  const { index, resume } = loaded(scanBytes(bytes));
  const isMain = (row: number): boolean => !index.rows.has(row, RowFlag.sidechain);
  return Array.from(resume.history.filter(isMain), (row) => index.rows.line(row));
}

function storedLines(bytes: Buffer): number[] {
  const { rows } = scanBytes(bytes);
  return Array.from({ length: rows.count }, (_, row) => rows.line(row));
}

function leafLines(bytes: Buffer): number[] {
  const { index } = loaded(scanBytes(bytes));
  const parents = new Set(Array.from({ length: index.rows.count }, (_, row) => index.rows.parent(row)));
  const lines: number[] = [];
  for (let row = 0; row < index.rows.count; row++) {
    if (!parents.has(index.rows.uuid(row))) lines.push(index.rows.line(row));
  }
  return lines;
}

describe('A conversation of each recorded and each damaged transcript', () => {
  for (const { name, bytes } of CASES) {
    it(`shows ${name}`, () =>
      withConversation(bytes, async (conversation) => {
        const head = await conversation.head(CHAIN);
        assert.equal(head.problem, null);
        const inTurns = await panelItems(conversation, CHAIN);
        assert.equal(inTurns.length, head.count);
        const chain = apart(inTurns);
        const shown = shownLines(chain);
        const count = (lines: readonly number[], line: number): number => lines.filter((each) => each === line).length;
        const history = historyLines(bytes);
        const stored = storedLines(bytes);
        for (const line of new Set(history)) {
          // Beside a loaded row there may be one that the client does not see, on the same line.
          const atMost = Math.max(count(history, line), count(stored, line));
          assert.ok(
            count(shown, line) >= count(history, line) && count(shown, line) <= atMost,
            `line ${line} is shown once`,
          );
        }
        const file = rowsOf(await allItems(conversation, FILE));
        assert.equal(file.filter(({ isLoaded }) => isLoaded === true).length, head.loads);
        assert.equal(file.filter(({ isLoaded }) => isLoaded !== null).length >= head.of, true);
        const lines = file.map(({ line }) => line);
        assert.deepEqual(
          lines,
          [...lines].sort((a, b) => a - b),
        );
        for (const leafLine of leafLines(bytes)) {
          const view: ConversationView = { kind: 'branch', leafLine };
          const items = await allItems(conversation, view);
          assert.ok(shownLines(items).includes(leafLine), `the branch of line ${leafLine} shows it`);
        }
      }));
  }
});
