import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import type { Finding } from '../../../src/protocol/repair';
import { verdictOf } from '../../support/diagnosed';
import { scanBytes } from '../../support/scanBytes';
import { wasmScanners } from '../../support/scannerModule';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { boundary, prompt, reply, type RowFields, transcript, uuidOf } from '../../support/transcriptBuilder';
import { quietMachine } from '../../support/quietMachine';

const CODE = 'unfinished-compaction';
const TALK = [prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1'), reply('r2', 'p2')];

function findingsOf(rows: readonly RowFields[]): readonly Finding[] {
  return verdictOf(scanBytes(transcript(rows))).result.findings.filter(({ code }) => code === CODE);
}

describe('A session that ended while it was compacted', () => {
  it('is broken if its boundary has a parent, because nothing loads', () => {
    const { result } = verdictOf(scanBytes(transcript([...TALK, boundary('b', 'r2')])));
    assert.deepEqual([result.status, result.resume.loads, result.resume.of], ['corrupted', 0, 4]);
    const [finding, ...others] = result.findings;
    assert.deepEqual(others, []);
    assert.deepEqual([finding?.code, finding?.severity, finding?.action], [CODE, 'error', 'auto']);
    assert.deepEqual(
      [finding?.lines, finding?.uuids],
      [
        [4, 5],
        [uuidOf('r2'), uuidOf('b')],
      ],
    );
  });

  it('is repaired without a change of any other row', () =>
    withTemporaryFolder(async (folder) => {
      const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
      writeFileSync(filePath, transcript([...TALK, boundary('b', 'r2')]));
      const engine = createEngine({ machine: quietMachine(), configDir: folder, createScanner: wasmScanners() });
      const { result } = await engine.repair(filePath);
      assert.deepEqual([result.status, result.resumeAfter], ['repaired', { loads: 4, of: 4 }]);
      assert.deepEqual(readFileSync(filePath), transcript([...TALK, boundary('b', null)]));
      assert.equal((await engine.repair(filePath)).result.status, 'already_healthy');
    }));

  it('loads whole, and is healthy, if its boundary has no parent', () => {
    const { result } = verdictOf(scanBytes(transcript([...TALK, boundary('b', null)])));
    assert.deepEqual([result.status, result.resume.loads, result.findings], ['healthy', 4, []]);
  });

  it('is no longer broken once the summary is written', () => {
    assert.deepEqual(findingsOf([...TALK, boundary('b', 'r2'), prompt('s', 'b')]), []);
  });

  it('is told of with the message to fork it at, if its boundary keeps a part of it', () => {
    const kept = { preservedMessages: { anchorUuid: uuidOf('b'), uuids: [uuidOf('p2'), uuidOf('r2')] } };
    const { result } = verdictOf(scanBytes(transcript([...TALK, boundary('b', null, kept)])));
    assert.deepEqual([result.status, result.resume.loads, result.resume.of], ['corrupted', 2, 4]);
    const [finding, ...others] = result.findings;
    assert.deepEqual(others, []);
    assert.deepEqual([finding?.code, finding?.action], [CODE, 'tell']);
    assert.match(
      finding?.message ?? '',
      /only the messages that the compaction keeps\. Fork the session at the message on line 4 to continue\.$/,
    );
  });

  it('is told of in the same way, if no repair helps', () => {
    const long = { message: { role: 'user', content: 'x'.repeat(6 * 1024 * 1024) } };
    const [finding, ...others] = findingsOf([prompt('p0', null, long), reply('r0', 'p0'), boundary('b', 'r0')]);
    assert.deepEqual(others, []);
    assert.deepEqual([finding?.severity, finding?.action], ['error', 'tell']);
    assert.match(finding?.message ?? '', /Fork the session at the message on line 2 to continue\.$/);
  });
});
