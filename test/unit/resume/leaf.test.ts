import assert from 'node:assert/strict';
import {
  boundary,
  chainRow,
  lastPrompt,
  assistant,
  prompt,
  reply,
  result,
  call,
  timeOf,
  type RowFields,
  uuidOf,
} from '../../support/transcriptBuilder';
import { resumeOf } from './resumeOf';

/** p1 ← r1 ← p2 ← r2, and a branch q2 ← s2 from r1 that comes later in the file. */
const MAIN = [prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1'), reply('r2', 'p2')];
const BRANCH = [prompt('q2', 'r1'), reply('s2', 'q2')];
const ZERO = '00000000-0000-0000-0000-000000000000';

describe('The leaf', () => {
  it('is the message above the named note if links lead from that message to the note', () => {
    const rows = [
      prompt('q', null, { timestamp: timeOf(0) }),
      prompt('p1', 'n1', { timestamp: timeOf(0, 1_000) }),
      reply('r1', 'p1', { timestamp: timeOf(1) }),
      chainRow('system', 'n1', 'r1', { subtype: 'turn_duration', timestamp: timeOf(1, 1_000) }),
      lastPrompt('n1'),
    ];
    const { loaded, leaf } = resumeOf(rows);
    assert.equal(leaf, 'r1');
    // The client looks for rows that are shortly before the note, where its walk meets the message again.
    assert.deepEqual(loaded, ['p1', 'r1']);
  });

  it('is the row that the newest last-prompt names', () => {
    const { loaded, leaf } = resumeOf([...MAIN, ...BRANCH, lastPrompt('s2'), lastPrompt('r2')]);
    assert.equal(leaf, 'r2');
    assert.deepEqual(loaded, ['p1', 'r1', 'p2', 'r2']);
  });

  it('is the last row of the file if that descends from the named row', () => {
    assert.equal(resumeOf([...MAIN, lastPrompt('r1'), ...BRANCH]).leaf, 's2');
    assert.equal(resumeOf([...MAIN, lastPrompt('p1')]).leaf, 'r2');
  });

  it('is the named row if the last row of the file is on another branch', () => {
    assert.equal(resumeOf([...MAIN, lastPrompt('r2'), ...BRANCH]).leaf, 'r2');
  });

  it('treats the results of parallel calls as ancestors of the rows after them', () => {
    const rows = [
      prompt('p', null),
      call('c1', 'p', 't1', { message: 'm' }),
      call('c2', 'c1', 't2', { message: 'm' }),
      result('r1', 'c1', 't1'),
      result('r2', 'c2', 't2'),
      reply('e', 'r2'),
    ];
    assert.equal(resumeOf([...rows, lastPrompt('r1')]).leaf, 'e');
  });

  it('is the row that was named explicitly, until new rows follow', () => {
    const cut = [...MAIN, lastPrompt('r1', { explicit: true })];
    assert.deepEqual(resumeOf(cut).loaded, ['p1', 'r1']);
    assert.equal(resumeOf([...cut, prompt('p3', 'r1')]).leaf, 'p3');
    assert.equal(resumeOf([...cut, prompt('p3', 'r1'), reply('r3', 'p3')]).leaf, 'r3');
  });

  it('is none after a rewind to the beginning, until new rows follow', () => {
    const rewound = [...MAIN, lastPrompt(null, { explicit: true })];
    const { loaded, leaf, of } = resumeOf(rewound);
    assert.deepEqual([loaded, leaf, of], [[], null, 4]);
    const goneOn = resumeOf([...rewound, prompt('p9', null), reply('r9', 'p9')]);
    assert.deepEqual(goneOn.loaded, ['p9', 'r9']);
  });

  it('is not cleared by an implicit null', () => {
    assert.equal(resumeOf([...MAIN, ...BRANCH, lastPrompt('r2'), lastPrompt(null)]).leaf, 'r2');
  });

  it('is the last row if the newest last-prompt names no row of the file; an older one is not used', () => {
    const zero = { type: 'last-prompt', leafUuid: ZERO };
    assert.equal(resumeOf([...MAIN, lastPrompt('r1'), ...BRANCH, zero]).leaf, 's2');
    assert.equal(resumeOf([...MAIN, lastPrompt('p1', { explicit: true }), lastPrompt('lost')]).leaf, 'r2');
  });

  it('is none if the named row is a subagent’s message', () => {
    const side = prompt('side', 'r1', { isSidechain: true });
    const { loaded, leaf } = resumeOf([...MAIN, side, lastPrompt('side')]);
    assert.deepEqual([loaded, leaf], [[], null]);
  });

  it('is never a subagent’s row if no last-prompt names one', () => {
    const side = [prompt('side', 'r2', { isSidechain: true }), reply('answer', 'side', { isSidechain: true })];
    assert.equal(resumeOf([...MAIN, ...side]).leaf, 'r2');
  });

  it('moves from the last row of the file to its newest descendant in time', () => {
    const forward = [prompt('p1', null), reply('r2', 'p2'), prompt('p2', 'r1'), reply('r1', 'p1')];
    const timed = forward.map((row, at) => ({ ...row, timestamp: timeOf([0, 3, 2, 1][at] ?? 0) }));
    const { leaf, loaded } = resumeOf(timed);
    assert.equal(leaf, 'r2');
    assert.equal(loaded.length, 4);
  });

  it('stays at the last row of the file if a newer one is on another branch', () => {
    const newer = BRANCH.map((row) => ({ ...row, timestamp: timeOf(99) }));
    assert.equal(resumeOf([MAIN[0] ?? {}, MAIN[1] ?? {}, ...newer, MAIN[2] ?? {}, MAIN[3] ?? {}]).leaf, 'r2');
  });

  it('is the last row without children if the last row of the file leads to no message', () => {
    const { leaf, loaded } = resumeOf([...MAIN, chainRow('system', 'notice', null)]);
    assert.equal(leaf, 'r2');
    assert.equal(loaded.length, 4);
  });

  it('can be a row that is not a message if it leads to one', () => {
    const { leaf, loaded } = resumeOf([...MAIN, chainRow('system', 'notice', 'r2')]);
    assert.equal(leaf, 'notice');
    assert.equal(loaded.length, 4);
  });

  it('ignores a row that was named before a compaction, even if none has been named since', () => {
    const summary = prompt('s', 'x');
    assert.equal(resumeOf([...MAIN, ...BRANCH, lastPrompt('r2'), boundary('x', null), summary]).leaf, 's');
    const named = resumeOf([
      ...MAIN,
      lastPrompt('r1', { explicit: true }),
      boundary('x', null),
      summary,
      reply('t', 's'),
    ]);
    assert.deepEqual(named.loaded, ['s', 't']);
  });

  it('is the end of the file after a compaction that kept rows, unless a message without a reply was named', () => {
    const kept = boundary('x', null, { preservedMessages: { anchorUuid: uuidOf('x'), uuids: [uuidOf('r2')] } });
    const rows = [...MAIN, kept, prompt('s', 'x'), reply('t', 's')];
    const other = [prompt('u', 's'), reply('v', 'u'), chainRow('system', 'w', 'v')];
    assert.equal(resumeOf([...rows, ...other, lastPrompt('t'), chainRow('system', 'z', 'w')]).leaf, 't');
    assert.equal(resumeOf([...rows, chainRow('system', 'y', 't'), ...other, lastPrompt('y')]).leaf, 'w');
  });

  it('is the newest tip in time if neither the named row nor the last one leads to a message', () => {
    const lost = chainRow('system', 'notice', 'lost');
    const rows = [...MAIN, ...BRANCH, lost, lastPrompt('notice')];
    assert.equal(resumeOf(rows).leaf, 's2');
    const times = [0, 1, 2, 9, 3, 4, 5, 6];
    assert.equal(resumeOf(rows.map((row, at) => ({ ...row, timestamp: timeOf(times[at] ?? 0) }))).leaf, 'r2');
  });

  it('is a tip of a subagent only if there is no other tip', () => {
    const side = [prompt('u', null), reply('v', 'u', { isSidechain: true })];
    const lost = chainRow('system', 'notice', 'lost');
    assert.equal(resumeOf([...MAIN, ...side, lost]).leaf, 'r2');
    const { leaf, loaded } = resumeOf([...side, lost]);
    assert.deepEqual([leaf, loaded], [null, []]);
  });

  it('moves from a named result only to another result of the same calls that has descendants', () => {
    const calls = [
      prompt('p', null),
      call('c1', 'p', 't1', { message: 'm' }),
      result('r1', 'c1', 't1'),
      lastPrompt('r1'),
    ];
    assert.equal(resumeOf([...calls, prompt('q', 'c1'), reply('e', 'q')]).leaf, 'r1');
    const second = [call('c2', 'c1', 't2', { message: 'm' }), result('r2', 'c2', 't2'), reply('e', 'r2')];
    assert.equal(resumeOf([...calls, ...second]).leaf, 'e');
    const attached = chainRow('attachment', 'a', 'r1');
    assert.equal(resumeOf([...calls.slice(0, 3), attached, lastPrompt('a'), ...second]).leaf, 'e');
  });

  it('is on the branch beside the end of a reply in parts that was named', () => {
    const part = (name: string, parent: string, fields = {}): RowFields =>
      assistant(name, parent, [{ type: 'text', text: name }], fields, 'm');
    const split = (fields: RowFields, ...rows: RowFields[]): string | null => {
      const [first, between] = [part('a', 'p1'), chainRow('attachment', 'x', 'a', {})];
      return resumeOf([prompt('p1', null), first, between, part('b', 'x', fields), ...rows]).leaf;
    };
    const branch = [prompt('q', 'x'), reply('e', 'q')];
    assert.equal(split({}, lastPrompt('b'), ...branch), 'e');
    assert.equal(split({}, lastPrompt('b', { explicit: true }), ...branch), 'e');
    assert.equal(split({}, lastPrompt('b'), reply('e', 'x')), 'e');
    assert.equal(split({ timestamp: timeOf(9) }, lastPrompt('b'), ...branch), 'b');
    assert.equal(split({}, reply('r', 'b'), lastPrompt('b'), ...branch), 'b');
  });

  it('is never a system row that keeps copies of files, unless that is named', () => {
    const snapshot = chainRow('system', 'z', 'p1', { subtype: 'file_snapshot' });
    assert.equal(resumeOf([...MAIN, snapshot]).leaf, 'r2');
    assert.equal(resumeOf([...MAIN, snapshot, lastPrompt('z')]).leaf, 'z');
    assert.equal(resumeOf([MAIN[0] ?? {}, lastPrompt('p1'), ...MAIN.slice(1), snapshot]).leaf, 'r2');
    assert.equal(resumeOf([...MAIN, lastPrompt('r1', { explicit: true }), snapshot]).leaf, 'r1');
    const back = [MAIN[0] ?? {}, { ...snapshot, timestamp: timeOf(9) }, prompt('p2', 'r1'), reply('r1', 'p1')];
    assert.equal(resumeOf(back).leaf, 'r1');
    // Where it is the last row, the other branch, which is newer, counts.
    const newer = MAIN.slice(2).map((row, at) => ({ ...row, timestamp: timeOf(9 + at) }));
    const rows = [...MAIN.slice(0, 2), ...newer, ...BRANCH];
    assert.equal(resumeOf(rows).leaf, 's2');
    assert.equal(resumeOf([...rows, snapshot]).leaf, 'r2');
  });

  it('is not chosen by a time that is a number', () => {
    const number = Date.parse(timeOf(9));
    const rows = [prompt('p', null), reply('x', 'p', { timestamp: number }), reply('y', 'p')];
    assert.equal(resumeOf([...rows, chainRow('system', 'z', null)]).leaf, 'y');
    const below = [prompt('p', null), prompt('q', 'r', { timestamp: number }), reply('r', 'p')];
    assert.equal(resumeOf(below).leaf, 'r');
  });

  it('moves to the newest descendant of the last row through rows without a time, and never to one of them', () => {
    const NO_TIME = { timestamp: undefined };
    const newer = reply('s', 'q', { timestamp: timeOf(9) });
    assert.equal(resumeOf([prompt('p', null), prompt('q', 'r', NO_TIME), newer, reply('r', 'p')]).leaf, 's');
    assert.equal(resumeOf([prompt('p', null), prompt('q', 'r'), reply('s', 'q', NO_TIME), reply('r', 'p')]).leaf, 'r');
    assert.equal(resumeOf([prompt('p', null, NO_TIME), prompt('q', 'r'), reply('s', 'q'), reply('r', 'p')]).leaf, 'r');
    assert.equal(resumeOf([prompt('p', null), prompt('q', 'r'), newer, reply('r', 'p', NO_TIME)]).leaf, 's');
  });

  it('is the newest row in a transcript without messages, and none without rows', () => {
    assert.deepEqual(resumeOf([chainRow('system', 'a', null), lastPrompt('a')]).leaf, 'a');
    assert.deepEqual(resumeOf([chainRow('attachment', 'a', null), chainRow('attachment', 'b', 'gone')]).leaf, 'b');
    assert.deepEqual(resumeOf([]).leaf, null);
    assert.deepEqual(resumeOf([{ type: 'summary', summary: 'x', leafUuid: uuidOf('a') }]).leaf, null);
  });
});

describe('A message whose content has no block with a type', () => {
  const talk = [prompt('p', null), reply('r', 'p'), prompt('q', 'r'), reply('e', 'q')];

  it('is skipped as the leaf', () => {
    for (const content of [['only', 'strings'], [{ text: 'no type' }], [{ type: 5, text: 'x' }], [1, null, true]]) {
      assert.deepEqual(resumeOf([...talk, assistant('x', 'p', content)]).loaded, ['p', 'r', 'q', 'e']);
      const named = [...talk, assistant('x', 'p', content), lastPrompt('x')];
      assert.deepEqual(resumeOf(named).loaded, ['p', 'r', 'q', 'e']);
    }
  });

  it('is passed over where the content of a reply is a blank string', () => {
    assert.equal(resumeOf([...talk, assistant('x', 'p', '  ')]).leaf, 'e');
    assert.equal(resumeOf([...talk, assistant('x', 'p', 'text')]).leaf, 'x');
  });

  it('is the leaf if the content is empty, or one block has a type', () => {
    for (const content of [[], ['a string', { type: 'text', text: 'typed' }], [{ type: '' }], [{ type: 'novel' }]]) {
      assert.ok(!resumeOf([...talk, assistant('x', 'p', content)]).loaded.includes('e'), JSON.stringify(content));
    }
  });
});

describe('An id that is not a string', () => {
  const rowsWith = (uuid: unknown, parent: unknown): RowFields[] => [
    prompt('p', null),
    { ...reply('r', 'p'), uuid, timestamp: timeOf(1) },
    { ...prompt('q', null), parentUuid: parent },
    reply('e', 'q'),
  ];

  it('names the row with the same value', () => {
    for (const id of [12345, 1.5, true]) assert.equal(resumeOf(rowsWith(id, id)).loaded.length, 4, String(id));
  });

  it('does not name a row whose id is the same text', () => {
    assert.equal(resumeOf(rowsWith(12345, '12345')).loaded.length, 2);
    assert.equal(resumeOf(rowsWith(0, 0)).loaded.length, 2);
  });
});
