import assert from 'node:assert/strict';
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findUnneededFiles } from '../../rooms/providers';
import { withTemporaryFolder } from '../../support/temporaryFolder';

const KNOWN = 'aaaaaaaa-1111-4111-8111-111111111111';
const GONE = 'bbbbbbbb-2222-4222-8222-222222222222';
const OTHER = 'cccccccc-3333-4333-8333-333333333333';
const LARGE = Buffer.alloc(1_500_000);

/** A config folder with files at these paths. */
async function inFolder(paths: readonly string[], work: (configDir: string) => Promise<void>): Promise<void> {
  await withTemporaryFolder(async (configDir) => {
    for (const path of paths) {
      mkdirSync(dirname(join(configDir, path)), { recursive: true });
      writeFileSync(join(configDir, path), LARGE);
    }
    await work(configDir);
  });
}

async function found(configDir: string): Promise<readonly string[]> {
  const all = await findUnneededFiles(configDir, new Set([KNOWN]));
  return all.map(({ kind, entries, bytes }) => `${kind}: ${entries}, ${bytes / 1e6} MB`);
}

describe('What no session needs in a config folder', () => {
  it('is the file history of sessions whose transcripts are gone', () =>
    inFolder(
      [
        `file-history/${KNOWN}/a@v1`,
        `file-history/${GONE}/a@v1`,
        `file-history/${OTHER}/b@v1`,
        `file-history/${OTHER}/c@v1`,
      ],
      async (configDir) => {
        assert.deepEqual(await found(configDir), ['file-history: 2, 4.5 MB']);
      },
    ));

  it('is the folder of such a session beside the transcripts, with all that is in it', () =>
    inFolder(
      [
        `projects/-p/${GONE}/subagents/agent-1.jsonl`,
        `projects/-p/${KNOWN}/tool-results/t.txt`,
        'projects/-p/memory/m.md',
      ],
      async (configDir) => {
        assert.deepEqual(await found(configDir), ['session-folders: 1, 1.5 MB']);
      },
    ));

  it('is the debug logs, also those of sessions that are there', () =>
    inFolder([`debug/${KNOWN}.txt`, `debug/${GONE}.txt`, 'debug/notes.md'], async (configDir) => {
      assert.deepEqual(await found(configDir), ['debug-logs: 2, 3 MB']);
    }));

  it('is not what a session that is there has by a hard link', () =>
    inFolder([`file-history/${KNOWN}/a@v1`], async (configDir) => {
      mkdirSync(join(configDir, 'file-history', GONE));
      linkSync(join(configDir, 'file-history', KNOWN, 'a@v1'), join(configDir, 'file-history', GONE, 'a@v1'));
      assert.deepEqual(await found(configDir), []);
    }));

  it('is not named if it is next to nothing, or if the folder is missing', () =>
    withTemporaryFolder(async (configDir) => {
      mkdirSync(join(configDir, 'debug'));
      writeFileSync(join(configDir, 'debug', 'x.txt'), 'x');
      assert.deepEqual(await found(configDir), []);
      assert.deepEqual(await found(join(configDir, 'missing')), []);
    }));
});
