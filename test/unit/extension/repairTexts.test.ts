import assert from 'node:assert/strict';
import { failureMessage, repairProposal, seamOf } from '../../../src/extension/repair/repairText';
import type { RepairOffer } from '../../../src/protocol/channels/conversation';
import type { RepairEdit } from '../../../src/protocol/repair';
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

function offer(edits: readonly RepairEdit[], before = 9, unloads: readonly number[] = []): RepairOffer {
  return {
    result: {
      sessionId: 's',
      filePath: '/home/person/.claude/projects/-p/s.jsonl',
      status: 'repaired',
      orphansFixed: 1,
      newChainDepth: 30,
      edits,
      resumeBefore: { loads: before, of: 40 },
      resumeAfter: { loads: 28, of: 40 },
      ...(unloads.length === 0 ? {} : { unloads }),
    },
    problem: null,
    memory: {
      before: { remembered: before, messages: 28, hasSummary: false },
      after: { remembered: 28, messages: 28, hasSummary: false },
    },
  };
}

function proposal(plan: RepairOffer) {
  const proposed = repairProposal({ homeDir: '/home/person', plan }, formats, t);
  assert.ok(proposed.kind === 'repair');
  return proposed;
}

describe('The offer of a repair', () => {
  it('says what Claude remembers after it and before it, in messages', () => {
    assert.equal(proposal(offer([edit()])).effect, 'Reconnect here: Claude remembers 28 of 28 messages instead of 9.');
  });
  it('counts the places, not the edits', () => {
    const twice = [edit(), edit({ field: 'uuid' })];
    assert.match(proposal(offer(twice)).effect, /^Reconnect here:/);
    assert.match(proposal(offer([...twice, edit({ line: 34 })])).effect, /^Reconnect at 2 places:/);
    assert.match(proposal(offer([edit({ uuid: null, field: 'line' })])).effect, /^Repair the file:/);
  });

  it('reconnects nothing at a first message, which points to nothing afterwards', () => {
    const beginning = edit({ line: 1, to: null });
    assert.match(proposal(offer([beginning, edit({ line: 33 })])).effect, /^Reconnect here:/);
    assert.deepEqual(seamOf({ edits: [beginning, edit({ line: 33 })] }), { lines: [33] });
    assert.deepEqual(seamOf({ edits: [beginning] }), { lines: [1] });
  });
  it('promises no gain where there is none', () => {
    const { effect, notes } = proposal(offer([edit()], 28));
    assert.match(effect, /as before/);
    assert.match(notes.join(' '), /Other versions/);
  });
  it('says that the API is to accept the session again if it mends the content of messages', () => {
    const mended = edit({ field: 'message.content.0.input', from: 'ls', to: { value: 'ls' } });
    const { effect, notes, changes } = proposal({ ...offer([mended], 28), mendsContent: true });
    assert.equal(effect, 'Make Claude’s API accept the session again: Claude remembers 28 of 28 messages, as before.');
    assert.deepEqual([notes, changes], [[], 'content']);
    const both = proposal({ ...offer([edit(), mended]), mendsContent: true });
    assert.match(both.effect, /^Reconnect here: Claude remembers 28 of 28 messages instead of 9\.$/);
    assert.deepEqual(both.notes, ['After that, Claude’s API accepts the session again.']);
  });
  it('says that Claude goes on with the newest messages, and nothing of other versions, if it chooses the branch', () => {
    const chosen = edit({ uuid: null, field: 'leafUuid', from: 'c0f7bcad', to: '1c11326c' });
    const { effect, notes, changes } = proposal(offer([chosen], 28));
    assert.match(effect, /^Go on with the newest messages: Claude remembers 28 of 28 messages\.$/);
    assert.deepEqual([notes, changes], [[], 'branch']);
  });
  it('names the messages that it takes away', () => {
    assert.deepEqual(proposal(offer([edit()], 9, [4])).notes, [
      'Claude will forget the message on line 4, which it remembers now.',
    ]);
    assert.match(proposal(offer([edit()], 9, [4, 1007])).notes.join(' '), /on lines 4, 1,007,/);
  });
  it('is none if there is nothing to do', () => {
    assert.deepEqual(repairProposal({ homeDir: '/', plan: offer([]) }, formats, t), {
      kind: 'nothing',
      why: 'Nothing needs a repair.',
    });
  });
});

describe('The change of a repair', () => {
  const change = (edits: readonly RepairEdit[]): string => proposal(offer(edits)).change;
  it('shows for each edit the line, message, field, old value, new value and reason', () => {
    assert.equal(
      change([edit(), edit({ line: 1040, uuid: null, to: null })]),
      [
        '2 edits. No other byte of the file changes.',
        '',
        '@@ Line 33, message row-33 @@',
        '  It is the row before it.',
        '- parentUuid: "gone"',
        '+ parentUuid: "row-31"',
        '',
        '@@ Line 1,040 @@',
        '  It is the row before it.',
        '- parentUuid: "gone"',
        '+ parentUuid: null',
        '',
        'A backup is kept next to the transcript.',
        '~/.claude/projects/-p/s.jsonl',
      ].join('\n'),
    );
  });
  it('shortens values that are too long to read', () => {
    const lines = change([edit({ from: 'x'.repeat(10_000) })]).split('\n');
    assert.ok(Math.max(...lines.map((line) => line.length)) < 200);
  });
  it('keeps each edit on separate lines, whatever it contains', () => {
    const lines = change([edit({ from: 'a\n+ forged: 1', why: 'first\n@@ forged @@' })]).split('\n');
    assert.deepEqual(lines.filter((line) => /^([-+]|@@)/.test(line)).length, 3);
  });
  it('is bounded, and names the command that shows the rest', () => {
    const text = change(Array.from({ length: 1000 }, (_, at) => edit({ line: at + 1 })));
    assert.equal(text.match(/^@@/gm)?.length, 300);
    assert.match(text, /700 more edits: “rethread repair --dry-run s” shows all of them\.\n\nA backup is kept/);
  });
});

describe('The seam of a repair', () => {
  it('is at each message that was connected to an earlier one, once', () => {
    const edits = [edit({ line: 40 }), edit(), edit({ line: 40 }), edit({ line: 50, field: 'uuid' })];
    assert.deepEqual(seamOf({ edits }), { lines: [33, 40] });
  });
  it('is where messages got a line of their own, and counts those lines in what is below', () => {
    const glued = edit({ line: 3, uuid: null, field: 'line', to: '3 lines', linesLeft: 3 });
    assert.deepEqual(seamOf({ edits: [edit({ line: 40 }), glued] }), { lines: [4, 42] });
  });
  it('is at a line that was cleaned of stray bytes', () => {
    assert.deepEqual(seamOf({ edits: [edit({ line: 3, uuid: null, field: 'line', to: '' })] }), { lines: [3] });
  });
  it('is nowhere if messages were inserted, which is shown above the conversation', () => {
    const inserted = edit({ line: 3, uuid: null, field: 'line', from: null });
    assert.deepEqual(seamOf({ edits: [edit(), inserted] }), { lines: [] });
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
