import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import {
  boundary,
  chainRow,
  lastPrompt,
  nameOf,
  prompt,
  reply,
  type RowFields,
  transcript,
} from '../../support/transcriptBuilder';
import { assertDone, withSession } from './slimBench';

const LONG = 'You are Claude Code. '.repeat(400);

/** A row with the system prompt as the client records it. */
function snapshot(name: string, parent: string | null, text = LONG, fields: RowFields = {}): RowFields {
  const attachment = { type: 'prompt_snapshot', systemPrompt: [text], tools: [] };
  return chainRow('attachment', name, parent, { attachment, ...fields });
}

/** What is left of a transcript after it was slimmed: `name < parent` of each row. The undo is tested, too. */
async function slimmed(rows: readonly RowFields[]): Promise<string[]> {
  let left: string[] = [];
  await withSession(rows, async ({ filePath, engine }) => {
    const before = await readFile(filePath);
    const { status } = (await engine.slim(filePath)).result;
    left = (await readFile(filePath, 'utf8')).split('\n').flatMap((line) => (line === '' ? [] : [sayRow(line)]));
    assert.equal((await engine.planSlim(filePath)).result.status, 'already_slim');
    if (status !== 'slimmed') return;
    assertDone(await engine.undoSlim(filePath), 'restored');
    assert.ok((await readFile(filePath)).equals(before));
  });
  return left;
}

function sayRow(line: string): string {
  // SAFETY: the tests write no other rows.
  const { type, uuid, parentUuid } = JSON.parse(line) as { type: string; uuid?: string; parentUuid?: string | null };
  return uuid === undefined ? type : `${nameOf(uuid)} < ${nameOf(parentUuid ?? null)}`;
}

function sayRows(rows: readonly RowFields[]): string[] {
  return transcript(rows)
    .toString()
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [sayRow(line)]));
}

describe('Slimming a session with repeated attachments', () => {
  const start = [prompt('p1', null), snapshot('s1', 'p1'), reply('r1', 's1'), prompt('p2', 'r1')];

  it('removes a system prompt that repeats the one above, and links what hangs from it to the row above', async () => {
    const rows = [...start, snapshot('s2', 'p2'), reply('r2', 's2')];
    assert.deepEqual(await slimmed(rows), ['p1 < null', 's1 < p1', 'r1 < s1', 'p2 < r1', 'r2 < p2']);
  });

  it('counts them apart from progress', async () => {
    const progress = chainRow('progress', 'g', 'p2', { data: { type: 'bash_progress' } });
    const rows = [...start, progress, snapshot('s2', 'g'), reply('r2', 's2')];
    await withSession(rows, async ({ filePath, engine }) => {
      const { kinds, relinked } = assertDone(await engine.planSlim(filePath), 'slimmed');
      const bytes = transcript(rows.slice(0, 6)).length - transcript(rows.slice(0, 5)).length;
      assert.deepEqual(
        kinds.map(({ kind, rows: count }) => [kind, count]),
        [
          ['progress', 1],
          ['attachments', 1],
        ],
      );
      assert.deepEqual([kinds[1]?.bytesBefore, kinds[1]?.bytesAfter, relinked], [bytes, 0, 1]);
    });
  });

  it('removes all of several, and none of those that differ from the one before', async () => {
    const rows = [
      ...start,
      ...[snapshot('s2', 'p2'), reply('r2', 's2'), prompt('p3', 'r2'), snapshot('s3', 'p3'), reply('r3', 's3')],
      ...[prompt('p4', 'r3'), snapshot('s4', 'p4', `${LONG} Other.`), reply('r4', 's4')],
      ...[prompt('p5', 'r4'), snapshot('s5', 'p5'), reply('r5', 's5')],
    ];
    const left = await slimmed(rows);
    assert.deepEqual(
      left.filter((row) => row.startsWith('s')),
      ['s1 < p1', 's4 < p4', 's5 < p5'],
    );
  });

  const stays: readonly (readonly [what: string, rows: readonly RowFields[]])[] = [
    ['a different one', [...start, snapshot('s2', 'p2', `${LONG}!`), reply('r2', 's2')]],
    [
      'the same one after a small different one',
      [...start, snapshot('s2', 'p2', 'short'), prompt('p3', 's2'), snapshot('s3', 'p3'), reply('r3', 's3')],
    ],
    ['one that another branch has', [...start, prompt('b1', null), snapshot('s2', 'b1'), reply('b2', 's2')]],
    ['one from before a compaction', [...start, boundary('b', null), snapshot('s2', 'b'), prompt('p3', 's2')]],
    ['the last row', [...start, reply('r2', 'p2'), snapshot('s2', 'r2')]],
    ['one that a last-prompt names', [...start, snapshot('s2', 'p2'), reply('r2', 's2'), lastPrompt('s2')]],
    [
      'other attachments, which Claude may get twice',
      [
        ...start,
        snapshot('f1', 'p2', '', { attachment: { type: 'file', content: LONG } }),
        snapshot('f2', 'f1', '', { attachment: { type: 'file', content: LONG } }),
        reply('r2', 'f2'),
      ],
    ],
    [
      'one that is behind its child',
      [prompt('p1', null), snapshot('s1', 'p1'), reply('r1', 's1'), prompt('p2', 's2'), snapshot('s2', 'r1')],
    ],
  ];
  for (const [what, rows] of stays) {
    it(`keeps ${what}`, async () => {
      assert.deepEqual(await slimmed(rows), sayRows(rows));
    });
  }
});
