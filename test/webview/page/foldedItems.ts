import type { ContentBlock, ConversationItem, CutText, RowItem, ToolBlock } from '../../../src/protocol/conversation';
import { fakeItem } from './fakeItems';

const FIRST = 30;
const LINES = 120;

let resultLine = 9000;
const cut = (text: string, more = 0): CutText => ({ text, more });
const lines = (needleAt: number): string =>
  Array.from({ length: LINES }, (_, at) => (at === needleAt ? `here is the needle of line ${at}` : `line ${at}`)).join(
    '\n',
  );

/** The extension's answer for the text that is cut. */
export const WHOLE_TEXT = `${'A long line of an output, as it comes.\n'.repeat(8000)}the needle at its end\n`;
const CUT_AT = 4000;

function tool(input: ToolBlock['input'], result: string | null, title: string): ToolBlock {
  return {
    kind: 'tool',
    path: 'call',
    id: 'toolu_unseen',
    name: 'Tool',
    title,
    input,
    result:
      result === null
        ? null
        : { line: resultLine++, path: 'r', isError: false, text: cut(result), images: [], persisted: null },
    subagent: null,
  };
}

const BLOCKS: readonly ContentBlock[] = [
  {
    kind: 'thinking',
    path: '0',
    body: cut(`${'I think. '.repeat(60)}The needle. ${'I think on.\n\n'.repeat(80)}`),
    isRedacted: false,
  },
  { kind: 'note', title: 'Hook ran', path: '0', body: cut('It found a needle.') },
  tool({ kind: 'read', filePath: '/a/b.txt', offset: 1, limit: 200 }, lines(90), 'b.txt'),
  tool({ kind: 'bash', command: cut('cat long.txt'), description: 'Show the file' }, lines(70), 'Show the file'),
  { kind: 'error', path: '0', body: cut(WHOLE_TEXT.slice(0, CUT_AT), WHOLE_TEXT.length - CUT_AT) },
  {
    kind: 'text',
    path: '0',
    body: cut(`${'A paragraph of a long reply.\n\n'.repeat(1800)}The **needle**.\n\n${'And so on.\n\n'.repeat(50)}`),
  },
  { kind: 'summary', path: '0', body: cut('It was about a needle.') },
  tool(
    {
      kind: 'diff',
      filePath: '/a/c.ts',
      hunks: [
        {
          oldStart: 1,
          newStart: 1,
          lines: Array.from({ length: LINES }, (_, at) => ({
            kind: 'context' as const,
            text: at === 100 ? 'const needle = 1;' : `const n${at} = ${at};`,
          })),
        },
      ],
      more: 0,
    },
    null,
    'c.ts',
  ),
  tool({ kind: 'json', json: cut('{"note":"say \\"needle and thread\\""}') }, null, 'A tool that nobody knows'),
  {
    kind: 'text',
    path: '0',
    body: cut('It is foo **bar** in [the notes](https://example.com/hidden-address), and `code`.'),
  },
];

/** A conversation in which nearly all hits are collapsed: ten rows from the 31st on. */
export function foldedItems(): readonly ConversationItem[] {
  return Array.from({ length: 100 }, (_, index) => {
    const block = BLOCKS[index - FIRST];
    return block === undefined ? fakeItem(index) : row(index + 1, block);
  });
}

function row(line: number, block: ContentBlock): RowItem {
  return {
    kind: 'row',
    line,
    uuid: null,
    role: 'assistant',
    timeMs: null,
    isLoaded: true,
    isSidechain: false,
    continues: false,
    model: null,
    blocks: [block],
    branches: [],
  };
}
