import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { QuickMetadata } from '../../../src/protocol/session';
import { lastSession, locateSessions } from '../../rooms/sessions';
import { CONFIG_DIR, FakeFiles, stampOf, transcript } from './fakes';

const [A, B] = ['a', 'b'].map((end) => `44444444-4444-4444-8444-44444444444${end}`) as [string, string];

/** Transcripts with the time of their file and of their last message. */
function disk(sessions: readonly (readonly [project: string, id: string, mtimeMs: number, known: QuickMetadata])[]) {
  const files = new FakeFiles();
  const read: string[] = [];
  const found = sessions.map(([project, id, mtimeMs]) => {
    const each = transcript(project, id);
    files.stamps.set(each.path, stampOf(mtimeMs));
    return each;
  });
  const known = new Map(found.map(({ path }, at) => [path, sessions[at]?.[3] ?? null]));
  return {
    read,
    last: (folder: string) =>
      lastSession(folder, {
        provider: {
          findBatches: async function* () {
            yield await Promise.resolve(found);
          },
        },
        files,
        readQuickMetadata: (path) => {
          read.push(path);
          return Promise.resolve(known.get(path) ?? null);
        },
        homeDir: '/home/person',
      }),
  };
}

const said = (cwd: string, lastMessageMs: number | null): QuickMetadata => ({ title: 'Title', cwd, lastMessageMs });

describe('The last session of a folder', () => {
  it('is the one with the latest message, not the latest change of its file', async () => {
    const { last } = disk([
      ['-src-app', A, 900, said('/src/app', 100)],
      ['-src-app', B, 500, said('/src/app', 400)],
    ]);
    assert.equal((await last('/src/app'))?.id, B);
  });

  it('may have run below the folder, but not above it or beside it', async () => {
    const { last } = disk([
      ['-src-app-part', A, 100, said('/src/app/part', 100)],
      ['-src-app-other', B, 300, said('/src/app-other', 300)],
      ['-src', B, 400, said('/src', 400)],
    ]);
    assert.equal((await last('/src/app'))?.cwd, '/src/app/part');
    assert.equal(await last('/src/none'), null);
  });

  it('is found without a look at files that are older than its message', async () => {
    const { last, read } = disk([
      ['-src-app', A, 900, said('/src/app', 850)],
      ['-src-app', B, 800, said('/src/app', 800)],
    ]);
    await last('/src/app');
    assert.equal(read.length, 1);
  });

  it('has a message', async () => {
    assert.equal(await disk([['-src-app', A, 900, said('/src/app', null)]]).last('/src/app'), null);
  });
});

describe('Sessions by their ids', () => {
  it('are where their transcripts are now; of two, the one that changed last counts', async () => {
    const files = new FakeFiles();
    files.folders.set(join(CONFIG_DIR, 'projects'), ['-one', '-two']);
    const at = (project: string, id: string): string => join(CONFIG_DIR, 'projects', project, `${id}.jsonl`);
    files.stamps.set(at('-one', A), stampOf(100)).set(at('-two', A), stampOf(200)).set(at('-one', B), stampOf(1));
    const located = await locateSessions(
      [CONFIG_DIR, '/other'],
      [A, B, '../x', '44444444-4444-4444-8444-444444444449'],
      files,
    );
    assert.deepEqual(located.map(({ path }) => path).sort(), [at('-one', B), at('-two', A)]);
  });
});
