import assert from 'node:assert/strict';
import { loaderRules, simulateResume } from '../../rooms/loader';
import { LARGE_FILE_BYTES } from '../../rooms/transcript';
import {
  assistant,
  boundary,
  call,
  chainRow,
  lastPrompt,
  lines,
  prompt,
  reply,
  result,
  type RowFields,
  uuidOf,
} from '../../support/transcriptBuilder';
import { type Edit, largeResumeOf, resumeOf, resumeOfBytes } from './resumeOf';

function missingOf(rows: readonly RowFields[], edits: Readonly<Record<number, Edit>> = {}): readonly number[] {
  return largeResumeOf(rows, edits).resume.summary.missingLines;
}

/** Line 4 has a missing parent. It loads, by the id of its call, only if the reader drops nothing. */
const FRAME = [
  prompt('p1', null),
  call('c1', 'p1', 't1', { message: 'm' }),
  call('c2', 'c1', 't2', { message: 'm' }),
  result('o1', 'nowhere', 't1'),
  result('o2', 'c2', 't2'),
  reply('a1', 'o2'),
  prompt('p2', 'a1'),
  reply('a2', 'p2'),
];
const NOTHING: number[] = [];
/** The call of line 2 has no result then. */
const BRANCH = [2, 4];

const without =
  (key: string): Edit =>
  (line) =>
    JSON.stringify({ ...(JSON.parse(line) as object), [key]: undefined });
const keep = (uuids: readonly string[], anchor = 'b'): object => ({
  preservedMessages: { anchorUuid: uuidOf(anchor), uuids: uuids.map(uuidOf) },
});
/** Messages in turn from `first` on. */
const talk = (name: string, count: number, parent: string | null): RowFields[] =>
  Array.from({ length: count }, (_, at) =>
    (at % 2 === 0 ? prompt : reply)(`${name}${at}`, at === 0 ? parent : `${name}${at - 1}`),
  );

describe('The reader for large files', () => {
  it('drops a result that hangs from nothing, which a small file would find by its call', () => {
    assert.deepEqual(missingOf(FRAME), BRANCH);
    assert.deepEqual(resumeOf(FRAME).resume.summary.missingLines, NOTHING);
  });

  it('drops nothing if the chain of the last row ends at a missing row or a ring', () => {
    assert.deepEqual(
      missingOf([...FRAME.slice(0, 6), prompt('p2', 'a1'), reply('a2', 'p2')], { 1: without('parentUuid') }),
      NOTHING,
    );
    assert.deepEqual(missingOf([prompt('p1', 'lost'), ...FRAME.slice(1)]), NOTHING);
    assert.deepEqual(missingOf([prompt('p1', 'a1'), ...FRAME.slice(1)]), NOTHING);
    assert.deepEqual(missingOf(FRAME, { 7: (line) => line.replace('":"', '": "') }), NOTHING);
  });

  it('keeps the chain of the row that the newest short last-prompt names', () => {
    const rows = [...FRAME.slice(0, 5), prompt('q', 'o2'), ...FRAME.slice(5)];
    assert.deepEqual(missingOf([...rows, lastPrompt('q')]), [2, 4, 7, 8, 9]);
    assert.equal(largeResumeOf([...rows, lastPrompt('q', { lastPrompt: 'x'.repeat(900) })]).leaf, 'q');
    assert.equal(largeResumeOf([...rows, lastPrompt('q', { lastPrompt: 'x'.repeat(1100) })]).leaf, 'a2');
  });

  it('drops a short last-prompt behind NULs, and one in another key order with anything glued to it', () => {
    const rows = [...FRAME.slice(0, 5), prompt('q', 'o2'), ...FRAME.slice(5), lastPrompt('q')];
    const later: Edit = (line) => JSON.stringify({ sessionId: 's', ...(JSON.parse(line) as object) });
    assert.equal(largeResumeOf(rows, { 10: later }).leaf, 'q');
    assert.equal(largeResumeOf(rows, { 10: (line) => `${line}xxx` }).leaf, 'q');
    assert.equal(largeResumeOf(rows, { 10: (line) => `\0${line}` }).leaf, 'a2');
    assert.equal(largeResumeOf(rows, { 10: (line) => `${later(line)}xxx` }).leaf, 'a2');
  });

  it('falls back on an older last-prompt when it drops the newest', () => {
    const rows = [...FRAME, prompt('q', 'o2'), lastPrompt('q'), lastPrompt('a2')];
    assert.equal(largeResumeOf(rows).leaf, 'a2');
    const dropped: Edit = (line) => `${JSON.stringify({ sessionId: 's', ...(JSON.parse(line) as object) })}x`;
    assert.equal(largeResumeOf(rows, { 11: dropped }).leaf, 'q');
  });

  it('takes a torn row that names a parent, or a row of an unknown type, as the leaf', () => {
    const torn: Edit = (line) => line.slice(0, -12);
    assert.deepEqual(missingOf([...FRAME, prompt('p3', 'a1')], { 9: torn }), [2, 4, 7, 8]);
    assert.deepEqual(missingOf([...FRAME, prompt('p3', null)], { 9: torn }), BRANCH);
    assert.deepEqual(missingOf([...FRAME, chainRow('some-type', 'x', 'a1')]), [2, 4, 7, 8]);
    assert.deepEqual(missingOf([...FRAME, chainRow('some-type', 'x', 'a1')], { 9: without('parentUuid') }), BRANCH);
  });

  it('never drops a row without the key of a parent, and takes it for no leaf', () => {
    assert.deepEqual(missingOf(FRAME, { 4: without('parentUuid') }), NOTHING);
  });

  it('hides a row behind a byte order mark, also at the start of the file, and still follows its link', () => {
    const rows = FRAME.map((row, at) => ({
      ...row,
      timestamp: new Date(Date.UTC(2026, 5, 1) + at * 500).toISOString(),
    }));
    assert.deepEqual(missingOf(rows, { 6: (line) => `\uFEFF${line}` }), [2, 4, 6]);
    assert.deepEqual(missingOf(rows, { 1: (line) => `\uFEFF${line}` }), [1, 2, 4]);
    assert.deepEqual(missingOf(rows, { 6: (line) => `\0\0${line}` }), BRANCH);
    assert.deepEqual(missingOf(rows, { 6: (line) => `\0\t ${line}` }), BRANCH);
  });

  describe('keeps beside the chain', () => {
    const rows = (...side: readonly RowFields[]): RowFields[] => [...FRAME.slice(0, 5), ...side, ...FRAME.slice(5)];
    const isHeld = (of: readonly RowFields[], name: string): boolean => {
      const { graph } = largeResumeOf(of).resume;
      return graph.rowOf(graph.index.ids.intern(uuidOf(name))) >= 0;
    };
    const text = (name: string): object[] => [{ type: 'text', text: name }];

    it('a result, also below another one, but no prompt', () => {
      assert.equal(isHeld(rows(result('s', 'c1', 't1')), 's'), true);
      assert.equal(isHeld(rows(result('s', 'c1', 't1'), result('s2', 's', 't2')), 's2'), true);
      assert.equal(isHeld(rows(prompt('s', 'c1')), 's'), false);
      assert.equal(isHeld(rows(prompt('q', 'c1'), result('s', 'q', 't1')), 's'), false);
    });

    it('a row only behind its parent', () => {
      assert.equal(isHeld([result('s', 'c1', 't1'), ...FRAME], 's'), false);
    });

    it('a row of the message above it, but of no other', () => {
      assert.equal(isHeld(rows(assistant('s', 'c1', text('s'), {}, 'm')), 's'), true);
      assert.equal(isHeld(rows(assistant('s', 'o2', text('s'), {}, 'm')), 's'), true);
      assert.equal(isHeld(rows(assistant('s', 'c1', text('s'), {}, 'n')), 's'), false);
      assert.equal(isHeld(rows(assistant('s', 'p1', text('s'), {}, 'm')), 's'), false);
    });

    it('attachments, system rows, notes and progress, and one row below them', () => {
      for (const note of [
        chainRow('attachment', 's', 'c1'),
        chainRow('system', 's', 'c1', { subtype: 'informational' }),
        prompt('s', 'c1', { isMeta: true }),
      ]) {
        const side = rows(note, prompt('q', 's'), prompt('q2', 'q'));
        assert.deepEqual([isHeld(side, 's'), isHeld(side, 'q'), isHeld(side, 'q2')], [true, true, false]);
      }
      const progress = rows(chainRow('progress', 's', 'c1'), prompt('q', 's'));
      assert.equal(isHeld(progress, 'q'), true);
      assert.equal(isHeld(rows(prompt('s', 'c1', { isMeta: 1 })), 's'), false);
    });

    it('no note without a message', () => {
      const side = rows(prompt('s', 'c1', { isMeta: true, message: null }), prompt('q', 's'));
      assert.equal(isHeld(side, 'q'), false);
    });
  });

  describe('at a compaction', () => {
    const OLD = [prompt('o1', null), reply('o2', 'o1')];

    it('that keeps nothing, drops the rows before it', () => {
      const rows = [...OLD, boundary('b', null), prompt('p1', 'o2'), reply('a1', 'p1')];
      assert.deepEqual(missingOf(rows), [1, 2]);
      assert.deepEqual(resumeOf(rows).resume.summary.missingLines, NOTHING);
    });

    it('that it does not see, drops nothing', () => {
      const rows = [...OLD, boundary('b', null), prompt('p1', 'o2'), reply('a1', 'p1')];
      const late: Edit = (line) => line.replace('null', `null,"y":"${'y'.repeat(4100)}"`);
      assert.deepEqual(missingOf(rows, { 3: late }), NOTHING);
      assert.deepEqual(missingOf(rows, { 3: (line) => `${line}x` }), NOTHING);
      assert.deepEqual(missingOf(rows, { 3: (line) => `\0\0${line}` }), [1, 2]);
    });

    it('that is no row of the chain, has the loader forget nothing', () => {
      const rows = [...OLD, prompt('n1', null), boundary('b', null), prompt('p1', 'n1'), reply('a1', 'p1')];
      assert.deepEqual(missingOf(rows, { 3: without('parentUuid') }), [1, 2, 3]);
      const other = [...rows.slice(0, 4), prompt('p1', null), reply('a1', 'p1')];
      const { graph } = largeResumeOf(other, { 3: without('parentUuid') }).resume;
      assert.deepEqual([graph.wasRead(2), graph.wasRead(3)], [true, false]);
    });

    it('drops the last-prompts before it but the last one', () => {
      const rows = [
        ...OLD,
        lastPrompt('o1'),
        lastPrompt('o2'),
        boundary('b', null),
        prompt('p1', 'b'),
        reply('a1', 'p1'),
      ];
      const { graph } = largeResumeOf(rows).resume;
      assert.equal(graph.lastPrompt?.line, 4);
    });

    it('with a list, keeps the listed rows and everything behind it', () => {
      const rows = [
        ...talk('o', 6, null),
        boundary('b', null, keep(['o4', 'o5'])),
        prompt('p1', 'b'),
        reply('a1', 'p1'),
      ];
      assert.deepEqual(missingOf(rows), [1, 2, 3, 4]);
    });

    it('with a list, drops nothing itself when a listed row is missing, or a uuid stands twice', () => {
      const dropsNone = (rows: readonly RowFields[]): boolean => {
        const { graph } = largeResumeOf(rows).resume;
        return rows.every((_, row) => graph.wasRead(row));
      };
      const tail = [prompt('p1', 'b'), reply('a1', 'p1')];
      assert.equal(dropsNone([...talk('o', 6, null), boundary('b', null, keep(['o4', 'o5'])), ...tail]), false);
      assert.equal(dropsNone([...talk('o', 6, null), boundary('b', null, keep(['o4', 'lost'])), ...tail]), true);
      assert.equal(dropsNone([...talk('o', 6, null), boundary('b', null, keep(['o4', 'o5'], 'o1')), ...tail]), true);
      assert.equal(
        dropsNone([prompt('o0', null), ...talk('o', 6, null), boundary('b', null, keep(['o4', 'o5'])), ...tail]),
        true,
      );
      assert.equal(
        dropsNone([...talk('o', 6, null), boundary('b', null, { preservedSegment: { headUuid: 'x' } }), ...tail]),
        true,
      );
    });

    it('with a second list, looks for duplicates only among the rows that it needs', () => {
      const rows = (count: number): RowFields[] => [
        ...talk('o', 2, null),
        boundary('b1', null, keep(['o1'], 'b1')),
        prompt('q0', 'b1'),
        ...talk('q', count, 'b1'),
        boundary('b', null, keep([`q${count - 2}`, `q${count - 1}`])),
        ...[prompt('p1', 'b'), reply('a1', 'p1')],
      ];
      const { graph: near } = largeResumeOf(rows(10)).resume;
      const { graph: far } = largeResumeOf(rows(140)).resume;
      assert.deepEqual([near.wasRead(5), far.wasRead(5)], [true, false]);
    });
  });

  it('follows links that replace those in the file, as it would follow them once they are written', () => {
    const { index } = largeResumeOf(FRAME).resume.graph;
    const replaced = (links: readonly (readonly [number, number])[]): unknown =>
      simulateResume(index, loaderRules(), new Map(links)).summary.missingLines;
    assert.deepEqual(
      replaced([[3, 1]]),
      missingOf([...FRAME.slice(0, 3), result('o1', 'c1', 't1'), ...FRAME.slice(4)]),
    );
    assert.deepEqual(replaced([[6, -1]]), missingOf([...FRAME.slice(0, 6), prompt('p2', null), reply('a2', 'p2')]));
    assert.deepEqual(replaced([[6, 1]]), missingOf([...FRAME.slice(0, 6), prompt('p2', 'c1'), reply('a2', 'p2')]));
  });

  it('is not asked about files of up to 5 MiB', () => {
    const bytes = Buffer.from(`${lines(FRAME).join('\n')}\n`);
    const filler = { type: 'queue-operation', content: '' };
    const room = LARGE_FILE_BYTES - bytes.length - JSON.stringify(filler).length - 1;
    const padded = (extra: number): Buffer =>
      Buffer.concat([bytes, Buffer.from(`${JSON.stringify({ ...filler, content: 'x'.repeat(room + extra) })}\n`)]);
    assert.equal(padded(0).length, LARGE_FILE_BYTES);
    assert.deepEqual(resumeOfBytes(padded(0)).resume.summary.missingLines, NOTHING);
    assert.deepEqual(resumeOfBytes(padded(1)).resume.summary.missingLines, BRANCH);
  });
});
