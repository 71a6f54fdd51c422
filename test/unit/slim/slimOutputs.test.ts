import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import { quietMachine } from '../../support/quietMachine';
import { call, lines, prompt, reply, result, type RowFields, transcript } from '../../support/transcriptBuilder';
import { FaultyFs } from '../storage/faultyFs';
import { assertDone, ID, withSession } from './slimBench';

const LONG = 'a line of a log, "quoted", and an é\n'.repeat(2_000);
const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n', 'latin1'), Buffer.alloc(40_000, 7)]);

function session(toolUseResult: unknown, fields: RowFields = {}): readonly RowFields[] {
  const rows = [prompt('p1', null), call('c1', 'p1', 'toolu_1')];
  return [...rows, result('o1', 'c1', 'toolu_1', { toolUseResult, ...fields }), reply('r1', 'o1')];
}

/** The folder of the files of a session's outputs. */
function removedFolder(filePath: string): string {
  return join(dirname(filePath), ID, 'removed');
}

async function outputsOf(filePath: string): Promise<readonly string[]> {
  const names = await readdir(removedFolder(filePath));
  return Promise.all(names.map((name) => readFile(join(removedFolder(filePath), name), 'utf8')));
}

async function resultIn(filePath: string): Promise<Record<string, unknown>> {
  const [, , line = ''] = (await readFile(filePath, 'utf8')).split('\n');
  // SAFETY: the session's third row is the result, which the tests give such a field.
  return (JSON.parse(line) as { toolUseResult: Record<string, unknown> }).toolUseResult;
}

describe('Slimming a session with long outputs', () => {
  it('moves what a command printed into a file beside the transcript and names that in its place', async () => {
    const printed = { stdout: LONG, stderr: '', interrupted: false };
    await withSession(session(printed), async ({ filePath, engine }) => {
      const before = await readFile(filePath);
      const done = assertDone(await engine.slim(filePath), 'slimmed');
      const [name = ''] = await readdir(removedFolder(filePath));
      assert.match(name, /^[0-9a-f]{16}\.txt$/);
      assert.equal(await readFile(join(removedFolder(filePath), name), 'utf8'), LONG);
      const bytes = Buffer.byteLength(LONG).toLocaleString('en');
      assert.deepEqual(await resultIn(filePath), {
        ...printed,
        stdout: `[${bytes} bytes moved; all of it is in ${ID}/removed/${name}]`,
      });
      const [kind] = done.kinds;
      assert.ok(kind !== undefined);
      assert.deepEqual([done.kinds.length, kind.kind, kind.rows], [1, 'outputs', 1]);
      assert.equal(kind.bytesBefore, Buffer.byteLength(JSON.stringify(LONG)));
      assert.equal(done.bytesBefore - done.bytesAfter, kind.bytesBefore - kind.bytesAfter);
      assert.ok((await readFile(done.backupPath ?? '')).equals(before));
    });
  });

  it('moves both outputs of a command, and a file as it was before an edit', async () => {
    const edit = { filePath: '/a.txt', oldString: 'a', newString: 'b', originalFile: `${LONG}3`, structuredPatch: [] };
    const rows = [
      ...session({ stdout: `${LONG}1`, stderr: `${LONG}2` }),
      call('c2', 'r1', 'toolu_2'),
      result('o2', 'c2', 'toolu_2', { toolUseResult: edit }),
    ];
    await withSession(rows, async ({ filePath, engine }) => {
      assert.equal(assertDone(await engine.slim(filePath), 'slimmed').kinds[0]?.rows, 3);
      assert.deepEqual([...(await outputsOf(filePath))].sort(), [`${LONG}1`, `${LONG}2`, `${LONG}3`]);
    });
  });

  it('moves an image that a tool read into a file that opens as one', async () => {
    const file = { base64: PNG.toString('base64'), type: 'image/png', originalSize: PNG.length };
    await withSession(session({ type: 'image', file }), async ({ filePath, engine }) => {
      assertDone(await engine.slim(filePath), 'slimmed');
      const [name = ''] = await readdir(removedFolder(filePath));
      assert.match(name, /\.png$/);
      assert.ok((await readFile(join(removedFolder(filePath), name))).equals(PNG));
    });
  });

  it('keeps each character of a text of several megabytes, however it is written', async () => {
    const [first, second, third = '', last] = lines(session({ stdout: 'TEXT' }));
    for (const written of [
      String.raw`\ud83d\ude00`,
      '😀é',
      String.raw`\\\"\n`,
      String.raw`plain text \ud83d\ude00 é\\`,
    ]) {
      const json = `"${written.repeat(3_000_000 / written.length)}"`;
      const row = third.replace('"TEXT"', () => json);
      await withSession([first, second, row, last, ''].join('\n'), async ({ filePath, engine }) => {
        assertDone(await engine.slim(filePath), 'slimmed');
        assert.deepEqual(await outputsOf(filePath), [JSON.parse(json)]);
      });
    }
  });

  it('keeps one file of outputs that are the same', async () => {
    await withSession(session({ stdout: LONG, stderr: LONG }), async ({ filePath, engine }) => {
      assert.equal(assertDone(await engine.slim(filePath), 'slimmed').kinds[0]?.rows, 2);
      assert.equal((await readdir(removedFolder(filePath))).length, 1);
    });
  });

  it('lets only the owner read the files', async function () {
    if (process.platform === 'win32') this.skip();
    await withSession(session({ stdout: LONG }), async ({ filePath, engine }) => {
      assertDone(await engine.slim(filePath), 'slimmed');
      const [name = ''] = await readdir(removedFolder(filePath));
      assert.equal((await stat(join(removedFolder(filePath), name))).mode & 0o777, 0o600);
    });
  });

  it('changes nothing the second time', async () => {
    await withSession(session({ stdout: LONG }), async ({ filePath, engine }) => {
      assertDone(await engine.slim(filePath), 'slimmed');
      const slim = await readFile(filePath);
      assertDone(await engine.slim(filePath), 'already_slim');
      assert.ok((await readFile(filePath)).equals(slim));
    });
  });

  it('plans the same without writing anything', async () => {
    await withSession(session({ stdout: LONG }), async ({ filePath, engine }) => {
      const planned = assertDone(await engine.planSlim(filePath), 'slimmed');
      assert.deepEqual(await readdir(dirname(filePath)), [`${ID}.jsonl`]);
      const { backupPath, ...done } = assertDone(await engine.slim(filePath), 'slimmed');
      assert.deepEqual(done, planned);
      assert.ok(backupPath !== undefined);
    });
  });

  const stays: readonly (readonly [what: string, toolUseResult: unknown, fields?: RowFields])[] = [
    ['an output of less than 32 KiB', { stdout: LONG.slice(0, 25_000) }],
    ['the text of a read file, which the client compares with the file', { type: 'text', file: { content: LONG } }],
    ['the text of a written file, whose lines the client counts', { type: 'create', filePath: '/a', content: LONG }],
    ['the texts of an edit', { filePath: '/a', oldString: LONG, newString: LONG }],
    ['texts in lists', { content: [{ type: 'text', text: LONG }], structuredPatch: [{ lines: [LONG] }] }],
    ['an output that is a list', [{ stdout: LONG }]],
    ['an output that is a text', LONG],
    ['fields that it does not know', { result: LONG, agentId: LONG }],
    ['base64 that says the same in another way', { file: { base64: PNG.toString('base64url') } }],
    ['base64 in another form', { file: { base64: `${PNG.toString('base64')}\n` } }],
    ['what Claude got', { stdout: 'ok' }, { note: { stdout: LONG } }],
  ];
  for (const [what, toolUseResult, fields] of stays) {
    it(`leaves ${what}`, async () => {
      await withSession(session(toolUseResult, fields), async ({ filePath, engine }) => {
        assertDone(await engine.slim(filePath), 'already_slim');
      });
    });
  }

  it('leaves a row with a key twice, since it is not certain which one the client reads', async () => {
    const [first, second, third = '', last] = lines(session({ stdout: LONG, stderr: 'x' }));
    for (const twice of [
      third.replace('"stderr":"x"', `"stdout":"x"`),
      third.replace('"toolUseResult":', '"toolUseResult":null,"toolUseResult":'),
      third.replace('"stderr":"x"', String.raw`"\u0073tdout":"x"`),
    ]) {
      assert.notEqual(twice, third);
      await withSession([first, second, twice, last, ''].join('\n'), async ({ filePath, engine }) => {
        assertDone(await engine.slim(filePath), 'already_slim');
      });
    }
  });

  it('finds a key that is written with an escape', async () => {
    const [first, second, third = '', last] = lines(session({ stdout: LONG }));
    const escaped = third.replace('"stdout"', String.raw`"std\u006fut"`);
    await withSession([first, second, escaped, last, ''].join('\n'), async ({ filePath, engine }) => {
      assertDone(await engine.slim(filePath), 'slimmed');
      assert.match((await readFile(filePath, 'utf8')).split('\n')[2] ?? '', /"std\\u006fut":"\[/);
    });
  });

  it('leaves a text with half of a surrogate pair, which a file could not hold', async () => {
    const [first, second, third = '', last] = lines(session({ stdout: LONG }));
    const halved = third.replace('"stdout":"a', String.raw`"stdout":"\ud83d`);
    await withSession([first, second, halved, last, ''].join('\n'), async ({ filePath, engine }) => {
      assertDone(await engine.slim(filePath), 'already_slim');
    });
  });

  it('leaves rows on a line with something else, and a last line that may not be complete', async () => {
    const [first, second, third, last] = lines(session({ stdout: LONG }));
    for (const text of [
      [first, second, `\0${third}`, last, ''].join('\n'),
      [first, second, `${third}${last}`, ''].join('\n'),
      [first, second, third].join('\n'),
    ]) {
      await withSession(text, async ({ filePath, engine }) => {
        assertDone(await engine.slim(filePath), 'already_slim');
        assert.deepEqual(await readdir(dirname(filePath)), [`${ID}.jsonl`]);
      });
    }
  });
});

describe('Slimming a session with long outputs is refused', () => {
  it('if a file of that name holds something else, which stays', async () => {
    await withSession(session({ stdout: LONG }), async ({ filePath, engine }) => {
      assertDone(await engine.slim(filePath), 'slimmed');
      assertDone(await engine.undoSlim(filePath), 'restored');
      const [name = ''] = await readdir(removedFolder(filePath));
      await writeFile(join(removedFolder(filePath), name), 'mine');
      const before = await readFile(filePath);
      assert.equal((await engine.slim(filePath)).result.reason, 'write-failed');
      assert.ok((await readFile(filePath)).equals(before));
      assert.equal(await readFile(join(removedFolder(filePath), name), 'utf8'), 'mine');
    });
  });

  it('if the folder of the files is a symbolic link', async function () {
    if (process.platform === 'win32') this.skip();
    await withSession(session({ stdout: LONG }), async ({ filePath, engine }) => {
      const elsewhere = join(dirname(filePath), 'elsewhere');
      await mkdir(elsewhere);
      await mkdir(dirname(removedFolder(filePath)));
      await symlink(elsewhere, removedFolder(filePath));
      assert.equal((await engine.slim(filePath)).result.reason, 'symlink');
      assert.deepEqual(await readdir(elsewhere), []);
    });
  });

  it('if the transcript is written to meanwhile, and leaves no file of an output', async () => {
    const fs = new FaultyFs();
    await withSession(
      session({ stdout: LONG }),
      async ({ filePath, engine }) => {
        let isWritten = false;
        fs.beforeCall = ({ name, path }) => {
          if (isWritten || name !== 'link' || !path.includes('removed')) return;
          isWritten = true;
          void appendFile(filePath, transcript([prompt('p2', 'r1')]));
        };
        assert.equal((await engine.slim(filePath)).result.reason, 'changed-while-repairing');
        assert.ok(isWritten);
        assert.deepEqual(await readdir(dirname(filePath)), [`${ID}.jsonl`]);
      },
      { fs },
    );
  });

  it('if the disk has no room for the files', async () => {
    const rows = session({ stdout: LONG });
    const size = transcript(rows).length;
    // Enough for the backup and the slimmed transcript.
    const deps = { freeBytes: () => Promise.resolve(size + 2_000) };
    await withSession(
      rows,
      async ({ filePath, engine }) => {
        assert.equal((await engine.slim(filePath)).result.reason, 'no-space');
        assert.deepEqual(await readdir(dirname(filePath)), [`${ID}.jsonl`]);
      },
      deps,
    );
  });
});

/** The test of what a repair takes out lets each call be the last one. */
const CALLS_STRIDE = 4;

describe('A slim that moves outputs and dies', () => {
  async function dyingAt(index: number): Promise<'died' | 'done'> {
    const fs = new FaultyFs();
    let ended: 'died' | 'done' = 'done';
    fs.faultOf = (fsCall) => (fsCall.index === index ? { kind: 'dies', when: 'before' } : null);
    await withSession(
      session({ stdout: LONG, stderr: `${LONG}2` }),
      async ({ filePath, engine }) => {
        const original = await readFile(filePath);
        ended = await Promise.race([
          engine.slim(filePath).then(() => 'done' as const),
          fs.died.then(() => 'died' as const),
        ]);
        await fs.closeAll();
        if (existsSync(`${filePath}.lock`)) await utimes(`${filePath}.lock`, 0, 0);
        const next = createEngine({ machine: quietMachine(), configDir: dirname(dirname(dirname(filePath))) });
        assert.equal(await next.clearDebris(filePath), null, `call ${index}`);
        const { status } = (await next.slim(filePath)).result;
        assert.ok(status === 'slimmed' || status === 'already_slim', `call ${index}: ${status}`);
        for (const text of [LONG, `${LONG}2`]) assert.ok((await outputsOf(filePath)).includes(text), `call ${index}`);
        assertDone(await next.undoSlim(filePath), 'restored');
        assert.ok((await readFile(filePath)).equals(original), `call ${index}`);
      },
      { fs },
    );
    return ended;
  }

  it('at a call of the file system loses nothing, and the next one finishes it', async () => {
    let index = 0;
    while ((await dyingAt(index)) === 'died') index += CALLS_STRIDE;
    assert.ok(index > 30, `${index} calls`);
  });
});

describe('Undoing a slim that moved outputs', () => {
  const progress: RowFields = { ...prompt('g', 'r1'), type: 'progress', data: { type: 'bash_progress' } };

  it('puts them back byte for byte and keeps what was added since', async () => {
    await withSession([...session({ stdout: LONG }), progress], async ({ filePath, engine }) => {
      const before = await readFile(filePath);
      assert.equal(assertDone(await engine.slim(filePath), 'slimmed').kinds.length, 2);
      const added = transcript([prompt('p2', 'r1'), reply('r2', 'p2')]);
      await appendFile(filePath, added);
      assertDone(await engine.undoSlim(filePath), 'restored');
      assert.ok((await readFile(filePath)).equals(Buffer.concat([before, added])));
    });
  });

  it('needs no file of an output', async () => {
    await withSession(session({ stdout: LONG }), async ({ filePath, engine }) => {
      const before = await readFile(filePath);
      assertDone(await engine.slim(filePath), 'slimmed');
      const [name = ''] = await readdir(removedFolder(filePath));
      await writeFile(join(removedFolder(filePath), name), 'other');
      assertDone(await engine.undoSlim(filePath), 'restored');
      assert.ok((await readFile(filePath)).equals(before));
    });
  });

  it('is also what Undo Repair does', async () => {
    await withSession(session({ stdout: LONG }), async ({ filePath, engine }) => {
      const before = await readFile(filePath);
      assertDone(await engine.slim(filePath), 'slimmed');
      assert.equal((await engine.undoRepair(filePath)).result.status, 'repaired');
      assert.ok((await readFile(filePath)).equals(before));
    });
  });

  it('is refused if a marker was changed', async () => {
    await withSession(session({ stdout: LONG }), async ({ filePath, engine }) => {
      assertDone(await engine.slim(filePath), 'slimmed');
      await writeFile(filePath, (await readFile(filePath, 'utf8')).replace('bytes moved', 'bytes gone'));
      assert.equal((await engine.undoSlim(filePath)).result.reason, 'changed-since-repair');
    });
  });
});
