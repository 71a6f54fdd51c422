import assert from 'node:assert/strict';
import {
  assistant,
  chainRow,
  lastPrompt,
  lines,
  prompt,
  reply,
  timeOf,
  uuidOf,
  type RowFields,
} from '../../support/transcriptBuilder';
import { resumeOf, resumeOfBytes } from './resumeOf';

/** The second prompt names a missing parent, the given number of milliseconds after the row before it. */
function broken(gapMs: number, fields: RowFields = {}): RowFields[] {
  return [
    prompt('p1', null),
    reply('r1', 'p1'),
    prompt('p2', 'lost', { timestamp: timeOf(1, gapMs), ...fields }),
    reply('r2', 'p2', { timestamp: timeOf(2) }),
  ];
}

const ALL = ['p1', 'r1', 'p2', 'r2'];

describe('The walk along the parents', () => {
  it('follows the parents to the root', () => {
    const { loaded, resume } = resumeOf([prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1'), reply('r2', 'p2')]);
    assert.deepEqual(loaded, ALL);
    assert.deepEqual([resume.walk.brokenAt, resume.walk.healed, resume.chainDepth], [null, [], 4]);
  });

  it('does not depend on the order of the lines', () => {
    const rows = [reply('r2', 'p2'), prompt('p2', 'r1'), reply('r1', 'p1'), prompt('p1', null), lastPrompt('r2')];
    assert.deepEqual([...resumeOf(rows).loaded].sort(), [...ALL].sort());
  });

  it('ends at a row whose parent is null, absent, empty, 0 or false', () => {
    for (const parentUuid of [null, undefined, '', 0, false]) {
      const { loaded, resume } = resumeOf(broken(0, { parentUuid }));
      assert.deepEqual(loaded, ['p2', 'r2'], String(parentUuid));
      assert.deepEqual([resume.walk.brokenAt, resume.walk.healed], [null, []]);
    }
  });

  it('breaks at a parent that is not in the file, or is not a string', () => {
    for (const parentUuid of [uuidOf('lost'), 42, {}, [], true, uuidOf('r1').toUpperCase()]) {
      const { loaded, resume } = resumeOf(broken(60_000, { parentUuid }));
      assert.deepEqual(loaded, ['p2', 'r2'], JSON.stringify(parentUuid));
      assert.equal(resume.walk.brokenAt, 2);
      assert.equal(resume.chainDepth, 2);
    }
  });

  it('continues at the previous row in time if that is no more than 5 seconds earlier', () => {
    assert.deepEqual(resumeOf(broken(4_999)).loaded, ALL);
    assert.deepEqual(resumeOf(broken(5_000)).loaded, ALL);
    assert.deepEqual(resumeOf(broken(5_001)).loaded, ['p2', 'r2']);
    assert.deepEqual(resumeOf(broken(0)).loaded, ALL);
  });

  it('reads times as the client does, with the machine’s zone for times without one', () => {
    const zoneless = (rows: RowFields[]): RowFields[] =>
      rows.map(({ timestamp, ...row }, at) => {
        const time = typeof timestamp === 'string' ? timestamp : timeOf(at);
        return { ...row, timestamp: time.replace('Z', '') };
      });
    assert.deepEqual(resumeOf(zoneless(broken(4_999))).loaded, ALL);
    assert.deepEqual(resumeOf(zoneless(broken(5_001))).loaded, ['p2', 'r2']);
  });

  it('does not continue at a row that is later in time', () => {
    assert.deepEqual(resumeOf(broken(-1)).loaded, ['p2', 'r2']);
  });

  it('counts its depth to the break, also if it continued after it', () => {
    assert.equal(resumeOf(broken(4_999)).resume.chainDepth, 2);
    assert.deepEqual(resumeOf(broken(4_999)).resume.walk.healed, [2]);
  });

  it('never continues across a break with a client version that ignores times', () => {
    assert.deepEqual(resumeOf(broken(100), '2.0.60').loaded, ['p2', 'r2']);
    assert.deepEqual(resumeOf(broken(100), '2.1.90').loaded, ['p2', 'r2']);
    assert.deepEqual(resumeOf(broken(100), '2.1.91').loaded, ALL);
    assert.deepEqual(resumeOf(broken(100), '2.10.0').loaded, ALL);
  });

  it('continues only in the sidechain or main chain of the broken row', () => {
    const side = (offset: number): RowFields =>
      prompt('side', null, { isSidechain: true, timestamp: timeOf(1, offset) });
    const [p1 = {}, r1 = {}, p2 = {}, r2 = {}] = broken(4_000);
    assert.deepEqual(resumeOf([p1, r1, side(3_999), p2, r2]).loaded, ALL);
    assert.deepEqual(resumeOf([p1, side(3_999), { ...p2, parentUuid: uuidOf('lost') }, r2]).loaded, ['p2', 'r2']);
  });

  it('continues from a row without a sidechain flag only to rows without one', () => {
    const rows = broken(4_000);
    const odd = (row: RowFields | undefined, isSidechain: unknown): RowFields => ({ ...row, isSidechain });
    const [p1, r1, p2, r2] = rows;
    assert.deepEqual(resumeOf([p1 ?? {}, r1 ?? {}, odd(p2, ''), r2 ?? {}]).loaded, ['p2', 'r2']);
    assert.deepEqual(resumeOf([p1 ?? {}, odd(r1, undefined), p2 ?? {}, r2 ?? {}]).loaded, ['p2', 'r2']);
    assert.deepEqual(resumeOf([p1 ?? {}, odd(r1, ''), odd(p2, ''), r2 ?? {}]).loaded, ALL);
  });

  it('takes the first one in the file among rows with the same time', () => {
    const at = timeOf(1);
    const rows = [
      prompt('a', null, { timestamp: at }),
      prompt('b', null, { timestamp: at }),
      prompt('c', 'lost', { timestamp: timeOf(1, 10) }),
    ];
    assert.deepEqual(resumeOf(rows).loaded, ['a', 'c']);
  });

  it('reads a number as a time', () => {
    const [p1 = {}, r1 = {}, p2 = {}, r2 = {}] = broken(900);
    assert.deepEqual(resumeOf([p1, { ...r1, timestamp: Date.parse(timeOf(1)) }, p2, r2]).loaded, ALL);
    assert.deepEqual(resumeOf([p1, r1, { ...p2, timestamp: Date.parse(timeOf(1, 900)) }, r2]).loaded, ALL);
  });

  it('does not go on at a system row that keeps copies of files', () => {
    const [p1 = {}, r1 = {}, p2 = {}, r2 = {}] = broken(900);
    const snapshot = chainRow('system', 'z', null, { subtype: 'file_snapshot', timestamp: timeOf(1, 500) });
    assert.deepEqual(resumeOf([p1, r1, snapshot, p2, r2]).loaded, ALL);
    assert.deepEqual(resumeOf([p1, r1, { ...snapshot, subtype: 'turn_duration' }, p2, r2]).loaded, ['p2', 'r2']);
  });

  it('stops at a row without a time', () => {
    assert.deepEqual(resumeOf(broken(100, { timestamp: 'yesterday' })).loaded, ['p2', 'r2']);
  });

  it('stops at a cycle, and may leave it by time', () => {
    const ring = (gap: number): RowFields[] => [
      prompt('p1', null),
      prompt('p2', 'r2', { timestamp: timeOf(0, gap) }),
      reply('r2', 'p2', { timestamp: timeOf(0, gap) }),
    ];
    assert.deepEqual(resumeOf(ring(60_000)).loaded, ['p2', 'r2']);
    assert.deepEqual(resumeOf(ring(100)).loaded, ['p1', 'p2', 'r2']);
    assert.deepEqual(resumeOf([prompt('p1', null), prompt('p2', 'p2')]).loaded, ['p2']);
  });
});

describe('Rows that the client skips', () => {
  const progress = chainRow('progress', 'x', 'p1');

  it('are bridged if they are progress rows that precede their child', () => {
    assert.deepEqual(resumeOf([prompt('p1', null), progress, reply('r1', 'x')]).loaded, ['p1', 'r1']);
    const two = [prompt('p1', null), progress, chainRow('progress', 'y', 'x'), reply('r1', 'y')];
    assert.deepEqual(resumeOf(two).loaded, ['p1', 'r1']);
  });

  it('are not bridged if they follow their child', () => {
    assert.deepEqual(resumeOf([prompt('p1', null), reply('r1', 'x'), progress, lastPrompt('r1')]).loaded, ['r1']);
  });

  it('make a root of the child of a progress row without a parent', () => {
    const { loaded, resume } = resumeOf([chainRow('progress', 'x', null), reply('r1', 'x')]);
    assert.deepEqual([loaded, resume.walk.brokenAt], [['r1'], null]);
  });

  it('are bridged if they are messages without content', () => {
    for (const message of [undefined, null, {}, { content: null }, { content: 42 }, { content: {} }]) {
      const { loaded, of } = resumeOf([prompt('p1', null), reply('r1', 'p1', { message }), prompt('p2', 'r1')]);
      assert.deepEqual([loaded, of], [['p1', 'p2'], 2], JSON.stringify(message));
    }
  });

  it('are bridged for a child that stands before them when they are messages without content', () => {
    const dropped = (name: string, parent: string): RowFields => reply(name, parent, { message: { content: [7] } });
    const talk = (...rows: RowFields[]): RowFields[] => [
      prompt('p1', null),
      prompt('p2', 'x'),
      ...rows,
      reply('r2', 'p2'),
    ];
    assert.deepEqual(resumeOf(talk(dropped('x', 'p1'))).loaded, ['p1', 'p2', 'r2']);
    assert.deepEqual(resumeOf(talk(dropped('x', 'y'), dropped('y', 'p1'))).loaded, ['p1', 'p2', 'r2']);
    assert.deepEqual(resumeOf(talk(chainRow('progress', 'y', 'p1'), dropped('x', 'y'))).loaded, ['p1', 'p2', 'r2']);
    assert.deepEqual(resumeOf(talk(dropped('x', 'y'), chainRow('progress', 'y', 'p1'))).loaded, ['p2', 'r2']);
    assert.deepEqual(resumeOf(talk(dropped('x', 'p1'), dropped('x', 'lost'))).loaded, ['p2', 'r2']);
  });

  it('do not bridge when another row of their uuid is kept', () => {
    const dropped = assistant('x', 'lost', ['only']);
    const kept = reply('x', 'p1');
    const talk = [prompt('q', 'x'), reply('e', 'q')];
    assert.deepEqual(resumeOf([prompt('p1', null), kept, dropped, ...talk]).loaded, ['p1', 'x', 'q', 'e']);
    assert.deepEqual(resumeOf([prompt('p1', null), dropped, ...talk, kept, lastPrompt('e')]).loaded, [
      'p1',
      'q',
      'e',
      'x',
    ]);
  });

  it('are not bridged if they have unknown types, which the client drops', () => {
    const rows = [prompt('p1', null), chainRow('novelty', 'x', 'p1'), reply('r1', 'x')];
    assert.deepEqual(resumeOf(rows).loaded, ['r1']);
  });
});

describe('Rows with the same uuid', () => {
  it('are one row for the client, the later one in the place of the earlier', () => {
    const rows = [
      prompt('p1', null),
      reply('r1', 'p1'),
      prompt('p2', 'r1'),
      { ...reply('r1', 'p2'), message: { content: 'other' } },
    ];
    const { resume } = resumeOf(rows);
    assert.equal(resume.graph.isHeld(1), false);
    assert.equal(resume.graph.isHeld(3), true);
    assert.equal(resume.graph.placeOf(3), 1);
    assert.equal(resume.graph.placeOf(2), 2);
  });

  it('load with the content of the later one', () => {
    const { resume } = resumeOf([prompt('p1', null), reply('r1', 'p1'), reply('r1', 'p1', { timestamp: timeOf(9) })]);
    assert.deepEqual(resume.summary.missingLines, [2]);
  });

  it('are one row, too, if they have no uuid', () => {
    const nameless = (text: string, at: number): RowFields => ({
      ...prompt(text, null),
      uuid: undefined,
      timestamp: timeOf(0, at),
    });
    const { resume } = resumeOf([
      nameless('a', 0),
      nameless('b', 10),
      prompt('c', 'lost', { timestamp: timeOf(0, 20) }),
    ]);
    assert.deepEqual(resume.summary.missingLines, [1]);
  });
});

describe('Rows after NULs', () => {
  const [first = '', second = '', third = ''] = lines([prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1')]);
  const small = `${first}\n\0\0\0${second}\n${third}\n`;
  const padding = `${JSON.stringify({ type: 'queue-operation', content: 'x'.repeat(1024 * 1024) })}\n`.repeat(5);

  it('are lost in a small file', () => {
    assert.deepEqual(resumeOfBytes(Buffer.from(small)).loaded, ['p2']);
  });

  it('are read in a file of more than 5 MiB, and not in one of 5 MiB', () => {
    assert.deepEqual(resumeOfBytes(Buffer.from(padding + small)).loaded, ['p1', 'r1', 'p2']);
    const exact = 5 * 1024 * 1024 - Buffer.byteLength(small) - 1;
    assert.deepEqual(resumeOfBytes(Buffer.from(`${' '.repeat(exact)}\n${small}`)).loaded, ['p2']);
    assert.deepEqual(resumeOfBytes(Buffer.from(`${' '.repeat(exact + 1)}\n${small}`)).loaded, ['p1', 'r1', 'p2']);
  });
});
