import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { findTranscripts } from '../../rooms/providers';
import { fullPath, shortPath } from '../../support/sessionPaths';
import { withTemporaryFolder } from '../../support/temporaryFolder';

async function write(folder: string, ...files: string[]): Promise<void> {
  for (const file of files) {
    const path = join(folder, fullPath(file));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, '');
  }
}

/** Paths that are found under the folder, sorted. */
async function find(folder: string, ...paths: string[]): Promise<string[]> {
  const found: string[] = [];
  for await (const { path: filePath } of findTranscripts(paths.map((path) => join(folder, fullPath(path))))) {
    found.push(shortPath(relative(folder, filePath)));
  }
  return found.sort();
}

describe('findTranscripts', () => {
  it('finds the sessions of all projects of a config folder', () =>
    withTemporaryFolder(async (folder) => {
      await write(folder, 'projects/-a/1.jsonl', 'projects/-a/2.jsonl', 'projects/-b/3.jsonl', 'history.jsonl');
      assert.deepEqual(await find(folder, ''), ['projects/-a/1.jsonl', 'projects/-a/2.jsonl', 'projects/-b/3.jsonl']);
    }));

  it('does not report subagents, backups or other files beside a session as sessions', () =>
    withTemporaryFolder(async (folder) => {
      const others = [
        '-a/agent-1.jsonl',
        '-a/1/subagents/agent-2.jsonl',
        '-a/1/deep.jsonl',
        '-a/1.jsonl.backup-5',
        '-a/notes.jsonl',
      ];
      await write(folder, 'projects/-a/1.jsonl', ...others.map((file) => `projects/${file}`), 'projects/loose.jsonl');
      assert.deepEqual(await find(folder, ''), ['projects/-a/1.jsonl']);
    }));

  it('finds the transcripts of a project folder', () =>
    withTemporaryFolder(async (folder) => {
      await write(folder, 'projects/-a/1.jsonl', 'projects/-a/agent-1.jsonl', 'projects/-b/2.jsonl');
      await write(folder, 'projects/-a/1/resume-head.jsonl');
      assert.deepEqual(await find(folder, 'projects/-a'), ['projects/-a/1.jsonl']);
    }));

  it('finds all transcripts under any other folder, except those of subagents', () =>
    withTemporaryFolder(async (folder) => {
      await write(
        folder,
        'x/1.jsonl',
        'x/y/z/2.jsonl',
        'x/.hidden/3.jsonl',
        'x/y/agent-4.jsonl',
        'x/y/notes.jsonl',
        'x/y/history.jsonl',
        'x/s/subagents/5.jsonl',
      );
      assert.deepEqual(await find(folder, 'x'), ['x/.hidden/3.jsonl', 'x/1.jsonl', 'x/y/z/2.jsonl']);
    }));

  it('yields a file that is given by path, whatever its name', () =>
    withTemporaryFolder(async (folder) => {
      await write(folder, 'agent-1.jsonl', 'note.txt');
      assert.deepEqual(await find(folder, 'agent-1.jsonl', 'note.txt'), ['agent-1.jsonl', 'note.txt']);
    }));

  it('yields a path that does not exist, so that its scan reports it as missing', () =>
    withTemporaryFolder(async (folder) => {
      assert.deepEqual(await find(folder, 'none.jsonl', 'none/at/all'), ['none.jsonl', 'none/at/all']);
    }));

  it('yields a folder whose name looks like a transcript', () =>
    withTemporaryFolder(async (folder) => {
      await mkdir(join(folder, fullPath('projects/-a/2.jsonl')), { recursive: true });
      await write(folder, 'projects/-a/1.jsonl');
      assert.deepEqual(await find(folder, ''), ['projects/-a/1.jsonl', 'projects/-a/2.jsonl']);
    }));

  it('yields each transcript once, sorted by path', () =>
    withTemporaryFolder(async (folder) => {
      await write(folder, 'projects/-a/1.jsonl', 'projects/-b/2.jsonl');
      const found: string[] = [];
      const paths = ['projects/-b', '', 'projects/-b/2.jsonl', 'projects/-a/../-a/1.jsonl'].map(
        (path) => `${folder}/${fullPath(path)}`,
      );
      for await (const { id: sessionId } of findTranscripts(paths)) found.push(shortPath(sessionId));
      assert.deepEqual(found, ['2', '1']);
    }));

  it('reports the session id and the folder of each transcript', () =>
    withTemporaryFolder(async (folder) => {
      await write(folder, 'projects/-a/1.jsonl');
      for await (const found of findTranscripts([folder])) {
        const projectFolder = join(folder, 'projects', '-a');
        const filePath = join(projectFolder, fullPath('1.jsonl'));
        assert.deepEqual(found, {
          provider: 'claude',
          id: fullPath('1'),
          path: filePath,
          projectFolder,
          hasBackup: false,
        });
      }
    }));

  it('handles names that contain glob characters', () =>
    withTemporaryFolder(async (folder) => {
      const names = ['a [b] {c,d}', '(e)!f+g@h', 'ü☕ 中', '-x', '.y', 'space ', '$z&', "quote'"];
      if (process.platform !== 'win32') names.push('star*', 'quest?', 'new\nline');
      const files = names.map((name) => `${name}/projects/${name}/1.jsonl`);
      await write(folder, ...files);
      for (const [at, name] of names.entries()) {
        assert.deepEqual(await find(folder, name), [files[at]], name);
        assert.deepEqual(await find(folder, `${name}/projects/${name}`), [files[at]], name);
      }
    }));

  it('follows a projects folder or config folder that is a symbolic link', () =>
    withTemporaryFolder(async (folder) => {
      await write(folder, 'elsewhere/-a/1.jsonl');
      await mkdir(join(folder, 'config'));
      await symlink(join(folder, 'elsewhere'), join(folder, 'config/projects'));
      await symlink(join(folder, 'config'), join(folder, 'linked'));
      assert.deepEqual(await find(folder, 'config'), ['config/projects/-a/1.jsonl']);
      assert.deepEqual(await find(folder, 'linked'), ['linked/projects/-a/1.jsonl']);
    }));

  it('does not loop on a link that points back to a parent folder', () =>
    withTemporaryFolder(async (folder) => {
      await write(folder, 'x/1.jsonl');
      await symlink(folder, join(folder, 'x/back'));
      await symlink('self', join(folder, 'self'));
      assert.deepEqual(await find(folder, 'x'), ['x/1.jsonl']);
      assert.deepEqual(await find(folder, 'self'), ['self']);
    }));

  it('stops when it is aborted', () =>
    withTemporaryFolder(async (folder) => {
      await write(folder, 'projects/-a/1.jsonl', 'projects/-a/2.jsonl');
      const stop = new AbortController();
      const found: string[] = [];
      const run = async (): Promise<void> => {
        for await (const { id: sessionId } of findTranscripts([folder], stop.signal)) {
          found.push(sessionId);
          stop.abort();
        }
      };
      await assert.rejects(run(), { name: 'AbortError' });
      assert.equal(found.length, 1);
    }));
});
