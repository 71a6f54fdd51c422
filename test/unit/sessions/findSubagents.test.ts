import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findSubagents } from '../../rooms/providers';
import { withTemporaryFolder } from '../../support/temporaryFolder';

/** Agent, session and path of each subagent, sorted. */
async function find(folder: string, files: readonly string[]): Promise<readonly (readonly (string | null)[])[]> {
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), '');
  }
  const found: (readonly (string | null)[])[] = [];
  for await (const { agentId, sessionId, filePath } of findSubagents(folder)) {
    found.push([agentId, sessionId, filePath.slice(folder.length + 1)]);
  }
  return found.sort((a, b) => String(a[2]).localeCompare(String(b[2])));
}

describe('findSubagents', () => {
  it('finds subagents in the folders of their sessions, with the session each belongs to', () =>
    withTemporaryFolder(async (folder) => {
      const files = [
        's1.jsonl',
        's1/subagents/agent-a.jsonl',
        's1/subagents/agent-b.jsonl',
        's2/subagents/agent-c.jsonl',
      ];
      assert.deepEqual(await find(folder, files), [
        ['a', 's1', files[1]],
        ['b', 's1', files[2]],
        ['c', 's2', files[3]],
      ]);
    }));

  it('finds the subagents of older clients beside the sessions, with no session where the file name states none', () =>
    withTemporaryFolder(async (folder) => {
      assert.deepEqual(await find(folder, ['s1.jsonl', 'agent-1a2b3c4d.jsonl']), [
        ['1a2b3c4d', null, 'agent-1a2b3c4d.jsonl'],
      ]);
    }));

  it('ignores other files and folders there', () =>
    withTemporaryFolder(async (folder) => {
      const others = [
        's1/agent-x.jsonl',
        's1/subagents/agent-y.meta.json',
        's1/subagents/z.jsonl',
        's1/tool-results/a.txt',
      ];
      assert.deepEqual(await find(folder, others), []);
    }));

  it('handles project names that contain glob characters or equal the name of a subagent folder', () =>
    withTemporaryFolder(async (folder) => {
      for (const name of ['a [b] {c}', 'subagents']) {
        const found = await find(join(folder, name), ['agent-1.jsonl', 's/subagents/agent-2.jsonl']);
        assert.deepEqual(found, [
          ['1', null, 'agent-1.jsonl'],
          ['2', 's', 's/subagents/agent-2.jsonl'],
        ]);
      }
    }));

  it('finds none where there is no folder', async () => {
    assert.deepEqual(await find('/none/at/all', []), []);
  });
});
