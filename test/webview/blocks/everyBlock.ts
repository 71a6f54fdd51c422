import type { ContentBlock, ItemRole } from '../../../src/protocol/conversation';
import { cut, result, tool } from '../hostile/hostileRow';

interface Shown {
  readonly role: ItemRole;
  readonly block: ContentBlock;
}

const REPLY = `I found **two** problems in \`src/cart/total.ts\`, see [the docs](https://example.com/docs) or [total.ts](src/cart/total.ts:12).

# Rounding

1. Prices are floats, so \`0.1 + 0.2\` is not \`0.3\`.
2. The discount is taken *before* tax:
   \`\`\`ts
   // Works in whole cents.
   export function total(items: readonly Item[], rate = 0.19): number {
     const net = items.reduce((sum, item) => sum + item.cents, 0);
     return Math.round(net * (1 + rate)); // "cents"
   }
   \`\`\`

> Note: nothing else calls it.

- [x] Write a failing test
- [ ] Fix the rounding, press <kbd>Ctrl</kbd>+<kbd>S</kbd>

| File | Lines | Status |
|:-----|------:|:------:|
| src/cart/total.ts | 42 | changed |
| test/cart/total.test.ts | 118 | new |

A component such as <Button kind="primary"> stays as it was.

\`\`\`bash
npm test -- --grep "total" | tee out.log
\`\`\`
`;

const OUTPUT = `\u001b[1m> shop@1.0.0 test\u001b[22m

  \u001b[32m✓\u001b[39m adds prices \u001b[2m(3 ms)\u001b[22m
  \u001b[31m✗ takes the discount after tax\u001b[39m

\u001b[7m FAIL \u001b[27m \u001b[33mtest/cart/total.test.ts\u001b[39m
    expected \u001b[32m119\u001b[39m, got \u001b[31m118.99999999999999\u001b[39m
    \u001b[38;5;208mat\u001b[0m total (\u001b[36msrc/cart/total.ts\u001b[39m:12)
\u001b[42;30m done \u001b[0m in \u001b[95m1.2 s\u001b[0m
${[30, 40, 90, 100].map((ground) => Array.from({ length: 8 }, (_, at) => `\u001b[${ground + at}mcolour\u001b[0m`).join(' ')).join('\n')}
${Array.from({ length: 20 }, (_, at) => `line ${at + 10}`).join('\n')}
`;

/** One of each kind, as in ordinary sessions. */
export const everyBlock: readonly Shown[] = [
  {
    role: 'user',
    block: {
      kind: 'text',
      path: '0',
      body: cut('The total of the cart is **off by a cent**.\nCan you look at `total.ts`?'),
    },
  },
  {
    role: 'assistant',
    block: {
      kind: 'thinking',
      path: '0',
      body: cut('The person sees a rounding error. Floats are likely.\n\nLet me read it.'),
      isRedacted: false,
    },
  },
  { role: 'assistant', block: { kind: 'thinking', path: '0', body: cut(''), isRedacted: true } },
  { role: 'assistant', block: { kind: 'text', path: '1', body: cut(REPLY) } },
  {
    role: 'assistant',
    block: tool(
      {
        kind: 'bash',
        command: cut('npm test -- --grep "total" 2>&1 | head -40'),
        description: 'Run the tests of the cart',
      },
      { name: 'Bash', title: 'Run the tests of the cart', result: result(OUTPUT) },
    ),
  },
  {
    role: 'assistant',
    block: tool(
      { kind: 'bash', command: cut('cat missing.txt'), description: null },
      {
        name: 'Bash',
        title: 'cat missing.txt',
        result: result('cat: missing.txt: No such file or directory', { isError: true }),
      },
    ),
  },
  {
    role: 'assistant',
    block: tool(
      {
        kind: 'read',
        filePath: '/home/somebody/projects/a-shop-with-a-long-name/src/cart/total.ts',
        offset: 10,
        limit: 20,
      },
      {
        name: 'Read',
        title: '/home/somebody/projects/a-shop-with-a-long-name/src/cart/total.ts',
        result: result('    10→export function total() {\n    11→}'),
      },
    ),
  },
  {
    role: 'assistant',
    block: tool(
      {
        kind: 'diff',
        filePath: '/home/somebody/projects/shop/src/cart/total.ts',
        hunks: [
          {
            oldStart: 10,
            newStart: 10,
            lines: [
              { kind: 'context', text: 'export function total(items: Item[]): number {' },
              { kind: 'removed', text: '  return items.reduce((sum, item) => sum + item.price, 0) * 1.19;' },
              { kind: 'added', text: '  const net = items.reduce((sum, item) => sum + item.cents, 0);' },
              { kind: 'added', text: '  return Math.round(net * 1.19);' },
              { kind: 'context', text: '}' },
            ],
          },
          {
            oldStart: 140,
            newStart: 141,
            lines: [
              {
                kind: 'removed',
                text: '\tconst isAdmin = false; /*\u202e } \u2066if (isAdmin)\u2069 \u2066 begin admins only */',
              },
              { kind: 'added', text: '\tconst isAdmin = false;' },
            ],
          },
        ],
        more: 0,
      },
      {
        name: 'Edit',
        title: '/home/somebody/projects/shop/src/cart/total.ts',
        result: result('The file has been updated.'),
      },
    ),
  },
  {
    role: 'assistant',
    block: tool(
      {
        kind: 'write',
        filePath: 'scripts/sum.py',
        content: cut(
          Array.from(
            { length: 30 },
            (_, at) => `def f${at}(x: int) -> str:  # ${at}\n    return "total: %d" % (x + ${at})`,
          ).join('\n'),
        ),
      },
      { name: 'Write', title: 'scripts/sum.py', result: result('File created.') },
    ),
  },
  {
    role: 'assistant',
    block: tool(
      { kind: 'search', pattern: 'total\\(', where: 'src' },
      { name: 'Grep', title: 'total\\( in src', result: result('src/cart/total.ts\nsrc/cart/view.ts') },
    ),
  },
  {
    role: 'assistant',
    block: tool(
      { kind: 'web', url: 'https://example.com/rounding', query: null, prompt: 'How are cents rounded?' },
      { name: 'WebFetch', title: 'https://example.com/rounding', result: result('Half up.', { isError: true }) },
    ),
  },
  {
    role: 'assistant',
    block: tool(
      { kind: 'agent', agentType: 'Explore', prompt: cut('Find every caller of `total`.') },
      {
        name: 'Task',
        title: 'Explore: find callers',
        subagent: '/sessions/agent.jsonl',
        result: result('There are **two**:\n- view.ts\n- api.ts'),
      },
    ),
  },
  {
    role: 'assistant',
    block: tool(
      {
        kind: 'todos',
        todos: [
          { text: 'Write a failing test', status: 'completed' },
          { text: 'Fix the rounding', status: 'in_progress' },
          { text: 'Tell the team', status: 'pending' },
        ],
      },
      { name: 'TodoWrite', title: '1 of 3 done' },
    ),
  },
  {
    role: 'assistant',
    block: tool(
      {
        kind: 'json',
        json: cut(
          '{"query":"is:open label:bug","limit":12345678901234567890,"nested":{"a":[1,2,{}],"b":null,"c":true}}',
        ),
      },
      {
        name: 'mcp__github__search_issues',
        title: 'is:open label:bug',
        result: result('[{"id":1,"title":"Off by a cent"}]', { isError: true }),
      },
    ),
  },
  {
    role: 'assistant',
    block: tool(
      { kind: 'bash', command: cut('find / -name "*.log"'), description: null },
      {
        name: 'Bash',
        title: 'find / -name "*.log"',
        result: result('Output too large (1.2 MB).', { persisted: '/sessions/one/tool-results/a.txt' }),
      },
    ),
  },
  {
    role: 'user',
    block: { kind: 'result', path: '0', toolUseId: 'toolu_01AbCdEfGh', result: result('orphaned output') },
  },
  { role: 'user', block: { kind: 'image', path: '1', mediaType: 'image/png', bytes: 70 } },
  { role: 'user', block: { kind: 'interruption', duringTool: true } },
  { role: 'system', block: { kind: 'compaction', trigger: 'auto', tokensBefore: 155_203, earlierRows: 231 } },
  {
    role: 'user',
    block: { kind: 'summary', path: '0', body: cut('1. Primary request\n\nThe person wants **exact** totals.') },
  },
  { role: 'system', block: { kind: 'error', path: '0', body: cut('API Error: 529 {"type":"overloaded_error"}') } },
  { role: 'system', block: { kind: 'note', title: 'Command /model', path: '0', body: cut('Set model to sonnet') } },
  { role: 'system', block: { kind: 'note', title: 'Took 12 s', path: '0', body: null } },
  {
    role: 'unknown',
    block: {
      kind: 'raw',
      title: 'quantum-row',
      path: '',
      body: cut('{"type":"quantum-row","spin":[0.5,-0.5],"cat":{"alive":null,"dead":null}}'),
    },
  },
  { role: 'user', block: { kind: 'text', path: '0', body: cut('שלום, אפשר לבדוק את `total.ts`? 漢字も 👩‍👩‍👧 مرحبا') } },
];
