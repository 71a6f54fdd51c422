import assert from 'node:assert/strict';
import { RULE_VERSIONS } from '../../rooms/loader';
import {
  assistant,
  call,
  chainRow,
  lastPrompt,
  prompt,
  reply,
  result,
  timeOf,
  type RowFields,
} from '../../support/transcriptBuilder';
import { LARGE_BORDERS } from './largeBorders';
import { largeResumeOf, resumeOf } from './resumeOf';

const TALK = [prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1'), reply('r2', 'p2')];
const OF_M = { message: 'm' };
const CALLS = [prompt('p', null), call('c1', 'p', 't1', OF_M), call('c2', 'c1', 't2', OF_M)];
const END_OF_C = [prompt('q', 'c'), reply('e', 'q')];
const NO_MESSAGE = { message: undefined };
const NO_TIME = { timestamp: undefined };

interface Border {
  /** The last version that loads the rows of `before`. */
  readonly old: string;
  readonly since: string;
  readonly rows: readonly RowFields[];
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Each as the clients of both versions load it. (docs/format.md, "Client versions") */
const BORDERS: Readonly<Record<string, Border>> = {
  'adds the rows of parallel calls': {
    old: '2.1.79',
    since: '2.1.80',
    rows: [...CALLS, result('o1', 'c1', 't1'), result('o2', 'c2', 't2'), reply('e', 'o2')],
    before: ['p', 'c2', 'o2', 'e'],
    after: ['p', 'c1', 'c2', 'o1', 'o2', 'e'],
  },
  'goes on by time at a missing parent': {
    old: '2.1.90',
    since: '2.1.91',
    rows: broken('lost'),
    before: ['p2', 'r2'],
    after: ['p1', 'r1', 'p2', 'r2'],
  },
  'goes on among the rows of the same lane alone': {
    old: '2.1.100',
    since: '2.1.101',
    rows: [
      ...broken('lost').slice(0, 2),
      prompt('side', null, { isSidechain: true, timestamp: timeOf(1, 800) }),
      ...broken('lost').slice(2),
    ],
    before: ['p2', 'r2'],
    after: ['p1', 'r1', 'p2', 'r2'],
  },
  'goes on by time at a cycle': {
    old: '2.1.107',
    since: '2.1.108',
    rows: broken('r2'),
    before: ['p2', 'r2'],
    after: ['p1', 'r1', 'p2', 'r2'],
  },
  'moves to the newest row below the last row': {
    old: '2.1.252',
    since: '2.1.257',
    rows: [TALK[0] ?? {}, ...timed(TALK.slice(1)).reverse()],
    before: ['p1', 'r1'],
    after: ['p1', 'r2', 'p2', 'r1'],
  },
  'keeps an open call before a result': {
    old: '2.1.263',
    since: '2.1.265',
    rows: [...CALLS, result('o2', 'c2', 't2')],
    before: ['p', 'c2', 'o2'],
    after: ['p', 'c1', 'c2', 'o2'],
  },
  'begins a message anew behind an attachment with a text': {
    old: '2.1.267',
    since: '2.1.268',
    rows: [
      ...[prompt('p', null), call('a1', 'p', 't1', { message: 'a' })],
      chainRow('attachment', 'n', 'a1', { attachment: { type: 'x' }, rendered: [{ content: 'It rains.' }] }),
      ...[call('b', 'n', 't2', { message: 'b' }), result('o2', 'b', 't2'), call('a2', 'o2', 't3', { message: 'a' })],
      ...[result('o1', 'a2', 't1'), result('o3', 'o1', 't3'), reply('e', 'o3')],
    ],
    before: ['p', 'a1', 'b', 'o2', 'a2', 'e'],
    after: ['p', 'a1', 'b', 'o2', 'a2', 'o3', 'e'],
  },
  'drops messages whose content it cannot use': {
    old: '2.1.274',
    since: '2.1.275',
    rows: [...TALK.slice(0, 2), reply('x', 'r1', NO_MESSAGE), prompt('q', 'x'), reply('e', 'q')],
    before: [],
    after: ['p1', 'r1', 'q', 'e'],
  },
  'loads replies whose content is a string': {
    old: '2.1.276',
    since: '2.1.277',
    rows: [prompt('p', null), assistant('r', 'p', 'text'), prompt('q', 'r'), reply('e', 'q')],
    before: [],
    after: ['p', 'r', 'q', 'e'],
  },
  'finds a result by the id of its call': {
    old: '2.1.280',
    since: '2.1.281',
    rows: [prompt('p', null), call('c', 'p', 't'), result('o', 'lost', 't'), reply('r', 'c'), lastPrompt('r')],
    before: ['p', 'r'],
    after: ['p', 'c', 'o', 'r'],
  },
  'tells texts for the user from those for the system': {
    old: '2.1.284',
    since: '2.1.285',
    rows: [
      ...[prompt('p', null), call('a1', 'p', 't1', { message: 'a' })],
      chainRow('attachment', 'n', 'a1', {
        attachment: { type: 'x' },
        rendered: [{ content: 'It rains.' }],
        renderedRole: 'user',
      }),
      ...[call('a2', 'n', 't2', { message: 'a' }), result('o1', 'a2', 't1'), result('o2', 'o1', 't2')],
      ...[prompt('q', 'o2'), call('a3', 'q', 't3', { message: 'a' }), result('o3', 'a3', 't3'), reply('e', 'o3')],
    ],
    before: ['p', 'a1', 'a2', 'o1', 'o2', 'q', 'a3', 'o3', 'e'],
    after: ['p', 'a1', 'a2', 'o2', 'q', 'a3', 'o3', 'e'],
  },
  'keeps the calls that a history ends on': {
    old: '2.1.280',
    since: '2.1.281',
    rows: CALLS,
    before: ['p'],
    after: ['p', 'c1', 'c2'],
  },
  'adds a result in file order': {
    old: '2.1.260',
    since: '2.1.261',
    rows: [
      prompt('p', null),
      call('c1', 'p', 't1', OF_M),
      result('o1', 'c1', 't1'),
      reply('r', 'c1'),
      prompt('x', 'r'),
      call('c2', 'x', 't2', OF_M),
      result('o2', 'c2', 't2'),
      reply('e', 'o2'),
    ],
    before: ['p', 'c1', 'r', 'x', 'c2', 'o2', 'e'],
    after: ['p', 'c1', 'o1', 'r', 'x', 'c2', 'o2', 'e'],
  },
  'moves a result to its call': {
    old: '2.1.280',
    since: '2.1.281',
    rows: [prompt('p', null), reply('r', 'p'), result('o', 'r', 't'), call('c', 'o', 't'), ...END_OF_C],
    before: ['p', 'r', 'c', 'q', 'e'],
    after: ['p', 'r', 'o', 'c', 'q', 'e'],
  },
  'continues beside a named result': {
    old: '2.1.285',
    since: '2.1.286',
    rows: [...CALLS, result('o1', 'c1', 't1'), lastPrompt('o1'), result('o2', 'c2', 't2'), reply('e', 'o2')],
    before: ['p', 'c1', 'c2', 'o1', 'o2'],
    after: ['p', 'c1', 'c2', 'o1', 'o2', 'e'],
  },
  'takes no notice of copies of files': {
    old: '2.1.316',
    since: '2.1.317',
    rows: [...TALK, chainRow('system', 'z', 'p1', { subtype: 'file_snapshot' })],
    before: ['p1'],
    after: ['p1', 'r1', 'p2', 'r2'],
  },
  'continues beside a reply in parts': {
    old: '2.1.323',
    since: '2.1.324',
    rows: [
      prompt('p', null),
      assistant('a', 'p', [{ type: 'text', text: 'a' }], {}, 'm'),
      chainRow('attachment', 'x', 'a'),
      assistant('b', 'x', [{ type: 'text', text: 'b' }], {}, 'm'),
      lastPrompt('b'),
      prompt('q', 'x'),
    ],
    before: ['p', 'a', 'b'],
    after: ['p', 'a', 'b', 'q'],
  },
  'resumes a transcript without times': {
    old: '2.1.329',
    since: '2.1.330',
    rows: TALK.map((row) => ({ ...row, ...NO_TIME })),
    before: [],
    after: ['p1', 'r1', 'p2', 'r2'],
  },
  'resumes a transcript whose last message alone has no readable time': {
    old: '2.1.329',
    since: '2.1.330',
    rows: [...TALK.slice(0, 3), reply('r2', 'p2', { timestamp: 'yesterday' })],
    before: [],
    after: ['p1', 'r1', 'p2', 'r2'],
  },
  'resumes a transcript whose last message has no readable time, though a note below it has': {
    old: '2.1.329',
    since: '2.1.330',
    rows: [
      ...TALK.slice(0, 3),
      reply('r2', 'p2', NO_TIME),
      chainRow('system', 'n', 'r2', { subtype: 'turn_duration' }),
    ],
    before: [],
    after: ['p1', 'r1', 'p2', 'r2'],
  },
  'resumes from a named message without a readable time': {
    old: '2.1.329',
    since: '2.1.330',
    rows: [...TALK.slice(0, 3), reply('r2', 'p2', NO_TIME), prompt('q2', 'r1'), reply('s2', 'q2'), lastPrompt('r2')],
    before: [],
    after: ['p1', 'r1', 'p2', 'r2'],
  },
  'resumes if none of several tips has a readable time': {
    old: '2.1.329',
    since: '2.1.330',
    rows: [
      ...[...TALK.slice(0, 3), reply('r2', 'p2', NO_TIME), prompt('q2', 'r1'), reply('s2', 'q2', NO_TIME)],
      chainRow('system', 'z', 'lost', { subtype: 'turn_duration' }),
    ],
    before: [],
    after: ['p1', 'r1', 'q2', 's2'],
  },
};

describe('A client', () => {
  for (const [what, { old, since, rows, before, after }] of Object.entries(BORDERS)) {
    it(`${what} since ${since}`, () => {
      assert.deepEqual(resumeOf(rows, old).loaded, before);
      assert.deepEqual(resumeOf(rows, since).loaded, after);
      assert.deepEqual(resumeOf(rows).loaded, after);
    });
  }

  for (const [what, { old, since, rows, edits, before, after }] of Object.entries(LARGE_BORDERS)) {
    it(`${what} of a file over 5 MiB since ${since}`, () => {
      assert.deepEqual(largeResumeOf(rows, edits, old).loaded, before);
      assert.deepEqual(largeResumeOf(rows, edits, since).loaded, after);
      assert.deepEqual(largeResumeOf(rows, edits).loaded, after);
    });
  }

  it('has a change at each version of the table, and a case of it here', () => {
    const versions = [...Object.values(BORDERS), ...Object.values(LARGE_BORDERS)].map(({ since }) => since);
    assert.deepEqual(new Set(RULE_VERSIONS), new Set(['0', ...versions]));
  });

  it('keeps the calls of a message together around an attachment, whether it sends that or not', () => {
    const rows = [
      ...[prompt('p', 'lost'), call('a1', 'p', 't1', { message: 'a' })],
      chainRow('attachment', 'n', 'a1', { attachment: { type: 'date', date: '2026-11-22' } }),
      ...[
        call('a2', 'n', 't2', { message: 'a' }),
        result('o1', 'a2', 't1'),
        result('o2', 'o1', 't2'),
        reply('e', 'o2'),
      ],
    ];
    for (const version of ['2.1.267', '2.1.268', '2.1.275', '2.1.281', undefined])
      assert.deepEqual(resumeOf(rows, version).loaded, ['p', 'a1', 'a2', 'o1', 'o2', 'e'], version);
  });

  it('answers open calls of a turn without results since 2.1.281, and of one with results since 2.1.265', () => {
    const rows = [...CALLS, result('o2', 'c2', 't2'), call('c3', 'o2', 't3')];
    assert.deepEqual(resumeOf(rows, '2.1.263').loaded, ['p', 'c2', 'o2']);
    assert.deepEqual(resumeOf(rows, '2.1.265').loaded, ['p', 'c1', 'c2', 'o2', 'c3']);
    const said = [...rows.slice(0, 4), reply('r', 'o2'), call('c3', 'r', 't3')];
    assert.ok(!resumeOf(said, '2.1.280').loaded.includes('c3'));
    assert.ok(resumeOf(said, '2.1.281').loaded.includes('c3'));
  });

  it('of before 2.1.330 resumes whatever other messages have no readable time', () => {
    const note = chainRow('system', 'n', 'r2', { subtype: 'turn_duration', ...NO_TIME });
    const side = reply('x', 'p2', { isSidechain: true, ...NO_TIME });
    const inner = [prompt('p1', null), reply('r1', 'p1', NO_TIME), ...TALK.slice(2)];
    const tips = [...TALK, prompt('q2', 'r1'), reply('s2', 'q2', NO_TIME), chainRow('system', 'z', 'lost')];
    for (const rows of [[...TALK, note], [...TALK, side], inner, tips])
      assert.deepEqual(resumeOf(rows, '2.1.329').loaded, ['p1', 'r1', 'p2', 'r2']);
    // It parses a number like a text.
    for (const [timestamp, loads] of [
      [2026, 4],
      [Date.parse(timeOf(9)), 0],
    ])
      assert.equal(resumeOf([...TALK.slice(0, 3), reply('r2', 'p2', { timestamp })], '2.1.329').loaded.length, loads);
    // Also if it would continue from a row that is not the newest.
    const left = [...TALK.slice(0, 3), reply('r2', 'p2', NO_TIME), { ...lastPrompt('r1'), explicit: true }];
    assert.deepEqual(resumeOf(left, '2.1.329').loaded, ['p1', 'r1']);
  });

  it('of before 2.1.275 fails on messages that are missing, also on a dead branch, if they have a parent', () => {
    const of = (row: RowFields): number => resumeOf([TALK[0] ?? {}, row, ...TALK.slice(1)], '2.1.274').loaded.length;
    assert.equal(of(reply('x', 'p1', NO_MESSAGE)), 0);
    assert.equal(of(prompt('x', 'p1', NO_MESSAGE)), 0);
    assert.equal(of(prompt('x', 'p1', { message: { content: [null, { type: 'text', text: 'x' }] } })), 0);
    assert.equal(of(prompt('x', null, NO_MESSAGE)), 4);
  });

  it('of before 2.1.275 fails on odd contents in the history alone', () => {
    const odd = [
      { content: 5 },
      {},
      { content: {} },
      { content: [null] },
      { content: ['x', { type: 'text', text: 'x' }] },
    ];
    for (const message of odd) {
      const row = reply('x', 'r2', { message });
      assert.equal(resumeOf([...TALK, row, prompt('q', 'x')], '2.1.274').loaded.length, 0, JSON.stringify(message));
      assert.equal(resumeOf([...TALK, row, prompt('q', 'x')], '2.1.275').loaded.at(-1), 'q');
      const beside = [TALK[0] ?? {}, reply('x', 'p1', { message }), ...TALK.slice(1)];
      assert.deepEqual(resumeOf(beside, '2.1.274').loaded.slice(-2), ['p2', 'r2']);
    }
    const strings = prompt('x', 'r2', { message: { content: ['x'] } });
    assert.equal(resumeOf([...TALK, strings, reply('e', 'x')], '2.1.274').loaded.length, 5);
  });
});

/** A second prompt with a link that leads to no row above it, less than a second after the row before it. */
function broken(parent: string): readonly RowFields[] {
  return [
    prompt('p1', null),
    reply('r1', 'p1'),
    prompt('p2', parent, { timestamp: timeOf(1, 900) }),
    reply('r2', 'p2', { timestamp: timeOf(2) }),
  ];
}

function timed(rows: readonly RowFields[]): RowFields[] {
  return rows.map((row, at) => ({ ...row, timestamp: timeOf(at + 1) }));
}
