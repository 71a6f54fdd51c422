import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMemoryFiles } from '../../rooms/providers';
import { withTemporaryFolder } from '../../support/temporaryFolder';

describe('The memory files of a project', () => {
  it('are listed by name for each of its sessions and their subagents', () =>
    withTemporaryFolder(async (folder) => {
      const project = join(folder, 'projects', '-p');
      mkdirSync(join(project, 'memory', 'folder.md'), { recursive: true });
      for (const name of ['b.md', 'a.md', 'other.txt']) writeFileSync(join(project, 'memory', name), 'one two');
      for (const path of [join(project, 's1.jsonl'), join(project, 's1', 'subagents', 'agent-a1.jsonl')]) {
        const files = await readMemoryFiles(path);
        assert.deepEqual(
          files.map(({ name, size }) => [name, size]),
          [
            ['a.md', 7],
            ['b.md', 7],
          ],
        );
        assert.equal(files[0]?.filePath, join(project, 'memory', 'a.md'));
      }
    }));

  it('are none if the project has no such folder', () =>
    withTemporaryFolder(async (folder) => {
      assert.deepEqual(await readMemoryFiles(join(folder, 's1.jsonl')), []);
    }));
});
