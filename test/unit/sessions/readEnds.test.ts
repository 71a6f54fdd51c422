import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import type { QuickMetadata } from '../../../src/protocol/session';
import { readQuickMetadata } from '../../rooms/sessions';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { prompt, reply, type RowFields, timeOf } from '../../support/transcriptBuilder';

const NOTHING: QuickMetadata = { title: null, cwd: null, lastMessageMs: null };

function look(bytes: Uint8Array | string): Promise<QuickMetadata | null> {
  return withTemporaryFolder(async (folder) => {
    const filePath = join(folder, 't.jsonl');
    await writeFile(filePath, bytes);
    return readQuickMetadata(filePath);
  });
}

function lines(...rows: RowFields[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** Rows without metadata, of at least the given number of bytes. */
function filler(bytes: number): string {
  const line = `${JSON.stringify({ type: 'mode', mode: 'x'.repeat(480) })}\n`;
  return line.repeat(Math.ceil(bytes / line.length));
}

describe('readEnds', () => {
  it('reads the title, folder and last message of a small transcript', async () => {
    const text = lines(
      prompt('p1', null, { cwd: '/old', timestamp: timeOf(5) }),
      { type: 'ai-title', aiTitle: ' a made\n title ' },
      reply('r1', 'p1', { cwd: '/new', timestamp: timeOf(2) }),
    );
    assert.deepEqual(await look(text), { title: 'a made title', cwd: '/new', lastMessageMs: Date.parse(timeOf(5)) });
  });

  it('finds the latest metadata at the end of a long transcript', async () => {
    const text =
      lines(prompt('p1', null, { cwd: '/old', timestamp: timeOf(1) }), { type: 'custom-title', customTitle: 'then' }) +
      filler(60_000) +
      lines({ type: 'custom-title', customTitle: 'now' }, reply('r9', 'p9', { cwd: '/new', timestamp: timeOf(9) }));
    assert.deepEqual(await look(text), { title: 'now', cwd: '/new', lastMessageMs: Date.parse(timeOf(9)) });
  });

  it('takes the first prompt only from the start', async () => {
    const last = lines(prompt('p9', null, { timestamp: timeOf(9) }));
    assert.equal((await look(lines(prompt('p1', null)) + filler(60_000) + last))?.title, 'prompt p1');
    const giant = lines(prompt('p1', null, { message: { role: 'user', content: 'x'.repeat(9000) } }));
    assert.deepEqual(await look(giant + filler(60_000) + last), {
      title: null,
      cwd: null,
      lastMessageMs: Date.parse(timeOf(9)),
    });
  });

  it('prefers titles in the same order as a full scan, wherever they are in the file', async () => {
    const text =
      lines({ type: 'custom-title', customTitle: 'an own title' }) +
      filler(60_000) +
      lines({ type: 'last-prompt', lastPrompt: 'a last prompt' }, { type: 'ai-title', aiTitle: 'a made title' });
    assert.equal((await look(text))?.title, 'an own title');
  });

  it('skips rows that the edge of a window cuts', async () => {
    const wide = lines({ type: 'custom-title', customTitle: 'cut', pad: 'x'.repeat(20_000) });
    const text = lines({ type: 'summary', summary: 'whole' }) + wide + filler(3000);
    assert.deepEqual(await look(text), { ...NOTHING, title: 'whole' });
  });

  it('reads a last row without a newline', async () => {
    const row = JSON.stringify({ type: 'custom-title', customTitle: 'the end' });
    assert.equal((await look(row))?.title, 'the end');
    assert.equal((await look(filler(60_000) + row))?.title, 'the end');
  });

  it('returns no metadata for an empty transcript, or for one row that fills both windows', async () => {
    assert.deepEqual(await look(''), NOTHING);
    assert.deepEqual(await look(lines({ type: 'summary', summary: 'x'.repeat(100_000) })), NOTHING);
  });

  it('reads past a byte order mark, NULs, CRLF and invalid UTF-8', async () => {
    const title = JSON.stringify({ type: 'custom-title', customTitle: 'found' });
    assert.equal((await look(`\uFEFF${title}\r\n`))?.title, 'found');
    assert.equal((await look(`${'\0'.repeat(300)}\n${title}\n`))?.title, 'found');
    const text = await look(Buffer.concat([Buffer.from([0xff, 0xfe, 0x80, 10]), Buffer.from(`${title}\n`)]));
    assert.equal(text?.title, 'found');
  });

  it('never rejects, whatever the bytes are', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 30_000, size: 'max' }), async (bytes) => {
        assert.notEqual(await look(bytes), null);
      }),
      { numRuns: 30 },
    ));

  it('returns null for a missing file and for a folder', () =>
    withTemporaryFolder(async (folder) => {
      await mkdir(join(folder, 'd.jsonl'));
      assert.equal(await readQuickMetadata(join(folder, 'd.jsonl')), null);
      assert.equal(await readQuickMetadata(join(folder, 'none.jsonl')), null);
    }));
});
