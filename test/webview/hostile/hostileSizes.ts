import { bash, cut, everywhere, markdown, result, tool, type HostileRow } from './hostileRow';

const MB = 1024 * 1024;
const fill = (piece: string, size: number): string => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
const text = (name: string, make: () => string): HostileRow => ({ name, blocks: () => [markdown(make())] });

/** Shapes for which parsers need quadratic time, or their whole stack. */
const SHAPES: Readonly<Record<string, () => string>> = {
  '5 MB of open brackets': () => fill('[', 5 * MB),
  '5 MB of open image brackets': () => fill('![', 5 * MB),
  '1 MB of stars': () => fill('*', MB),
  'emphasis within emphasis': () => `${'*a **b '.repeat(5000)}${' c** d*'.repeat(5000)}`,
  'emphasis that never closes': () => fill('a**b', MB),
  'underscores that never close': () => fill('a_', MB),
  'strikethrough that never closes': () => fill('~~a ', MB),
  'backticks of growing length': () => Array.from({ length: 600 }, (_, at) => `${'`'.repeat(at + 1)}a`).join(' '),
  'an open fence after another': () => fill('```\n', MB),
  'block quotes 10,000 deep': () => `${'> '.repeat(10_000)}deep`,
  'block quotes 10,000 deep without spaces': () => `${'>'.repeat(10_000)}deep`,
  'lists 10,000 deep in a line': () => `${'- '.repeat(10_000)}deep`,
  'numbered lists 10,000 deep in a line': () => `${'1. '.repeat(10_000)}deep`,
  'lists 1,000 deep by indentation': () =>
    Array.from({ length: 1000 }, (_, at) => `${' '.repeat(2 * at)}- a`).join('\n'),
  'quotes and lists in turns, 10,000 deep': () => `${'> - '.repeat(10_000)}deep`,
  'brackets within brackets': () => '['.repeat(50_000) + ']'.repeat(50_000),
  'links within links': () => '[a'.repeat(20_000) + '](b)'.repeat(20_000),
  'parentheses within an address': () => `[a](${fill('(', MB)}`,
  'an address that ends in parentheses': () => `http://a${fill(')', MB)}`,
  'an address of punctuation': () => fill('https://a.b/?!.,:*_~', MB),
  'mail addresses without end': () => fill('a@b.', MB),
  '10,000 definitions': () => Array.from({ length: 10_000 }, (_, at) => `[a${at}]: x`).join('\n'),
  'a table of 4,000 columns': () => `|${'a|'.repeat(4000)}\n|${'-|'.repeat(4000)}\n${'|x\n'.repeat(4000)}`,
  'a table of 20,000 rows': () => `|a|b|\n|-|-|\n${'|1|2|\n'.repeat(20_000)}`,
  'a table with a word as long as a page': () => `|a|b|\n|-|-|\n|${'x'.repeat(5000)}|y|\n`,
  '1 MB of pipes': () => fill('|', MB),
  '1 MB of spaces within a line': () => `a${' '.repeat(MB)}b`,
  '1 MB of tabs': () => fill('\t', MB),
  '1 MB of line ends': () => `a${'\n'.repeat(MB)}b`,
  '1 MB of backslashes': () => fill('\\', MB),
  '1 MB of ampersands': () => fill('&', MB),
  '1 MB of open comments': () => fill('<!--', MB),
  '1 MB of open tags': () => fill('<a b="', MB),
  '1 MB of open CDATA': () => fill('<![CDATA[', MB),
  'headings without end': () => fill('# ', MB),
  'underlined headings without end': () => fill('a\n=\n', MB),
  'task lists without end': () => fill('- [ ] \n', MB),
  'a line of 1 MB': () => fill('abcdefghij', MB),
  '5 MB of CJK': () => fill('漢字かな交じり文。', 5 * MB),
  '5 MB of emoji': () => fill('👩‍👩‍👧‍👦🏳️‍🌈', 5 * MB),
  '5 MB of Arabic and Hebrew': () => fill('مرحبا بالعالم שלום עולם ', 5 * MB),
  'accents a thousand high': () => fill(`a${'\u0301'.repeat(1000)} `, 20_000),
  'half of surrogate pairs': () => fill('\ud83d \udc69', 20_000),
  'a code block of 2 MB': () => `\`\`\`ts\n${fill('const a = { b: [1, 2, 3] };\n', 2 * MB)}\n\`\`\``,
  'code that takes highlighters long': () =>
    `\`\`\`js\n${fill('a(/*', 16_000)}\n\`\`\`\n\`\`\`cpp\n${fill('a<', 15_000)}\n\`\`\``,
};

export const hostileSizes: readonly HostileRow[] = [
  ...Object.entries(SHAPES).map(([name, make]) => text(name, make)),
  {
    name: 'a prompt of 5 MB',
    role: 'user',
    blocks: () => [{ kind: 'text', path: 'content.0', body: cut(fill('a [b](c) **d** ', 20_000), 5 * MB) }],
    answers: { text: fill('a [b](c) **d** ', 5 * MB) },
  },
  { name: 'an output that is a line of 1 MB', blocks: () => [bash(fill('0123456789abcdef', MB))] },
  {
    name: 'a command that is a line of 1 MB',
    blocks: () => [tool({ kind: 'bash', command: cut(fill('x', MB)), description: null })],
  },
  {
    name: 'a cut output of 20 MB',
    blocks: () => [
      tool({ kind: 'json', json: cut('{"a": [') }, { result: result('first', { text: cut('first', 20 * MB) }) }),
    ],
    answers: { text: fill('0123456789 \u001b[31mred\u001b[0m\n', 20 * MB) },
  },
  {
    name: 'a diff whose lines are of 1 MB each',
    blocks: () => [
      tool({
        kind: 'diff',
        filePath: fill('a/', 100_000),
        hunks: [
          {
            oldStart: 1,
            newStart: 1,
            lines: (['added', 'removed', 'context'] as const).map((kind) => ({ kind, text: fill('x', MB) })),
          },
        ],
        more: Number.MAX_SAFE_INTEGER,
      }),
    ],
  },
  {
    name: 'a diff of 100,000 lines in 10,000 hunks',
    blocks: () => [
      tool({
        kind: 'diff',
        filePath: 'a',
        hunks: Array.from({ length: 10_000 }, (_, at) => ({
          oldStart: at * 10,
          newStart: at * 10,
          lines: Array.from({ length: 10 }, () => ({ kind: 'added' as const, text: 'x' })),
        })),
        more: 0,
      }),
    ],
  },
  {
    name: 'JSON 10,000 deep',
    blocks: () => [
      tool({ kind: 'json', json: cut('[{"a":'.repeat(10_000)) }),
      { kind: 'raw', title: 'deep', path: 'raw', body: cut('['.repeat(100_000) + ']'.repeat(100_000)) },
    ],
  },
  {
    name: '10,000 todos',
    blocks: () => [tool({ kind: 'todos', todos: Array.from({ length: 10_000 }, () => ({ text: 'a', status: 'b' })) })],
  },
  {
    name: '10,000 images',
    blocks: () => [
      tool(
        { kind: 'json', json: cut('{}') },
        {
          result: result('', {
            isError: true,
            images: Array.from({ length: 10_000 }, (_, at) => ({ path: `${at}`, mediaType: 'image/png', bytes: 1 })),
          }),
        },
      ),
    ],
  },
  { name: 'a name and a title of 1 MB', blocks: () => everywhere(fill('W', MB)) },
  { name: 'a name and a title of 10,000 lines', blocks: () => everywhere(fill('line\n', 50_000)) },
];
