import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { scanSession, sessionTimes } from '../../rooms/diagnose';
import { createOnePassScanner, LARGE_FILE_BYTES } from '../../rooms/transcript';
import type { ScannedSession } from '../../../src/protocol/session';
import { DIAGNOSTICS } from '../../support/diagnosed';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { chainRow, prompt, reply, type RowFields, timeOf, transcript, uuidOf } from '../../support/transcriptBuilder';
import { plainScanner } from '../../support/plainScanner';

const scanOnce = createOnePassScanner(plainScanner, { yieldIfDue: () => nextTurn() });

async function scan(rows: readonly RowFields[] | Buffer): Promise<ScannedSession> {
  return withTemporaryFolder(async (folder) => {
    const filePath = join(folder, 'the-session.jsonl');
    await writeFile(filePath, Buffer.isBuffer(rows) ? rows : transcript(rows));
    return scanSession(filePath, scanOnce, DIAGNOSTICS);
  });
}

const READER = { client: '2.1.330', isExact: true };

describe('scanSession', () => {
  it('reports how much of a healthy session loads', async () => {
    const rows = [prompt('p1', null), reply('r1', 'p1'), chainRow('system', 's', 'r1')];
    const { result, problem } = await scan(rows);
    assert.equal(problem, null);
    assert.deepEqual(
      { ...result, filePath: '' },
      {
        sessionId: 'the-session',
        filePath: '',
        provider: 'claude',
        status: 'healthy',
        chainDepth: 3,
        orphanCount: 0,
        fileSize: transcript(rows).length,
        messageCount: 2,
        resume: { loads: 2, of: 2, leafUuid: uuidOf('s'), missingLines: [], ...READER },
        findings: [],
      },
    );
  });

  it('calls a session corrupted if, and only if, a finding is an error', async () => {
    assert.equal((await scan([prompt('p1', null), prompt('p2', 'lost')])).result.status, 'corrupted');
    const { result } = await scan([prompt('p1', null), { type: 'novelty' }]);
    assert.deepEqual([result.status, result.findings.length], ['healthy', 1]);
    const nuls = Buffer.concat([transcript([prompt('p1', null)]), Buffer.alloc(8)]);
    assert.equal((await scan(nuls)).result.status, 'healthy');
  });

  it('counts every row that names a parent which is not in the file, whatever its position', async () => {
    const rows = [
      prompt('p1', 'lost'),
      reply('r1', 'p1', { parentUuid: 42 }),
      prompt('side', 'gone', { isSidechain: true }),
      prompt('root', null),
      prompt('later', 'end'),
      reply('end', 'root', { parentUuid: '' }),
    ];
    const { result } = await scan(rows);
    assert.deepEqual([result.orphanCount, result.messageCount], [3, 6]);
  });

  it('scans an empty file', async () => {
    const { result, metadata } = await scan(Buffer.alloc(0));
    assert.equal(result.status, 'healthy');
    assert.deepEqual(result.resume, { loads: 0, of: 0, leafUuid: null, missingLines: [], ...READER });
    assert.ok(Object.values(metadata).every((value) => value === null));
  });

  it('scans a file that is not a transcript', async () => {
    const noise = Buffer.from(Array.from({ length: 50_000 }, (_, at) => (at * 2_654_435_761) >>> 24));
    const { result, problem } = await scan(noise);
    assert.deepEqual([result.status, result.fileSize, result.findings], ['unreadable', noise.length, []]);
    assert.match(
      problem ?? '',
      /the-session\.jsonl contains no message: Claude reads nothing in it as a JSON object\.$/,
    );
  });

  it('calls a file without a row that parses unreadable, but not one without rows or with metadata only', async () => {
    const row = JSON.stringify(prompt('p1', null));
    const statusOf = async (bytes: string): Promise<string> => (await scan(Buffer.from(bytes))).result.status;
    for (const bytes of [
      '',
      '\n',
      ' \r\n\t\n',
      '\uFEFF',
      '{"type":"mode"}\n',
      '{\n"type":"mode"}\n',
      `\0${row}\n`.slice(1),
    ]) {
      assert.equal(await statusOf(bytes), 'healthy', JSON.stringify(bytes));
    }
    for (const bytes of [
      'x',
      '\0\0\0',
      '[]\n',
      `[${row}]`,
      '1\n"x"\nnull\n',
      row.slice(0, -1),
      `${row.slice(0, 50)}\n{\n`,
    ]) {
      assert.equal(await statusOf(bytes), 'unreadable', JSON.stringify(bytes));
    }
    assert.equal(await statusOf(`\0${row}\n`), 'corrupted');
    assert.equal(await statusOf(`x${row}\n`), 'corrupted');
  });

  const pretty = (row: RowFields): string => `${JSON.stringify(row, null, 2)}\n`;
  const talk = [prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1'), reply('r2', 'p2')];

  it('describes pretty-printed rows as the client loads them up to 5 MiB, and counts none of their lines', async () => {
    const { result, metadata } = await scan(Buffer.from(talk.map(pretty).join('')));
    assert.deepEqual(
      [result.status, result.chainDepth, result.messageCount, result.resume.leafUuid, metadata.title],
      ['healthy', 4, 4, uuidOf('r2'), 'prompt p1'],
    );
    assert.deepEqual([result.resume.loads, result.resume.of, result.resume.missingLines], [0, 0, []]);
    const [finding] = result.findings;
    assert.deepEqual([result.findings.length, finding?.code, finding?.severity], [1, 'spread-row', 'info']);
    assert.equal(finding?.lines.length, 4);
  });

  it('calls the same rows unreadable in a file over 5 MiB', async () => {
    const rows = talk.map(pretty).join('');
    const filler = `${JSON.stringify({ type: 'summary', summary: 'x'.repeat(LARGE_FILE_BYTES - rows.length - 32) })}\n`;
    const atLimit = Buffer.from(filler + rows);
    assert.equal(atLimit.length, LARGE_FILE_BYTES);
    assert.deepEqual([(await scan(atLimit)).result.status, (await scan(atLimit)).result.chainDepth], ['healthy', 4]);
    const { result, problem } = await scan(Buffer.concat([atLimit, Buffer.from('\n')]));
    assert.equal(result.status, 'unreadable');
    assert.match(problem ?? '', /has messages of several lines, which Claude reads only in files up to 5 MiB\.$/);
    const alone = await scan(Buffer.from(rows.repeat(Math.ceil((LARGE_FILE_BYTES + 1) / rows.length))));
    assert.equal(alone.result.status, 'unreadable');
  });

  it('reports a line that swallows the rows after it as an error', async () => {
    const torn = '{"type":"user","message":{"content":[\n';
    const bytes = Buffer.concat([transcript(talk.slice(0, 3)), Buffer.from(torn), transcript(talk.slice(3))]);
    const { result } = await scan(bytes);
    assert.deepEqual([result.status, result.resume.loads, result.resume.of], ['corrupted', 3, 4]);
    assert.deepEqual(result.resume.missingLines, [5]);
    assert.deepEqual(
      result.findings.map(({ code, severity, lines }) => [code, severity, lines]),
      [['torn-line', 'error', [4]]],
    );
    const more = await scan(Buffer.concat([bytes, transcript([prompt('p3', 'r2')])]));
    assert.deepEqual([more.result.status, more.result.resume.loads, more.result.resume.of], ['healthy', 5, 5]);
  });

  it('reports a missing file as missing and a folder as unreadable, with a sentence', () =>
    withTemporaryFolder(async (folder) => {
      const missing = await scanSession(join(folder, 'none.jsonl'), scanOnce, DIAGNOSTICS);
      assert.deepEqual([missing.result.status, missing.result.sessionId], ['missing', 'none']);
      assert.match(missing.problem ?? '', /none\.jsonl does not exist\.$/);
      await mkdir(join(folder, 'd.jsonl'));
      const directory = await scanSession(join(folder, 'd.jsonl'), scanOnce, DIAGNOSTICS);
      assert.equal(directory.result.status, 'unreadable');
      assert.match(directory.problem ?? '', /is a folder/);
    }));

  it('rejects when it is aborted', () =>
    withTemporaryFolder(async (folder) => {
      const row = JSON.stringify({ type: 'summary', summary: 'x'.repeat(1000) });
      await writeFile(join(folder, 't.jsonl'), `${row}\n`.repeat(6000));
      const signal = AbortSignal.abort();
      await assert.rejects(scanSession(join(folder, 't.jsonl'), scanOnce, DIAGNOSTICS, { signal }));
    }));
});

describe('The title of a session', () => {
  const titles: readonly RowFields[] = [
    { type: 'summary', summary: 'a summary' },
    { type: 'last-prompt', lastPrompt: 'a last prompt', leafUuid: uuidOf('p1') },
    { type: 'ai-title', aiTitle: 'a made title' },
    { type: 'custom-title', customTitle: 'an own title' },
  ];
  const titleOf = async (...rows: RowFields[]): Promise<string | null> =>
    (await scan([prompt('p1', null), ...rows])).metadata.title;

  it('skips empty texts, as if they were not there', async () => {
    const emptied = [
      { type: 'summary', summary: 'a summary' },
      { type: 'last-prompt', lastPrompt: '' },
      { type: 'ai-title', aiTitle: ' \u00a0' },
      { type: 'custom-title', customTitle: 'an own title' },
      { type: 'custom-title', customTitle: ' \n' },
    ];
    assert.equal(await titleOf(...emptied), 'a summary');
    assert.equal(await titleOf(...emptied.slice(1)), 'prompt p1');
    const { metadata } = await scan([...emptied.slice(1)]);
    assert.equal(metadata.title, null);
  });

  it('is the custom title, else the generated one, the last prompt, the summary or the first prompt', async () => {
    const expected = ['prompt p1', 'a summary', 'a last prompt', 'a made title', 'an own title'];
    for (const [at, title] of expected.entries()) assert.equal(await titleOf(...titles.slice(0, at)), title);
  });

  it('is never taken from a subagent’s prompt, a meta prompt or a command', async () => {
    const message = (content: unknown): RowFields => ({ message: { content } });
    const { metadata } = await scan([
      prompt('a', null, { isMeta: true }),
      prompt('b', null, { isSidechain: true }),
      prompt('c', null, message('<command-name>/clear</command-name>')),
      prompt('d', null, message([{ type: 'tool_result', tool_use_id: 't' }])),
      prompt('e', null, message([{ type: 'text', text: '  the\n question ' }])),
    ]);
    assert.equal(metadata.title, 'the question');
  });

  it('is one line of at most 200 characters', async () => {
    const title = await titleOf({ type: 'custom-title', customTitle: `  a\n\tb ${'x'.repeat(400)}` });
    assert.equal(title?.length, 200);
    assert.match(title, /^a b x+…$/);
  });

  it('comes with the folder and time of the last use', async () => {
    const { metadata } = await scan([
      prompt('p1', null, { cwd: '/old', version: '1.0.0', gitBranch: 'main', timestamp: timeOf(5) }),
      reply('r1', 'p1', { cwd: '/new', version: '2.0.0', gitBranch: '', timestamp: timeOf(2) }),
    ]);
    assert.deepEqual(metadata, {
      title: 'prompt p1',
      cwd: '/new',
      model: 'claude-test',
      gitBranch: null,
      clientVersion: '2.0.0',
      lastMessageMs: Date.parse(timeOf(5)),
      parentSessionId: null,
      createdMs: Date.parse(timeOf(2)),
    });
  });

  it('knows when the first message of a fork was added to it, and counts none that the fork copied', async () => {
    const copied = { timestamp: timeOf(1), forkedFrom: { sessionId: 'parent', messageUuid: uuidOf('p1') } };
    const rows = [prompt('p1', null, copied), reply('r1', 'p1', copied)];
    assert.equal((await scan(rows)).metadata.createdMs, null);
    const { metadata } = await scan([...rows, prompt('p2', 'r1', { timestamp: timeOf(7) })]);
    assert.deepEqual([metadata.createdMs, metadata.parentSessionId], [Date.parse(timeOf(7)), 'parent']);
  });
});

describe('The times of a session', () => {
  const copied = { createdMs: null, lastMessageMs: 100, parentSessionId: 'parent' };

  it('are those of its messages', () => {
    const own = { createdMs: 50, lastMessageMs: 100, parentSessionId: null };
    assert.deepEqual(sessionTimes(own, { bornMs: 900 }), { createdMs: 50, lastMessageMs: 100 });
    const goneOn = { ...copied, createdMs: 950, lastMessageMs: 970 };
    assert.deepEqual(sessionTimes(goneOn, { bornMs: 900 }), { createdMs: 950, lastMessageMs: 970 });
  });

  it('are not before the fork for a fork to which nothing was added', () => {
    assert.deepEqual(sessionTimes(copied, { bornMs: 900 }), { createdMs: 900, lastMessageMs: 900 });
    assert.deepEqual(sessionTimes({ ...copied, lastMessageMs: 990 }, { bornMs: 900 }).lastMessageMs, 990);
  });

  it('are those of the copied messages where nobody knows when the file was made', () => {
    assert.deepEqual(sessionTimes(copied, null), { createdMs: null, lastMessageMs: 100 });
    assert.deepEqual(sessionTimes(copied, { bornMs: 0 }), { createdMs: null, lastMessageMs: 100 });
  });
});
