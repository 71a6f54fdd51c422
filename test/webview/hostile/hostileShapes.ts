import type { ContentBlock } from '../../../src/protocol/conversation';
import { cut, type HostileRow, result, tool, wild } from './hostileRow';

const VNODE = { type: 'script', props: { dangerouslySetInnerHTML: { __html: 'pwned()' } }, key: null, ref: null };
const IMAGE: ContentBlock = { kind: 'image', path: 'image', mediaType: 'image/png', bytes: 100 };

const KINDS = [
  'text',
  'thinking',
  'tool',
  'result',
  'image',
  'compaction',
  'summary',
  'interruption',
  'error',
  'note',
  'raw',
  'constructor',
  '__proto__',
  'a kind of another version',
];
const INPUTS = ['bash', 'read', 'diff', 'write', 'search', 'web', 'agent', 'todos', 'json', 'toString', 'unknown'];
const VALUES: Readonly<Record<string, unknown>> = {
  nothing: undefined,
  null: null,
  'a number': NaN,
  'an endless number': -Infinity,
  'a list': [[[]]],
  'an element': VNODE,
  'an object': { toString: 'no function', text: { text: 1 }, length: 1e9 },
};

/** A block in which each field is `value`. */
function filled(kind: string, value: unknown): ContentBlock {
  const fields = [
    'path',
    'body',
    'name',
    'title',
    'input',
    'result',
    'subagent',
    'id',
    'mediaType',
    'bytes',
    'trigger',
  ];
  const more = ['tokensBefore', 'earlierRows', 'duringTool', 'isRedacted', 'toolUseId'];
  return wild({ kind, ...Object.fromEntries([...fields, ...more].map((name) => [name, value])) });
}

function filledInput(kind: string, value: unknown): ContentBlock {
  const fields = [
    'command',
    'description',
    'filePath',
    'offset',
    'limit',
    'hunks',
    'more',
    'content',
    'pattern',
    'where',
  ];
  const more = ['url', 'query', 'prompt', 'agentType', 'todos', 'json'];
  const input = { kind, ...Object.fromEntries([...fields, ...more].map((name) => [name, value])) };
  return wild({ ...tool({ kind: 'json', json: cut('') }), input, result: result('text', { isError: true }) });
}

/** Blocks whose fields have invalid values. */
export const hostileShapes: readonly HostileRow[] = [
  ...Object.entries(VALUES).map(([name, value]) => ({
    name: `every kind of block with ${name} in each field`,
    blocks: () => KINDS.map((kind) => filled(kind, value)),
  })),
  ...Object.entries(VALUES).map(([name, value]) => ({
    name: `every kind of input with ${name} in each field`,
    blocks: () => INPUTS.map((kind) => filledInput(kind, value)),
  })),
  { name: 'a block without anything', blocks: () => [wild({})] },
  { name: 'a block that is none', blocks: () => [wild({ kind: null }), wild({ kind: 12 }), wild({ kind: VNODE })] },
  {
    name: 'an element for a text',
    blocks: () => [wild({ kind: 'text', path: 'a', body: { text: VNODE, more: 0 } })],
  },
  {
    name: 'wild figures',
    blocks: () => [
      { kind: 'compaction', trigger: '<b>x</b>', tokensBefore: -1e308, earlierRows: Number.MAX_VALUE },
      tool({ kind: 'read', filePath: '', offset: -0, limit: 1e308 }),
      { kind: 'image', path: 'a', mediaType: '', bytes: -1 },
      { kind: 'image', path: 'b', mediaType: '"><script>pwned()</script>', bytes: Infinity },
    ],
  },
  {
    name: 'an image of broken base64',
    blocks: () => [IMAGE],
    answers: { image: 'data:image/png;base64,!!!not base64!!!' },
  },
  { name: 'an image of bytes that are none', blocks: () => [IMAGE], answers: { image: 'data:image/png;base64,AAAA' } },
  {
    name: 'an image that is SVG',
    blocks: () => [{ ...IMAGE, mediaType: 'image/svg+xml' }],
    answers: { image: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" onload="pwned()"/>' },
  },
  {
    name: 'an image that says it is PNG and is SVG',
    blocks: () => [IMAGE],
    answers: {
      image: `data:image/png;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIG9ubG9hZD0icHduZWQoKSIvPg==`,
    },
  },
  {
    name: 'an image that is a page',
    blocks: () => [IMAGE],
    answers: { image: 'data:text/html,<script>pwned()</script>' },
  },
  { name: 'an image from somewhere else', blocks: () => [IMAGE], answers: { image: 'https://evil.test/x.png' } },
  { name: 'an image that is a script', blocks: () => [IMAGE], answers: { image: 'javascript:pwned()' } },
  { name: 'an image that is gone', blocks: () => [IMAGE], answers: { image: null } },
  {
    name: 'an output in a file that holds markup and escapes',
    blocks: () => [
      tool(
        { kind: 'bash', command: cut('a'), description: '<img src=x onerror=pwned()>' },
        { result: result('', { persisted: '/tmp/"><script>pwned()</script>' }) },
      ),
    ],
    answers: { persisted: '<script>pwned()</script>\u001b]8;;javascript:pwned()\u0007x\n'.repeat(10_000) },
  },
  {
    name: 'a subagent whose path is none',
    blocks: () => [
      tool(
        { kind: 'agent', agentType: null, prompt: cut('x') },
        { subagent: '\\\\evil.test\\share', result: result('done') },
      ),
    ],
  },
  {
    name: 'a language that every object has',
    blocks: () => [
      tool({ kind: 'write', filePath: 'a.constructor', content: cut('x') }),
      tool({ kind: 'write', filePath: 'a.__proto__', content: cut('x') }),
      { kind: 'text', path: 'a', body: cut('```__proto__\nx\n```\n```toString\ny\n```') },
    ],
  },
];
