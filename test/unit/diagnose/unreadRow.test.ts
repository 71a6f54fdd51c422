import assert from 'node:assert/strict';
import { diagnosticsFor } from '../../rooms/diagnose';
import { verdictOf } from '../../support/diagnosed';
import { scanBytes } from '../../support/scanBytes';
import {
  assistant,
  boundary,
  chainRow,
  lastPrompt,
  prompt,
  reply,
  type RowFields,
  transcript,
} from '../../support/transcriptBuilder';

const NO_TIME = { timestamp: undefined };
const START = [prompt('p1', null), reply('r1', 'p1')];
const END = [prompt('p2', 'x'), reply('r2', 'p2')];
const ODD = prompt('x', 'r1', { message: { role: 'user', content: 5 } });
const TEXT_REPLY = reply('x', 'r1', { message: { id: 'm', role: 'assistant', content: 'It rains.' } });

function say(rows: readonly RowFields[], version?: string): string {
  const { result } = verdictOf(scanBytes(transcript(rows)), undefined, diagnosticsFor(version));
  const findings = result.findings.map(
    ({ code, severity, action, lines }) => `${severity} ${action} ${code} ${lines.join()}`,
  );
  return [result.status, `${result.resume.loads}`, ...findings].join('; ');
}

describe('A session that only an old client does not resume', () => {
  it('is broken for a client that fails on one of its messages', () => {
    const odd: readonly RowFields[] = [
      ODD,
      prompt('x', 'r1', { message: undefined }),
      assistant('x', 'r1', [null, { type: 'text', text: 'said' }], {}, 'm'),
    ];
    for (const row of odd) {
      assert.equal(say([...START, row, ...END], '2.1.274'), 'corrupted; 0; error tell unread-row 3');
      assert.match(say([...START, row, ...END], '2.1.275'), /^healthy; [45]$/);
    }
    assert.equal(say([...START, TEXT_REPLY, ...END], '2.1.276'), 'corrupted; 0; error tell unread-row 3');
    assert.equal(say([...START, TEXT_REPLY, ...END], '2.1.277'), 'healthy; 5');
  });

  it('is broken for a client that cannot read the time of its last message', () => {
    const one = [...START, prompt('p2', 'r1'), reply('r2', 'p2', NO_TIME), chainRow('system', 'n', 'r2')];
    const several = [...one.slice(0, 4), reply('s', 'r1', NO_TIME), chainRow('system', 'z', 'lost')];
    const none = START.map((row) => ({ ...row, ...NO_TIME }));
    assert.equal(say(one, '2.1.329'), 'corrupted; 0; error tell unread-row 4');
    assert.match(say(several, '2.1.329'), /^corrupted; 0; error tell unread-row 5/);
    assert.equal(say(none, '2.1.329'), 'corrupted; 0; error tell unread-row 2');
    for (const rows of [one, none]) assert.match(say(rows), /^healthy; [24]$/);
  });

  it('is told from one of which no client resumes anything, and from one that is resumed', () => {
    const empty = [...START, { ...lastPrompt('r1'), leafUuid: null, explicit: true }];
    assert.equal(say(empty, '2.1.250'), 'healthy; 0');
    assert.equal(say([...START, reply('x', 'p1', NO_TIME), prompt('q', 'r1')], '2.1.329'), 'healthy; 3');
  });

  it('names the message that keeps it from being resumed, and the first version that resumes it', () => {
    const messageOf = (rows: readonly RowFields[], version: string): string | undefined =>
      verdictOf(scanBytes(transcript(rows)), undefined, diagnosticsFor(version)).result.findings[0]?.message;
    assert.equal(
      messageOf([...START, ODD, ...END], '2.1.250'),
      'Claude Code before 2.1.275 does not resume this session: it cannot read the message on line 3, and stops. To go on with it, use 2.1.275 or newer.',
    );
    assert.equal(
      messageOf([...START, ODD, prompt('p2', 'x', NO_TIME)], '2.1.250'),
      'Claude Code before 2.1.330 does not resume this session: it finds no conversation, because it cannot read the time of the last message, on line 4. To go on with it, use 2.1.330 or newer.',
    );
    // Of the rows above a compaction, none is read.
    assert.equal(
      messageOf([...START, ODD, boundary('b', null), prompt('p2', 'b'), reply('r2', 'p2')], '2.1.250'),
      undefined,
    );
  });
});
