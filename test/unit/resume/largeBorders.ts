import {
  boundary,
  call,
  chainRow,
  lastPrompt,
  prompt,
  reply,
  result,
  type RowFields,
  uuidOf,
} from '../../support/transcriptBuilder';
import type { Edit } from './resumeOf';

/** Rows of a file of more than 5 MiB that two versions load differently. */
export interface LargeBorder {
  /** The last version that loads the rows of `before`. */
  readonly old: string;
  readonly since: string;
  readonly rows: readonly RowFields[];
  /** The text of lines, counted from 1. */
  readonly edits?: Readonly<Record<number, Edit>>;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const TALK = [prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1'), reply('r2', 'p2')];
const NAMES = ['p1', 'r1', 'p2', 'r2'];
const OLD = [prompt('o1', null), reply('o2', 'o1')];
const CALLS = [
  prompt('p', null),
  call('c1', 'p', 't1', { message: 'm' }),
  call('c2', 'c1', 't2', { message: 'm' }),
  result('s1', 'c1', 't1'),
  result('s2', 'c2', 't2'),
  reply('e', 's2'),
];
/** Its name is long, so the reader ignores the `last-prompt`, but the loader does not. */
const LONG_PROMPT = { lastPrompt: 'x'.repeat(1100) };
/** A row of metadata to the loader, which the reader for large files takes for a row of the tree. */
const title = (name: string, parent: string | null): RowFields =>
  chainRow('custom-title', name, parent, { customTitle: 'x' });
const keep = (...uuids: readonly string[]): object => ({
  preservedMessages: { anchorUuid: uuidOf('b'), uuids: uuids.map(uuidOf) },
});
/** After a compaction whose list the loader does not follow, because `x` is no row to it. */
const KEPT = [...OLD, title('x', 'o2'), boundary('b', null, keep('o2', 'x')), prompt('p1', 'o2'), reply('r1', 'p1')];

const reordered: Edit = (line) => {
  const { parentUuid, ...rest } = JSON.parse(line) as RowFields;
  return JSON.stringify({ ...rest, parentUuid });
};
const startingWith =
  (fields: RowFields): Edit =>
  (line) => {
    const { parentUuid, ...rest } = JSON.parse(line) as RowFields;
    return JSON.stringify({ parentUuid, ...fields, ...rest });
  };
const HIDDEN_SIDECHAIN = startingWith({ x: { isSidechain: true } });

/** Each as the clients of both versions load it. (docs/format.md, "Client versions") */
export const LARGE_BORDERS: Readonly<Record<string, LargeBorder>> = {
  'drops nothing if no row can be the last': {
    old: '2.1.252',
    since: '2.1.257',
    rows: TALK,
    edits: { 1: HIDDEN_SIDECHAIN, 2: HIDDEN_SIDECHAIN, 3: HIDDEN_SIDECHAIN, 4: HIDDEN_SIDECHAIN },
    before: [],
    after: NAMES,
  },
  'keeps the results of parallel calls': {
    old: '2.1.266',
    since: '2.1.267',
    rows: CALLS,
    before: ['p', 'c2', 's2', 'e'],
    after: ['p', 'c1', 'c2', 's1', 's2', 'e'],
  },
  'drops what the list of a compaction does not contain': {
    old: '2.1.280',
    since: '2.1.281',
    rows: KEPT,
    before: ['o1', 'o2', 'p1', 'r1'],
    after: ['o2', 'p1', 'r1'],
  },
  'drops nothing at an odd parent': {
    old: '2.1.280',
    since: '2.1.281',
    rows: TALK,
    edits: { 3: (line) => line.replace('":"', '": "') },
    before: ['p2', 'r2'],
    after: NAMES,
  },
  'drops nothing at a cycle': {
    old: '2.1.280',
    since: '2.1.281',
    rows: [
      prompt('p1', 'r1'),
      ...TALK.slice(1),
      prompt('q1', null),
      reply('q2', 'q1'),
      lastPrompt('q2', LONG_PROMPT),
      prompt('p3', 'r2'),
    ],
    before: ['p1', 'r1', 'p2', 'r2', 'p3'],
    after: ['q1', 'q2'],
  },
  'sees a compaction behind NULs': {
    old: '2.1.280',
    since: '2.1.281',
    rows: [...OLD, boundary('b', null), prompt('p1', 'o2'), reply('r1', 'p1')],
    edits: { 3: (line) => `\0\0${line}` },
    before: ['o1', 'o2', 'p1', 'r1'],
    after: ['p1', 'r1'],
  },
  'reads the first value of a line': {
    old: '2.1.281',
    since: '2.1.282',
    rows: TALK,
    edits: { 2: (line) => `${line}x` },
    before: ['p2', 'r2'],
    after: ['p1', 'p2', 'r2'],
  },
  'reads a last-prompt with anything after it': {
    old: '2.1.281',
    since: '2.1.282',
    rows: [...TALK, prompt('q', 'r1'), lastPrompt('r2')],
    edits: { 6: (line) => `${line}x` },
    before: ['p1', 'r1', 'q'],
    after: NAMES,
  },
  'reads a long last-prompt with anything after it': {
    old: '2.1.281',
    since: '2.1.282',
    rows: [...TALK, lastPrompt('r1', { ...LONG_PROMPT, explicit: true })],
    edits: { 5: (line) => `${line}x` },
    before: NAMES,
    after: ['p1', 'r1'],
  },
  'takes no notice of a uuid that stands twice far above a list': {
    old: '2.1.281',
    since: '2.1.282',
    rows: [
      prompt('a', null),
      boundary('b1', null, keep('a')),
      prompt('twice', 'b1'),
      prompt('twice', 'b1'),
      ...Array.from({ length: 140 }, (_, at) => prompt(`z${at}`, 'b1')),
      prompt('o1', 'b1'),
      ...KEPT.slice(1),
    ],
    before: ['o1', 'o2', 'p1', 'r1'],
    after: ['o2', 'p1', 'r1'],
  },
  'sees a compaction whose subtype comes late': {
    old: '2.1.284',
    since: '2.1.285',
    rows: [...OLD, boundary('b', null), prompt('p1', 'o2'), reply('r1', 'p1')],
    edits: {
      3: (line) => {
        const { parentUuid, compactMetadata, subtype, ...rest } = JSON.parse(line) as RowFields;
        return JSON.stringify({ parentUuid, compactMetadata, filler: 'x'.repeat(5000), ...rest, subtype });
      },
    },
    before: ['o1', 'o2', 'p1', 'r1'],
    after: ['p1', 'r1'],
  },
  'does not end at a torn row without a parent': {
    old: '2.1.316',
    since: '2.1.317',
    rows: [...TALK, prompt('q', null)],
    edits: { 5: (line) => line.slice(0, -12) },
    before: [],
    after: NAMES,
  },
  'looks for the key of the flag of a subagent': {
    old: '2.1.317',
    since: '2.1.318',
    rows: [...TALK, prompt('q', 'r1')],
    edits: { 5: (line) => reordered(line).replace('{', '{"x":{"isSidechain":true},') },
    before: NAMES,
    after: ['p1', 'r1', 'q'],
  },
  'finds the flag of a subagent late in a row': {
    old: '2.1.317',
    since: '2.1.318',
    rows: [...TALK, prompt('q', 'p1')],
    edits: {
      5: (line) => {
        const { parentUuid, ...rest } = JSON.parse(line) as RowFields;
        return JSON.stringify({ parentUuid, x: 'x'.repeat(300), ...rest, isSidechain: true });
      },
    },
    before: ['p1'],
    after: NAMES,
  },
  'keeps virtual calls': {
    old: '2.1.327',
    since: '2.1.328',
    rows: [
      ...CALLS.slice(0, 3),
      call('v', 'c1', 'tv', { isVirtual: true }),
      result('s1', 'v', 't1'),
      ...CALLS.slice(4),
    ],
    before: ['p', 'c2', 's2', 'e'],
    after: ['p', 'c1', 'c2', 's1', 's2', 'e'],
  },
};
