import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../../../src/protocol/repair';
import { verdictOf } from '../../support/diagnosed';
import { FIXTURES, listRecordings } from '../../support/fixtures';
import { scanBytes } from '../../support/scanBytes';
import { boundary, prompt, reply, type RowFields, transcript, uuidOf } from '../../support/transcriptBuilder';

const TALK = [prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1'), reply('r2', 'p2')];
const AFTER = [prompt('s', 'b'), reply('r3', 's')];

function findingsIn(bytes: Buffer): readonly Finding[] {
  return verdictOf(scanBytes(bytes)).result.findings.filter(({ code }) => code === 'compact-metadata');
}

function findingsOf(compactMetadata: unknown): readonly Finding[] {
  const rows: RowFields[] = [...TALK, boundary('b', null, compactMetadata), ...AFTER];
  return findingsIn(transcript(rows));
}

describe('A compaction whose metadata is incomplete', () => {
  it('is told of if it has none, since this client resumes it all the same', () => {
    const [finding, ...others] = findingsOf(null);
    assert.deepEqual(others, []);
    assert.deepEqual([finding?.severity, finding?.action, finding?.lines], ['info', 'tell', [5]]);
  });

  it('is a warning if a message that it was to keep is missing, because then none is kept', () => {
    const kept = {
      preservedMessages: { anchorUuid: uuidOf('s'), uuids: [uuidOf('gone'), uuidOf('p2'), uuidOf('r2')] },
    };
    const [finding, ...others] = findingsOf(kept);
    assert.deepEqual(others, []);
    assert.deepEqual([finding?.severity, finding?.action, finding?.lines], ['warning', 'tell', [5]]);
    assert.equal(
      finding?.message,
      'The compaction on line 5 was to keep messages as they are, but 1 line of them is missing: Claude then keeps none of ' +
        'them, and remembers only the summary. What is on 2 lines of the file is not remembered.',
    );
  });

  it('is not reported if all messages that it keeps are there', () => {
    const kept = { preservedMessages: { anchorUuid: uuidOf('s'), uuids: [uuidOf('p2'), uuidOf('r2')] } };
    assert.deepEqual(findingsOf(kept), []);
  });

  it('is not reported if it keeps nothing', () => {
    assert.deepEqual(findingsOf({ trigger: 'auto', preTokens: 1 }), []);
  });

  it('is not reported of a compaction that another one has followed', () => {
    const rows = [...TALK, boundary('b', null, null), ...AFTER, boundary('c', null, {}), prompt('t', 'c')];
    assert.deepEqual(findingsIn(transcript(rows)), []);
  });

  it('is in no recording', () => {
    for (const file of listRecordings()) assert.deepEqual(findingsIn(readFileSync(join(FIXTURES, file))), [], file);
  });
});
