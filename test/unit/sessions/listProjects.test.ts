import assert from 'node:assert/strict';
import { type Dirent, readdirSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findTranscripts, type ListingFs, listProjects } from '../../rooms/providers';
import { fullPath, shortPath } from '../../support/sessionPaths';
import { withTemporaryFolder } from '../../support/temporaryFolder';

/** The listing of each project. */
async function list(root: string, fs: ListingFs = { readdirSync }): Promise<Record<string, readonly string[] | null>> {
  const found: Record<string, readonly string[] | null> = {};
  for await (const group of listProjects(root, fs)) {
    for (const { folder, transcripts } of group) {
      found[folder.slice(root.length + 1)] =
        transcripts?.map((path) => shortPath(path.slice(folder.length + 1))).sort() ?? null;
    }
  }
  return found;
}

async function makeProjects(root: string, projects: Readonly<Record<string, readonly string[]>>): Promise<void> {
  for (const [project, files] of Object.entries(projects)) {
    const folder = join(root, fullPath(project));
    await mkdir(folder, { recursive: true });
    for (const file of files) await writeFile(join(folder, fullPath(file)), '');
  }
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Fails as configured, by the number of the call (from 1) and the folder's name. */
function failing(fail: (call: number, folder: string) => string | null): ListingFs & { readonly calls: number } {
  const fs = {
    calls: 0,
    readdirSync(folder: string, options: { readonly withFileTypes: true }): Dirent[] {
      fs.calls++;
      const code = fail(fs.calls, folder.slice(folder.lastIndexOf('/') + 1));
      if (code !== null) throw failure(code);
      return readdirSync(folder, options);
    },
  };
  return fs;
}

describe('listProjects', () => {
  it('lists many projects, each with its own transcripts', () =>
    withTemporaryFolder(async (root) => {
      const projects = Object.fromEntries(
        Array.from({ length: 50 }, (_, at) => [
          `-p${at}`,
          Array.from({ length: at % 4 }, (__, file) => `${file}.jsonl`),
        ]),
      );
      await makeProjects(root, projects);
      assert.deepEqual(await list(root), projects);
    }));

  it('keeps projects apart whose names start alike', () =>
    withTemporaryFolder(async (root) => {
      const projects = { '-a': ['1.jsonl'], '-a-b': ['2.jsonl'], '-a-b-c': ['3.jsonl'], '-a.jsonl': ['4.jsonl'] };
      await makeProjects(root, projects);
      assert.deepEqual(await list(root), projects);
    }));

  it('ignores files, links and folders inside projects', () =>
    withTemporaryFolder(async (root) => {
      await makeProjects(root, {
        '-a': ['1.jsonl', 'note.txt', 'notes.jsonl', 'agent-2.jsonl', 'history.jsonl'],
        '-a/1': ['2.jsonl'],
        '-a/1/subagents': ['3.jsonl'],
      });
      await writeFile(join(root, 'loose.jsonl'), '');
      await symlink(join(root, '-a'), join(root, '-link'));
      assert.deepEqual(await list(root), { '-a': ['1.jsonl'] });
    }));

  it('reports which transcripts have a backup', () =>
    withTemporaryFolder(async (root) => {
      await makeProjects(root, { '-a': ['1.jsonl', '1.jsonl.backup-1700000000000', '2.jsonl', '2.jsonl.backup-x'] });
      for await (const [project] of listProjects(root, { readdirSync })) {
        assert.deepEqual([...(project?.withBackup ?? [])].map(shortPath), ['1.jsonl']);
      }
    }));

  it('still lists the other projects when one cannot be read', () =>
    withTemporaryFolder(async (root) => {
      await makeProjects(root, { '-a': ['1.jsonl'], '-b': ['2.jsonl'], '-c': ['3.jsonl'] });
      const fs = failing((_, folder) => (folder === '-b' ? 'EACCES' : null));
      assert.deepEqual(await list(root, fs), { '-a': ['1.jsonl'], '-b': null, '-c': ['3.jsonl'] });
    }));

  it('lists a project that has vanished as an empty one', () =>
    withTemporaryFolder(async (root) => {
      await makeProjects(root, { '-a': ['1.jsonl'], '-b': ['2.jsonl'] });
      const fs = failing((_, folder) => (folder === '-b' ? 'ENOENT' : null));
      assert.deepEqual(await list(root, fs), { '-a': ['1.jsonl'], '-b': [] });
    }));

  for (const code of ['EMFILE', 'ENFILE']) {
    it(`waits while no more files can be opened (${code})`, () =>
      withTemporaryFolder(async (root) => {
        await makeProjects(root, { '-a': ['1.jsonl'], '-b': ['2.jsonl'] });
        const fs = failing((call) => (call === 1 || call === 3 || call === 5 ? code : null));
        assert.deepEqual(await list(root, fs), { '-a': ['1.jsonl'], '-b': ['2.jsonl'] });
        assert.ok(fs.calls > 5);
      }));
  }

  it('gives up on a project when that error persists, and still lists the others', () =>
    withTemporaryFolder(async (root) => {
      await makeProjects(root, { '-a': ['1.jsonl'], '-b': ['2.jsonl'] });
      const fs = failing((_, folder) => (folder === '-b' ? 'EMFILE' : null));
      assert.deepEqual(await list(root, fs), { '-a': ['1.jsonl'], '-b': null });
    }));

  it('throws the error with which the projects folder cannot be read', () =>
    withTemporaryFolder(async (root) => {
      await assert.rejects(
        list(
          root,
          failing(() => 'EACCES'),
        ),
        { code: 'EACCES' },
      );
    }));

  it('reads each folder once, however many files it holds', () =>
    withTemporaryFolder(async (root) => {
      for (const count of [50, 5000]) {
        await rm(join(root, '-a'), { recursive: true, force: true });
        await makeProjects(root, { '-a': Array.from({ length: count }, (_, at) => `${at}.jsonl`) });
        const fs = failing(() => null);
        assert.equal((await list(root, fs))['-a']?.length, count);
        assert.equal(fs.calls, 2);
      }
    }));
});

describe('listProjects on a large folder', () => {
  it('yields to the event loop while it lists', () =>
    withTemporaryFolder(async (folder) => {
      await makeProjects(folder, { 'projects/-a': Array.from({ length: 2000 }, (_, at) => `${at}.jsonl`) });
      let pauses = 0;
      const pacer = {
        yieldIfDue: () => {
          pauses++;
          return Promise.resolve();
        },
      };
      let found = 0;
      for await (const { id: sessionId } of findTranscripts([folder], undefined, { pacer }))
        found += sessionId.length > 0 ? 1 : 0;
      assert.equal(found, 2000);
      assert.ok(pauses >= 20, `${pauses} pauses`);
    }));
});
