import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../../../src/protocol/repair';
import { verdictOf } from '../../support/diagnosed';
import { FIXTURES, listRecordings } from '../../support/fixtures';
import { scanBytes } from '../../support/scanBytes';
import { call, lastPrompt, prompt, reply, result, type RowFields, transcript } from '../../support/transcriptBuilder';

const CODE = 'concurrent-writers';
const START = [prompt('p1', null), reply('r1', 'p1')];

function findingsIn(bytes: Buffer): readonly Finding[] {
  return verdictOf(scanBytes(bytes)).result.findings.filter(({ code }) => code === CODE);
}

function linesOf(rows: readonly RowFields[]): readonly (readonly number[])[] {
  return findingsIn(transcript(rows)).map(({ lines }) => lines);
}

describe('Two clients that wrote into one session at the same time', () => {
  it('are found in the recording of two, and in no other', () => {
    const found = listRecordings().filter((file) => findingsIn(readFileSync(join(FIXTURES, file))).length > 0);
    assert.deepEqual(
      found.map((file) => file.split('/')[1]),
      ['concurrent-writers'],
    );
  });

  it('are told of with the lines of the conversation that is not remembered', () => {
    const rows = [...START, prompt('a', 'r1'), prompt('b', 'r1'), reply('ra', 'a'), reply('rb', 'b'), lastPrompt('ra')];
    const [finding, ...others] = findingsIn(transcript(rows));
    assert.deepEqual(others, []);
    assert.deepEqual([finding?.severity, finding?.action, finding?.lines], ['info', 'tell', [4, 6]]);
    assert.equal(
      finding?.message,
      'Two clients wrote into this session at the same time: their 2 conversations alternate in the file, and Claude remembers one ' +
        'of them, but not the conversation that ends on line 6. Fork the session there to go on with it.',
    );
  });

  it('are found also if the one that is remembered wrote last', () => {
    const rows = [...START, prompt('b', 'r1'), prompt('a', 'r1'), reply('rb', 'b'), reply('ra', 'a'), lastPrompt('ra')];
    assert.deepEqual(linesOf(rows), [[3, 5]]);
  });

  it('are not seen in a rewind, after which the messages do not alternate', () => {
    const left = [prompt('b', 'r1'), reply('rb', 'b')];
    assert.deepEqual(linesOf([...START, ...left, prompt('a', 'r1'), reply('ra', 'a'), lastPrompt('ra')]), []);
  });

  it('are not seen in calls that run in parallel', () => {
    const calls = [call('c1', 'r1', 't1', { message: 'm' }), call('c2', 'c1', 't2', { message: 'm' })];
    const results = [result('o1', 'c1', 't1'), result('o2', 'c2', 't2')];
    assert.deepEqual(linesOf([...START, ...calls, ...results, reply('r2', 'o2')]), []);
  });

  it('are not seen in a branch that nobody asked anything in', () => {
    const rows = [...START, prompt('a', 'r1'), reply('x', 'r1'), reply('ra', 'a'), lastPrompt('ra')];
    assert.deepEqual(linesOf(rows), []);
  });
});
