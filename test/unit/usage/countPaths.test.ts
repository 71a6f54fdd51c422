import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { countPaths } from '../../rooms/usage';
import { report } from './createCounter';
import { answer, withUsageFolder } from './usageFolder';
import { plainScanner } from '../../support/plainScanner';

describe('Counting by path', () => {
  /** Number of sessions, and their output tokens. */
  async function counted(path: string) {
    const { usage, unreadable } = await countPaths([path], {
      createScanner: plainScanner,
      signal: new AbortController().signal,
      onListed: () => undefined,
      onCounted: () => undefined,
    });
    assert.deepEqual(unreadable, []);
    const { rows, totals } = report(usage, 'session');
    return [rows.map(({ key }) => key).sort(), totals.counts.output];
  }

  it('includes only the subagents in the folder of a session, whichever folder is named', () =>
    withUsageFolder(async (folder) => {
      const session = folder.write(folder.path('s'), [answer('a', 1)]);
      const own = session.replace('.jsonl', '');
      const gone = join(own, '..', 'gone');
      folder.write(join(own, 'subagents', 'agent-x.jsonl'), [answer('b', 2)]);
      folder.write(join(gone, 'subagents', 'agent-y.jsonl'), [answer('c', 4)]);
      folder.write(folder.path('agent-z'), [answer('d', 8)]);
      for (const beside of [own, gone, join(own, '..', 'only')]) {
        folder.write(join(beside, 'resume-head.jsonl'), [answer(`head in ${beside}`, 16)]);
      }
      for (const beside of [own, gone]) {
        folder.write(join(beside, 'tool-results', 'result.jsonl'), [answer(`result in ${beside}`, 32)]);
        folder.write(join(beside, 'subagents', 'other.jsonl'), [answer(`other in ${beside}`, 64)]);
      }
      const projects = join(folder.configDir, 'projects');
      const copies = join(folder.configDir, 'copies');
      cpSync(projects, join(copies, 'of', 'many'), { recursive: true });
      for (const path of [folder.configDir, projects, join(projects, '-p'), copies]) {
        assert.deepEqual(await counted(path), [['gone', 's'], 15], path);
      }
    }));

  it('includes every transcript of a folder outside the client’s layout', () =>
    withUsageFolder(async (folder) => {
      const root = join(folder.configDir, 'kept');
      folder.write(join(root, 'a.jsonl'), [answer('a', 1)]);
      folder.write(join(root, 'deep', 'er', 'b.jsonl'), [answer('b', 2)]);
      assert.deepEqual(await counted(root), [['a', 'b'], 3]);
    }));
});
