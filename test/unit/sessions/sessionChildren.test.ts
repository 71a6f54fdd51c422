import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SessionChildren } from '../../rooms/sessions';
import { withTemporaryFolder } from '../../support/temporaryFolder';

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

describe('What stands below sessions and projects', () => {
  const children = new SessionChildren();

  it('is asked for only where a session has subagents', () =>
    withTemporaryFolder(async (folder) => {
      await write(folder, {
        'with/subagents/agent-a.jsonl': '',
        'without/subagents/agent-a.meta.json': '{}',
        'other/tool-results/a.txt': '',
      });
      const paths = ['with', 'without', 'other', 'nobody'].map((name) => join(folder, `${name}.jsonl`));
      assert.deepEqual(await children.withSubagents(paths), [paths[0]]);
    }));

  it('are subagents with what they were asked to do, and whether they are done', () =>
    withTemporaryFolder(async (folder) => {
      const meta = { agentType: 'Explore', description: 'Look around', finished: true };
      await write(folder, {
        's/subagents/agent-a.jsonl': '',
        's/subagents/agent-a.meta.json': JSON.stringify(meta),
        's/subagents/agent-b.jsonl': '',
      });
      const found = await children.subagents({ provider: 'claude', id: 's', path: join(folder, 's.jsonl') });
      assert.deepEqual(
        found.map(({ agentId, agentType, description, isFinished }) => [agentId, agentType, description, isFinished]),
        [
          ['a', 'Explore', 'Look around', true],
          ['b', null, null, false],
        ],
      );
    }));

  it('are the files of the memory of a project', () =>
    withTemporaryFolder(async (folder) => {
      assert.deepEqual(await children.memoryFiles(folder), []);
      await write(folder, { 'memory/MEMORY.md': 'abc', 'memory/b.md': '', 'memory/c.txt': '' });
      const files = await children.memoryFiles(folder);
      assert.deepEqual(
        files.map(({ name, size, filePath }) => [name, size, filePath]),
        [
          ['MEMORY.md', 3, join(folder, 'memory/MEMORY.md')],
          ['b.md', 0, join(folder, 'memory/b.md')],
        ],
      );
    }));
});
