import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { scanSession } from '../../rooms/diagnose';
import { createOnePassScanner, ReferenceScanner } from '../../rooms/transcript';
import type { ScannedSession } from '../../../src/protocol/session';
import { DIAGNOSTICS } from '../../support/diagnosed';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { chainRow, prompt, reply, type RowFields, timeOf, transcript, uuidOf } from '../../support/transcriptBuilder';

const scanOnce = createOnePassScanner(() => new ReferenceScanner(), { yieldIfDue: () => nextTurn() });

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
    assert.equal((await scan(noise)).problem, null);
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
    });
  });
});
