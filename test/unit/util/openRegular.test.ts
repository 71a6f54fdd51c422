import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { findSubagents } from '../../rooms/providers';
import { nodeWriteFs } from '../../rooms/storage';
import { fileProblem, openRegularFile, openRegularHandle, readFileEnd, readSmallFile } from '../../rooms/util';
import { withTemporaryFolder } from '../../support/temporaryFolder';

/** Where there are no FIFOs, there is nothing to test. */
function makeFifo(path: string): void {
  execFileSync('mkfifo', [path]);
}

function problemOf(open: () => unknown, path: string): string {
  try {
    open();
  } catch (error) {
    return fileProblem(error, path).message;
  }
  throw new Error('It was opened');
}

describe('What is no regular file', () => {
  before(function () {
    if (process.platform === 'win32') this.skip();
  });

  it('is not opened, and a FIFO, a socket, a device and a folder are told apart', () =>
    withTemporaryFolder(async (folder) => {
      const [fifo, socket] = [join(folder, 'fifo'), join(folder, 'socket')];
      makeFifo(fifo);
      const server = createServer().listen(socket);
      await new Promise((listening) => server.once('listening', listening));
      try {
        const said = (path: string): string => problemOf(() => openRegularFile(path), path).replace(path, '…');
        assert.equal(said(fifo), '… is a FIFO, not a transcript.');
        assert.equal(said('/dev/null'), '… is a device, not a transcript.');
        assert.equal(said(folder), '… is a folder, not a transcript.');
        // A socket cannot even be opened.
        assert.match(said(socket), /^… could not be read \(ENXIO\)\.$/);
        for (const read of [readSmallFile, readFileEnd]) {
          assert.match(
            problemOf(() => read(fifo, 10), fifo),
            /a FIFO/,
          );
        }
        await assert.rejects(openRegularHandle(fifo), { code: 'EFTYPE' });
      } finally {
        server.close();
      }
    }));

  it('is opened for neither reading nor appending where files are written', () =>
    withTemporaryFolder(async (folder) => {
      const fifo = join(folder, 'fifo');
      makeFifo(fifo);
      await assert.rejects(nodeWriteFs.open(fifo, 'read'), { code: 'EFTYPE' });
      await assert.rejects(nodeWriteFs.open(fifo, 'append'), { code: 'EFTYPE' });
      await assert.rejects(nodeWriteFs.open('/dev/zero', 'read'), { code: 'EFTYPE' });
      await (await nodeWriteFs.open(folder, 'read')).close();
    }));

  it('is passed over as a transcript, as the description of a subagent, and as a record', () =>
    withTemporaryFolder(async (folder) => {
      const agents = join(folder, '11111111-2222-4333-8444-555555555555', 'subagents');
      mkdirSync(agents, { recursive: true });
      writeFileSync(join(agents, 'agent-a.jsonl'), '{}\n');
      makeFifo(join(agents, 'agent-a.meta.json'));
      makeFifo(join(agents, 'agent-b.jsonl'));
      makeFifo(join(folder, 'agent-c.jsonl'));
      const found: string[] = [];
      for await (const { agentId } of findSubagents(folder)) found.push(agentId);
      assert.ok(found.includes('a'));
      rmSync(agents, { recursive: true });
    }));
});

describe('A small file', () => {
  it('is read whole, or refused if it is larger, and its end can be read', () =>
    withTemporaryFolder((folder) => {
      const path = join(folder, 'file');
      writeFileSync(path, 'abcdef');
      assert.equal(readSmallFile(path, 6).bytes.toString(), 'abcdef');
      assert.throws(() => readSmallFile(path, 5), { code: 'EFBIG' });
      assert.equal(readFileEnd(path, 2).bytes.toString(), 'ef');
      assert.equal(readFileEnd(path, 100).bytes.toString(), 'abcdef');
      return Promise.resolve();
    }));
});
