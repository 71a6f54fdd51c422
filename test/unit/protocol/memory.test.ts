import assert from 'node:assert/strict';
import { memoryKindOf, type Memory } from '../../../src/protocol/memory';
import { memoryPhrase } from '../../rooms/conversation';

const memory = (remembered: number, messages: number, change: Partial<Memory> = {}): Memory => ({
  ...{ remembered, messages, hasSummary: false, losesMessages: false },
  ...change,
});

describe('What Claude remembers', () => {
  it('is all of the thread if the rest is on other branches, and a part if some of the thread is lost', () => {
    assert.equal(memoryKindOf(memory(15, 15)), 'all');
    assert.equal(memoryKindOf(memory(15, 15, { losesMessages: true })), 'all');
    assert.equal(memoryKindOf(memory(5, 19)), 'allOfThread');
    assert.equal(memoryKindOf(memory(5, 19, { losesMessages: true })), 'some');
    assert.equal(memoryKindOf(memory(0, 19)), 'none');
    assert.equal(memoryKindOf(memory(0, 0)), 'empty');
  });

  it('begins with the summary after a compaction, whatever else is missing', () => {
    const hasSummary = true;
    assert.equal(memoryKindOf(memory(7, 15, { hasSummary, losesMessages: true })), 'summaryAndLast');
    assert.equal(memoryKindOf(memory(0, 0, { hasSummary })), 'summaryAndLast');
  });

  it('is said in the same words by reports and exports', () => {
    assert.deepEqual(
      [
        ...[memory(1500, 1500), memory(1, 1), memory(5, 19), memory(1, 19), memory(0, 19), memory(0, 1), memory(0, 0)],
        memory(7, 15, { losesMessages: true }),
        ...[0, 1, 7].map((remembered) => memory(remembered, 15, { hasSummary: true })),
      ].map(memoryPhrase),
      [
        'all 1,500 messages',
        'the only message',
        'all 5 messages of this thread',
        'the only message of this thread',
        'none of the 19 messages',
        'nothing',
        'nothing, because nothing was said',
        '7 of 15 messages',
        'the summary',
        'the summary and the last message',
        'the summary and the last 7 messages',
      ],
    );
  });
});
