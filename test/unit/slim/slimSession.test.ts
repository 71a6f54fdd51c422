import assert from 'node:assert/strict';
import { appendFile, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  boundary,
  chainRow,
  lastPrompt,
  lines,
  nameOf,
  prompt,
  reply,
  type RowFields,
  transcript,
  uuidOf,
} from '../../support/transcriptBuilder';
import { FaultyFs } from '../storage/faultyFs';
import { assertDone, ID, withSession } from './slimBench';

const [P1, R1, P2, R2] = [prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1'), reply('r2', 'p2')];

function progress(name: string, parent: string | null, fields: RowFields = {}): RowFields {
  return chainRow('progress', name, parent, { data: { type: 'bash_progress', output: `output ${name}` }, ...fields });
}

/** What is left of a transcript: `name < parent` of each row with a uuid, `type` of the others. */
async function slimmed(content: readonly RowFields[] | string): Promise<string[]> {
  let left: string[] = [];
  await withSession(content, async ({ filePath, engine }) => {
    const before = await readFile(filePath);
    const { status } = (await engine.slim(filePath)).result;
    left = (await readFile(filePath, 'utf8'))
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map(sayRow);
    assert.deepEqual((await engine.slim(filePath)).result.status === 'slimmed', false);
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

const WITHOUT = ['p1 < null', 'r1 < p1', 'p2 < r1', 'r2 < p2'];

describe('Slimming a session', () => {
  it('removes progress from which nothing hangs', async () => {
    assert.deepEqual(await slimmed([P1, R1, progress('g', 'r1'), progress('h', 'g'), P2, R2]), WITHOUT);
  });

  it('removes progress at the end of the file', async () => {
    assert.deepEqual(await slimmed([P1, R1, P2, R2, progress('g', 'r2')]), WITHOUT);
  });

  it('links what hangs from progress to the row above it', async () => {
    const rows = [P1, R1, progress('g', 'r1'), progress('h', 'g'), prompt('p2', 'h'), R2];
    assert.deepEqual(await slimmed(rows), WITHOUT);
  });

  it('makes what hangs from progress without a parent a first row', async () => {
    const rows = [progress('g', null), progress('h', 'g'), prompt('p1', 'h'), R1, P2, R2];
    assert.deepEqual(await slimmed(rows), WITHOUT);
  });

  it('links several rows that hang from the same progress', async () => {
    const rows = [P1, progress('g', 'p1'), reply('r1', 'g'), reply('other', 'g'), P2, R2];
    assert.deepEqual(await slimmed(rows), ['p1 < null', 'r1 < p1', 'other < p1', 'p2 < r1', 'r2 < p2']);
  });

  it('keeps progress whose parent is missing, and what hangs from it', async () => {
    const rows = [P1, R1, progress('g', 'lost'), progress('h', 'g'), prompt('p2', 'h'), R2];
    assert.deepEqual(await slimmed(rows), ['p1 < null', 'r1 < p1', 'g < lost', 'p2 < g', 'r2 < p2']);
  });

  it('keeps progress that is behind what hangs from it, since the client does not bridge it', async () => {
    const rows = [P1, R1, prompt('p2', 'g'), progress('g', 'r1'), R2, progress('h', 'r2')];
    assert.deepEqual(await slimmed(rows), ['p1 < null', 'r1 < p1', 'p2 < g', 'g < r1', 'r2 < p2']);
  });

  it('keeps progress that is its own parent, and progress in a circle', async () => {
    const rows = [P1, R1, progress('g', 'g'), progress('h', 'i'), progress('i', 'h'), P2, R2, progress('j', 'r2')];
    assert.deepEqual(await slimmed(rows), ['p1 < null', 'r1 < p1', 'g < g', 'h < i', 'i < h', 'p2 < r1', 'r2 < p2']);
  });

  it('keeps progress whose uuid another row has', async () => {
    const rows = [P1, R1, progress('g', 'r1'), progress('g', 'p1'), P2, R2, progress('h', 'r2')];
    assert.deepEqual(await slimmed(rows), ['p1 < null', 'r1 < p1', 'g < r1', 'g < p1', 'p2 < r1', 'r2 < p2']);
  });

  it('keeps progress that a last-prompt names', async () => {
    const rows = [P1, R1, P2, R2, progress('g', 'r2'), progress('h', 'r2'), lastPrompt('g')];
    assert.deepEqual(await slimmed(rows), [...WITHOUT, 'g < r2', 'last-prompt']);
  });

  it('keeps progress that a compaction preserves', async () => {
    const kept = { preservedMessages: { anchorUuid: uuidOf('b'), uuids: [uuidOf('r1'), uuidOf('g')] } };
    const rows = [P1, R1, progress('g', 'r1'), progress('h', 'r1'), boundary('b', null, kept), prompt('p2', 'b'), R2];
    assert.deepEqual(await slimmed(rows), ['p1 < null', 'r1 < p1', 'g < r1', 'b < null', 'p2 < b', 'r2 < p2']);
  });

  it('removes progress of subagents and before a compaction', async () => {
    const side = { isSidechain: true };
    const rows = [P1, prompt('s', null, side), progress('g', 's', side), R1, progress('h', 'r1'), boundary('b', null)];
    const left = await slimmed([...rows, prompt('p2', 'b'), R2]);
    assert.deepEqual(left, ['p1 < null', 's < null', 'r1 < p1', 'b < null', 'p2 < b', 'r2 < p2']);
  });

  it('keeps rows of other types, even if they look like progress', async () => {
    const snapshot = { type: 'file-history-snapshot', messageId: uuidOf('p1'), snapshot: { type: 'progress' } };
    const rows = [P1, snapshot, reply('r1', 'p1', { note: '"type":"progress"' }), progress('g', 'r1'), P2, R2];
    assert.deepEqual(await slimmed(rows), ['p1 < null', 'file-history-snapshot', ...WITHOUT.slice(1)]);
  });

  it('keeps a last line without a newline, which a client may still be writing', async () => {
    const text = lines([P1, R1, P2, progress('g', 'p2'), R2, progress('h', 'r2')]).join('\n');
    assert.deepEqual(await slimmed(text), [...WITHOUT, 'h < r2']);
  });

  it('removes lines that end with CRLF as a whole, and keeps empty lines', async () => {
    const [first, second, third, ...rest] = lines([P1, R1, progress('g', 'r1'), P2, R2]);
    await withSession([first, second, third, '', ...rest, ''].join('\r\n'), async ({ filePath, engine }) => {
      assertDone(await engine.slim(filePath), 'slimmed');
      assert.equal(await readFile(filePath, 'utf8'), [first, second, '', ...rest, ''].join('\r\n'));
    });
  });

  it('keeps progress on a line with something else: a byte order mark, NULs, or a second row', async () => {
    const [g, p1, r1, h, p2, i, r2] = lines([
      progress('g', null),
      P1,
      R1,
      progress('h', 'r1'),
      P2,
      progress('i', 'p2'),
      R2,
    ]);
    const text = [`\uFEFF${g}`, p1, r1, `\0\0${h}`, `${p2}${i}`, r2, ''].join('\n');
    await withSession(text, async ({ filePath, engine }) => {
      assert.equal((await engine.slim(filePath)).result.status, 'already_slim');
      assert.equal(await readFile(filePath, 'utf8'), text);
    });
  });

  it('changes nothing if that would make a finding worse: only up to 5 MiB, the client does not read what is behind NULs', async () => {
    const filler = progress('g', 'r1', { data: { output: 'x'.repeat(6 * 1024 * 1024) } });
    const content = `${'\0'.repeat(100)}${transcript([P1, R1, filler, P2, R2]).toString()}`;
    await withSession(content, async ({ filePath, engine }) => {
      const worst = async (): Promise<string | undefined> => (await engine.scan(filePath)).result.findings[0]?.severity;
      assert.equal(await worst(), 'info');
      const { result } = await engine.slim(filePath);
      assert.deepEqual([result.status, result.reason, await worst()], ['failed', 'not-repairable', 'info']);
    });
  });

  it('changes nothing in a session without progress', async () => {
    await withSession([P1, R1], async ({ filePath, engine }) => {
      const result = assertDone(await engine.slim(filePath), 'already_slim');
      assert.deepEqual([result.kinds, result.bytesBefore], [[], result.bytesAfter]);
      assert.deepEqual(await readdir(dirname(filePath)), [`${ID}.jsonl`]);
    });
  });

  it('says how many bytes of what it removes, and a dry run says the same and writes nothing', async () => {
    const rows = [P1, R1, progress('g', 'r1'), progress('h', 'g'), prompt('p2', 'h'), R2];
    await withSession(rows, async ({ filePath, engine }) => {
      const before = await readFile(filePath);
      const planned = assertDone(await engine.planSlim(filePath), 'slimmed');
      assert.ok((await readFile(filePath)).equals(before));
      const bytes = transcript(rows.slice(0, 4)).length - transcript(rows.slice(0, 2)).length;
      assert.deepEqual(planned.kinds, [{ kind: 'progress', rows: 2, bytesBefore: bytes, bytesAfter: 0 }]);
      assert.deepEqual([planned.relinked, planned.backupPath], [1, undefined]);
      assert.deepEqual(
        [planned.resumeBefore, planned.resumeAfter],
        [
          { loads: 4, of: 4 },
          { loads: 4, of: 4 },
        ],
      );
      const { backupPath, ...done } = assertDone(await engine.slim(filePath), 'slimmed');
      assert.deepEqual(done, planned);
      assert.ok((await readFile(backupPath ?? '')).equals(before));
      assert.equal((await stat(filePath)).size, planned.bytesAfter);
    });
  });

  it('keeps the time of the file, which decides when clients delete it', async () => {
    await withSession([P1, R1, progress('g', 'r1')], async ({ filePath, engine }) => {
      const time = new Date(Date.UTC(2026, 0, 2));
      await utimes(filePath, time, time);
      assertDone(await engine.slim(filePath), 'slimmed');
      assert.deepEqual((await stat(filePath)).mtime, time);
    });
  });
});

describe('Slimming a session is refused', () => {
  it('if the disk has no room for the backup', async () => {
    const deps = { freeBytes: () => Promise.resolve(100) };
    await withSession(
      [P1, R1, progress('g', 'r1')],
      async ({ filePath, engine }) => {
        const before = await readFile(filePath);
        const { result, problem } = await engine.slim(filePath);
        assert.deepEqual([result.status, result.reason], ['failed', 'no-space']);
        assert.match(problem ?? '', /^The disk has 1 MB left, and 1 MB are needed/);
        assert.ok((await readFile(filePath)).equals(before));
        assert.deepEqual(await readdir(dirname(filePath)), [`${ID}.jsonl`]);
      },
      deps,
    );
  });

  it('if the file is written to meanwhile, and nothing is left beside it', async () => {
    const fs = new FaultyFs();
    await withSession(
      [P1, R1, progress('g', 'r1')],
      async ({ filePath, engine }) => {
        let isWritten = false;
        fs.beforeCall = ({ name }) => {
          if (name !== 'mkdir' || isWritten) return;
          isWritten = true;
          void appendFile(filePath, transcript([P2]));
        };
        const { result } = await engine.slim(filePath);
        assert.deepEqual([result.status, result.reason], ['failed', 'changed-while-repairing']);
        assert.deepEqual(await readdir(dirname(filePath)), [`${ID}.jsonl`]);
      },
      { fs },
    );
  });

  it('if the transcript is missing or contains nothing that Claude reads', async () => {
    await withSession('no JSON\n', async ({ filePath, engine }) => {
      assert.equal((await engine.slim(filePath)).result.reason, 'unreadable');
      assert.equal((await engine.slim(`${filePath.slice(0, -7)}5.jsonl`)).result.reason, 'missing');
    });
  });
});

describe('Undoing a slim', () => {
  it('keeps the rows that were appended since', async () => {
    await withSession([P1, R1, progress('g', 'r1')], async ({ filePath, engine }) => {
      const before = await readFile(filePath);
      assertDone(await engine.slim(filePath), 'slimmed');
      await appendFile(filePath, transcript([P2, R2]));
      assertDone(await engine.undoSlim(filePath), 'restored');
      assert.ok((await readFile(filePath)).equals(Buffer.concat([before, transcript([P2, R2])])));
    });
  });

  it('is also what Undo Repair does', async () => {
    await withSession([P1, R1, progress('g', 'r1'), prompt('p2', 'g'), R2], async ({ filePath, engine }) => {
      const before = await readFile(filePath);
      assertDone(await engine.slim(filePath), 'slimmed');
      assert.equal((await engine.undoRepair(filePath)).result.status, 'repaired');
      assert.ok((await readFile(filePath)).equals(before));
    });
  });

  it('by Undo Repair does not decline later repairs', async () => {
    const rows = [P1, R1, progress('g', 'r1'), prompt('p2', 'lost'), R2];
    await withSession(rows, async ({ filePath, engine }) => {
      assertDone(await engine.slim(filePath), 'slimmed');
      assert.equal((await engine.undoRepair(filePath)).result.status, 'repaired');
      assert.equal((await engine.repair(filePath, { isAutomatic: true })).result.status, 'repaired');
    });
  });

  it('does not undo a repair', async () => {
    await withSession([P1, R1, prompt('p2', 'lost'), R2], async ({ filePath, engine }) => {
      assert.equal((await engine.repair(filePath)).result.status, 'repaired');
      const repaired = await readFile(filePath);
      const { result } = await engine.undoSlim(filePath);
      assert.deepEqual([result.status, result.reason], ['failed', 'changed-since-repair']);
      assert.ok((await readFile(filePath)).equals(repaired));
    });
  });

  it('undoes a repair of the slimmed session before the slim itself', async () => {
    const rows = [P1, R1, progress('g', 'r1'), prompt('p2', 'lost'), R2];
    await withSession(rows, async ({ filePath, engine }) => {
      const before = await readFile(filePath);
      assertDone(await engine.slim(filePath), 'slimmed');
      const slim = await readFile(filePath);
      assert.equal((await engine.repair(filePath)).result.status, 'repaired');
      assert.equal((await engine.undoRepair(filePath)).result.status, 'repaired');
      assert.ok((await readFile(filePath)).equals(slim));
      assertDone(await engine.undoSlim(filePath), 'restored');
      assert.ok((await readFile(filePath)).equals(before));
    });
  });

  it('is refused if the slimmed session was changed in other ways', async () => {
    await withSession([P1, R1, progress('g', 'r1'), P2, R2], async ({ filePath, engine }) => {
      assertDone(await engine.slim(filePath), 'slimmed');
      const edited = (await readFile(filePath, 'utf8')).replace('prompt p2', 'prompt P2');
      await writeFile(filePath, edited);
      assert.equal((await engine.undoSlim(filePath)).result.reason, 'changed-since-repair');
      assert.equal(await readFile(filePath, 'utf8'), edited);
    });
  });
});
