import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freshUuid } from '../../rooms/diagnose';
import { createEngine } from '../../../src/core/engine';
import type { RepairEdit, SessionRepairResult } from '../../../src/protocol/repair';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import {
  boundary,
  call,
  chainRow,
  lastPrompt,
  lines,
  nameOf,
  prompt,
  reply,
  result,
  type RowFields,
  timeOf,
  transcript,
  uuidOf,
} from '../../support/transcriptBuilder';
import { quietMachine } from '../../support/quietMachine';

async function plan(rows: readonly RowFields[] | string): Promise<SessionRepairResult> {
  return withTemporaryFolder(async (folder) => {
    const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
    await writeFile(filePath, typeof rows === 'string' ? rows : transcript(rows));
    return (await createEngine({ machine: quietMachine(), configDir: join(folder, 'none') }).planRepair(filePath))
      .result;
  });
}

/** `p2.parentUuid → r1`; for the bytes of a line, `line 3`. */
function sayEdit({ line, uuid, field, to }: RepairEdit): string {
  if (field === 'line') return `line ${line}`;
  return `${nameOf(uuid) ?? `line ${line}`}.${field} → ${typeof to === 'string' ? (nameOf(to) ?? '') : String(to)}`;
}

async function edits(rows: readonly RowFields[] | string): Promise<string[]> {
  return (await plan(rows)).edits.map(sayEdit);
}

const [P1, R1, P2, R2] = [prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1'), reply('r2', 'p2')];

describe('The repair of a lost parent', () => {
  it('links the row to the one before it', async () => {
    const planned = await plan([P1, R1, prompt('p2', 'lost'), R2]);
    assert.deepEqual(planned.edits.map(sayEdit), ['p2.parentUuid → r1']);
    assert.deepEqual(
      [planned.resumeBefore, planned.resumeAfter],
      [
        { loads: 2, of: 4 },
        { loads: 4, of: 4 },
      ],
    );
    assert.deepEqual([planned.orphansFixed, planned.newChainDepth, planned.status], [1, 4, 'repaired']);
    assert.equal(planned.backupPath, undefined);
  });

  it('does so even if the row before it was lost, too', async () => {
    const rows = [P1, R1, prompt('p2', 'lost'), reply('r2', 'gone')];
    assert.deepEqual(await edits(rows), ['p2.parentUuid → r1', 'r2.parentUuid → p2']);
  });

  it('links a result to the call that it answers', async () => {
    const rows = [P1, call('c1', 'p1', 't1'), reply('x', 'c1'), result('o1', 'lost', 't1'), reply('e', 'o1')];
    assert.deepEqual(await edits(rows), ['o1.parentUuid → c1']);
  });

  it('links a result to the row that it names as its source', async () => {
    const rows = [
      P1,
      call('c1', 'p1', 't1'),
      call('c2', 'c1', 't1'),
      result('o1', 'lost', 't1', { sourceToolAssistantUUID: uuidOf('c1') }),
      reply('e', 'o1'),
    ];
    assert.deepEqual(await edits(rows), ['o1.parentUuid → c1']);
  });

  it('skips a row that has no place in the tree and uses the one above', async () => {
    const novelty = chainRow('novelty', 'x', 'p1');
    assert.deepEqual(await edits([P1, novelty, reply('r1', 'x')]), ['r1.parentUuid → p1']);
  });

  it('makes a root of the first row', async () => {
    const rows = [prompt('p1', 'lost'), R1, prompt('p2', 'gone'), R2];
    assert.deepEqual(await edits(rows), ['p1.parentUuid → null', 'p2.parentUuid → r1']);
  });

  it('never links a row to another sidechain, a progress row, or a row without a uuid', async () => {
    const side = prompt('side', null, { isSidechain: true });
    const progress = chainRow('progress', 'x', 'r1');
    const nameless = { ...chainRow('system', 'n', 'r1'), uuid: undefined };
    assert.deepEqual(await edits([P1, R1, side, progress, nameless, prompt('p2', 'lost'), R2]), ['p2.parentUuid → r1']);
  });

  it('never links a row to one from before the compaction', async () => {
    const summary = prompt('s', 'lost', { isCompactSummary: true });
    const rows = [P1, R1, boundary('x', null), summary, reply('e', 's'), prompt('t', 'gone'), reply('u', 't')];
    assert.deepEqual(await edits(rows), ['s.parentUuid → x', 't.parentUuid → e']);
  });

  it('never creates a cycle', async () => {
    // The row before it is its descendant.
    const rows = [P1, reply('r2', 'p2'), prompt('p2', 'lost'), reply('e', 'r2')];
    assert.deepEqual(await edits(rows), ['p2.parentUuid → p1']);
  });

  it('keeps identical copies identical', async () => {
    const rows = lines([P1, R1, prompt('p2', 'lost', { timestamp: timeOf(9) }), R2]);
    const doubled = [rows[0], rows[1], rows[2], rows[2], rows[3]].map((row) => `${row ?? ''}\n`).join('');
    assert.deepEqual(await edits(doubled), ['p2.parentUuid → r1', 'p2.parentUuid → r1']);
  });

  it('keeps copies of one message that are written in different ways copies of it', () =>
    withTemporaryFolder(async (folder) => {
      const [p1 = '', r1 = '', p2 = '', r2 = ''] = lines([P1, R1, prompt('p2', 'lost', { timestamp: timeOf(9) }), R2]);
      const copy = `${p2.replace(',"', ' , "').replace('"version"', '"cwd"')} `;
      const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
      await writeFile(filePath, [p1, r1, p2, copy, r2].map((row) => `${row}\n`).join(''));
      const engine = createEngine({ machine: quietMachine(), configDir: join(folder, 'none') });
      const { result: repaired } = await engine.repair(filePath);
      assert.deepEqual(repaired.edits.map(sayEdit), ['p2.parentUuid → r1', 'p2.parentUuid → r1']);
      assert.equal((await engine.scan(filePath)).result.status, 'healthy');
      assert.deepEqual((await engine.repair(filePath)).result.edits, []);
    }));
});

describe('The repair of rows of several lines', () => {
  const pretty = (row: RowFields): string => `${JSON.stringify(row, null, 2)}\n`;

  it('changes the bytes of a link, and no others', () =>
    withTemporaryFolder(async (folder) => {
      const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
      const rows = [P1, chainRow('attachment', 'a1', 'gone'), prompt('p2', 'lost'), R2];
      const bytes = rows.map(pretty).join('\r\n');
      await writeFile(filePath, bytes);
      const engine = createEngine({ machine: quietMachine(), configDir: join(folder, 'none') });
      const { result: repaired } = await engine.repair(filePath);
      assert.deepEqual(
        [repaired.status, repaired.edits.map(sayEdit)],
        ['repaired', ['a1.parentUuid → p1', 'p2.parentUuid → a1']],
      );
      const expected = bytes.replace(uuidOf('gone'), uuidOf('p1')).replace(uuidOf('lost'), uuidOf('a1'));
      assert.equal(await readFile(filePath, 'utf8'), expected);
      assert.deepEqual((await engine.repair(filePath)).result.edits, []);
    }));

  it('separates the row that follows one on its last line', () =>
    withTemporaryFolder(async (folder) => {
      const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
      await writeFile(filePath, pretty(P1).trimEnd() + transcript([R1, P2, R2]).toString());
      const engine = createEngine({ machine: quietMachine(), configDir: join(folder, 'none') });
      const { result: repaired } = await engine.repair(filePath);
      assert.deepEqual([repaired.status, repaired.edits.length], ['repaired', 1]);
      const { result: scanned } = await engine.scan(filePath);
      assert.deepEqual([scanned.status, scanned.chainDepth], ['healthy', 4]);
      assert.deepEqual((await engine.repair(filePath)).result.edits, []);
    }));
});

describe('The repair of a cycle', () => {
  it('links its first row to the row before', async () => {
    assert.deepEqual(await edits([P1, R1, prompt('p2', 'r2'), R2]), ['p2.parentUuid → r1']);
    assert.deepEqual(await edits([P1, R1, prompt('p2', 'p2'), R2]), ['p2.parentUuid → r1']);
  });

  it('makes a root of the first row of the file', async () => {
    const rows = [prompt('p1', 'r2'), R1, P2, R2, prompt('p3', 'lost'), reply('r3', 'p3')];
    assert.deepEqual(await edits(rows), ['p1.parentUuid → null', 'p3.parentUuid → r2']);
  });
});

describe('The repair of a duplicate uuid', () => {
  it('gives the later row a fresh uuid, and later references point to that one', async () => {
    const rows = [P1, R1, P2, reply('r1', 'p2'), prompt('p3', 'r1'), reply('r3', 'p3')];
    const planned = await plan(rows);
    const fresh = freshUuid(uuidOf('r1'), 4, 0);
    assert.deepEqual(planned.edits.map(sayEdit), [`r1.uuid → ${fresh}`, `p3.parentUuid → ${fresh}`]);
    assert.deepEqual(planned.resumeAfter, { loads: 6, of: 6 });
  });

  it('updates the source of results as well', async () => {
    const rows = [
      P1,
      reply('r1', 'p1'),
      prompt('p2', 'r1'),
      call('r1', 'p2', 't1'),
      result('o1', 'r1', 't1', { sourceToolAssistantUUID: uuidOf('r1') }),
      reply('e', 'o1'),
    ];
    const fresh = freshUuid(uuidOf('r1'), 4, 0);
    assert.deepEqual((await edits(rows)).sort(), [
      `o1.parentUuid → ${fresh}`,
      `o1.sourceToolAssistantUUID → ${fresh}`,
      `r1.uuid → ${fresh}`,
    ]);
  });

  it('leaves identical copies unchanged', async () => {
    const text = lines([P1, R1, P2, R2]).map((line) => `${line}\n`);
    const planned = await plan([...text, ...text].join(''));
    assert.deepEqual([planned.status, planned.edits], ['already_healthy', []]);
  });

  it('leaves copies of a message unchanged that another client wrote in another way', async () => {
    const text = lines([P1, R1, P2, R2]);
    const copies = text.map((line) => JSON.stringify({ version: '9.9.9', ...(JSON.parse(line) as RowFields) }));
    const planned = await plan([...text, ...copies].map((line) => `${line}\n`).join(''));
    assert.deepEqual([planned.status, planned.edits], ['already_healthy', []]);
  });
});

describe('The repair of damaged lines', () => {
  const [p1 = '', r1 = '', p2 = '', r2 = ''] = lines([P1, R1, P2, R2]);

  it('removes NULs that hide a row, and separates joined rows', async () => {
    const planned = await plan(`\uFEFF${p1}\n\0\0${r1}\n${p2}${r2}\n\0\0`);
    assert.deepEqual(planned.edits.map(sayEdit), ['line 2', 'line 3']);
    assert.deepEqual(planned.resumeAfter, { loads: 4, of: 4 });
  });

  it('keeps a torn line and fixes the link of the row after it', async () => {
    assert.deepEqual(await edits(`${p1}\n${r1.slice(0, 50)}\n${p2}\n${r2}\n`), ['p2.parentUuid → p1']);
  });

  it('edits a row on a line that it also cleans', async () => {
    const [lost = ''] = lines([prompt('p2', 'lost', { timestamp: timeOf(2) })]);
    const planned = await plan(`${p1}\n${r1}\n\0${lost}${r2}\n`);
    assert.deepEqual(planned.edits.map(sayEdit).sort(), ['line 3', 'p2.parentUuid → r1']);
    assert.deepEqual(planned.resumeAfter, { loads: 4, of: 4 });
  });
});

describe('A repair that takes a message away', () => {
  /** The session ends at an open call, which Claude answers itself. Once rows follow it, it is left out. */
  const rows = [P1, call('c', 'p1', 't1'), reply('r1', 'lost'), prompt('p2', 'r1'), reply('r2', 'p2'), lastPrompt('c')];

  it('is planned if Claude loads more, and says which messages', async () => {
    const planned = await plan(rows);
    assert.deepEqual([planned.resumeBefore.loads, planned.resumeAfter.loads, planned.unloads], [2, 4, [2]]);
  });

  it('is not applied automatically', () =>
    withTemporaryFolder(async (folder) => {
      const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
      await writeFile(filePath, transcript(rows));
      const engine = createEngine({ machine: quietMachine(), configDir: join(folder, 'none') });
      const { result } = await engine.repair(filePath, { isAutomatic: true });
      assert.deepEqual([result.status, result.reason], ['failed', 'not-repairable']);
      assert.deepEqual(await readFile(filePath, 'utf8'), transcript(rows).toString());
      const asked = (await engine.repair(filePath)).result;
      assert.deepEqual([asked.status, asked.unloads], ['repaired', [2]]);
      const again = (await engine.planRepair(filePath)).result;
      assert.deepEqual([again.status, again.edits], ['already_healthy', []]);
    }));
});

describe('A repair does not change', () => {
  it('second roots, leaf pointers, compactions, subagents and unknown rows', async () => {
    const rows = [
      P1,
      R1,
      prompt('root', null),
      reply('r2', 'root'),
      prompt('side', 'lost', { isSidechain: true }),
      boundary('x', 'lost', { preservedMessages: { anchorUuid: 'gone', uuids: ['gone'] } }),
      prompt('s', 'x'),
      { type: 'novelty', uuid: uuidOf('n'), parentUuid: uuidOf('gone') },
      lastPrompt('lost'),
    ];
    const planned = await plan(rows);
    assert.deepEqual([planned.status, planned.edits], ['already_healthy', []]);
  });

  it('harmless broken links', async () => {
    const byTime = [
      prompt('a', null, { timestamp: timeOf(0) }),
      reply('b', 'a', { timestamp: timeOf(0, 1000) }),
      prompt('c', 'lost', { timestamp: timeOf(0, 2000) }),
      reply('d', 'c', { timestamp: timeOf(0, 3000) }),
    ];
    const atTheStart = [prompt('p1', 'lost'), R1];
    const inARing = [prompt('p1', 'r2'), R1, P2, R2];
    const onABranch = [P1, R1, prompt('p2', 'lost'), reply('r2', 'p2'), prompt('p3', 'r1'), reply('r3', 'p3')];
    for (const rows of [byTime, atTheStart, inARing, onABranch]) {
      const planned = await plan(rows);
      assert.deepEqual([planned.status, planned.edits], ['already_healthy', []]);
    }
  });

  it('stop hooks whose summary is linked to their progress', async () => {
    const rows = [
      P1,
      R1,
      chainRow('progress', 'x', 'r1', { data: { type: 'hook_progress' }, toolUseID: 'call' }),
      chainRow('system', 'stop', 'x', { subtype: 'stop_hook_summary', toolUseID: 'call' }),
      prompt('p2', 'stop'),
    ];
    const planned = await plan(rows);
    assert.deepEqual([planned.status, planned.edits], ['already_healthy', []]);
  });
});

describe('Large numbers of faults', () => {
  const many = Array.from({ length: 1500 }, (_, at) => prompt(`n${at}`, at === 0 ? null : `n${at - 1}`));

  it('are fixed at once: lost parents', async () => {
    const planned = await plan(many.map((row, at) => (at === 0 ? row : { ...row, parentUuid: uuidOf(`lost${at}`) })));
    assert.deepEqual([planned.edits.length, planned.resumeAfter.loads], [1499, 1500]);
  });

  it('are fixed at once: rows after NULs', async () => {
    const planned = await plan(
      lines(many)
        .map((line) => `\0${line}\n`)
        .join(''),
    );
    assert.deepEqual([planned.edits.length, planned.resumeAfter.loads], [1500, 1500]);
  });

  it('are fixed at once: joined lines', async () => {
    const pairs = [
      ...lines(many),
      ...lines(
        many.map((row, at) => ({
          ...row,
          uuid: uuidOf(`m${at}`),
          parentUuid: uuidOf(at === 0 ? 'n1499' : `m${at - 1}`),
        })),
      ),
    ];
    const planned = await plan(pairs.map((line, at) => (at % 2 === 0 ? line : `${line}\n`)).join(''));
    assert.deepEqual([planned.edits.length, planned.resumeAfter.loads], [1500, 3000]);
  });
});
