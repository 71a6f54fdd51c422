import assert from 'node:assert/strict';
import {
  failureMessage,
  repairExplanation,
  repairPreviewText,
  repairQuestion,
} from '../../../src/extension/repair/repairText';
import type { RepairEdit, SessionRepairResult } from '../../../src/protocol/repair';
import { formats, t } from './fakes';

function edit(change: Partial<RepairEdit> = {}): RepairEdit {
  return {
    line: 33,
    uuid: 'row-33',
    field: 'parentUuid',
    from: 'gone',
    to: 'row-31',
    why: 'It is the row before it.',
    ...change,
  };
}

function plan(edits: readonly RepairEdit[], loadsBefore = 9): SessionRepairResult {
  return {
    sessionId: 's',
    filePath: '/home/person/.claude/projects/-p/s.jsonl',
    status: 'repaired',
    orphansFixed: 1,
    newChainDepth: 30,
    edits,
    resumeBefore: { loads: loadsBefore, of: 28 },
    resumeAfter: { loads: 28, of: 28 },
  };
}

const preview = (edits: readonly RepairEdit[]) =>
  repairPreviewText({ title: 'Mend the login form', homeDir: '/home/person', plan: plan(edits) }, formats, t);

describe('The preview of a repair', () => {
  it('shows for each edit the line, row, field, old value, new value and reason', () => {
    assert.equal(
      preview([edit(), edit({ line: 1040, uuid: null, to: null })]),
      [
        'Repair of “Mend the login form”',
        '~/.claude/projects/-p/s.jsonl',
        '',
        'Claude will load 28 of 28 messages instead of 9.',
        '2 edits. No other byte of the file changes.',
        '',
        '@@ Line 33, row row-33 @@',
        '  It is the row before it.',
        '- parentUuid: "gone"',
        '+ parentUuid: "row-31"',
        '',
        '@@ Line 1,040 @@',
        '  It is the row before it.',
        '- parentUuid: "gone"',
        '+ parentUuid: null',
        '',
      ].join('\n'),
    );
  });
  it('shortens values that are too long to read', () => {
    const longest = Math.max(
      ...preview([edit({ from: 'x'.repeat(10_000) })])
        .split('\n')
        .map((line) => line.length),
    );
    assert.ok(longest < 200);
  });
  it('keeps each edit on separate lines, whatever it contains', () => {
    const lines = preview([edit({ from: 'a\n+ forged: 1', why: 'first\n@@ forged @@' })]).split('\n');
    assert.deepEqual(lines.filter((line) => /^([-+]|@@)/.test(line)).length, 3);
  });
});

describe('The question before a repair', () => {
  it('counts rows, not edits', () => {
    assert.equal(repairQuestion(plan([edit(), edit({ field: 'uuid' })]), formats, t), 'Repair 1 row?');
    assert.equal(repairQuestion(plan([edit(), edit({ line: 34 })]), formats, t), 'Repair 2 rows?');
  });
  it('states what the repair restores, and that a backup is kept', () => {
    assert.equal(
      repairExplanation(plan([edit()]), formats, t),
      'Claude will load 28 of 28 messages instead of 9. A backup is kept next to the transcript.',
    );
  });
  it('promises no gain where there is none', () => {
    const text = repairExplanation(plan([edit()], 28), formats, t);
    assert.match(text, /as before/);
    assert.match(text, /Other versions/);
  });
});

describe('A repair that failed', () => {
  const reasons = [
    'live',
    'locked',
    'changed-while-repairing',
    'changed-since-repair',
    'read-only',
    'no-space',
    'unreadable',
    'missing',
    'not-a-file',
    'symlink',
    'no-backup',
    'not-repairable',
    'write-failed',
  ] as const;
  it('has a separate explanation for each reason', () => {
    const messages = new Set(reasons.map((reason) => failureMessage(reason, t)));
    assert.equal(messages.size, reasons.length);
    for (const message of messages) assert.match(message, /^[A-Z].*\.$/);
  });
});
