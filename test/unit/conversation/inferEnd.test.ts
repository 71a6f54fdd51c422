import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inferEnd } from '../../rooms/conversation';
import type { ConversationEnd } from '../../../src/protocol/message';
import { FIXTURES } from '../../support/fixtures';
import {
  assistant,
  boundary,
  call,
  chainRow,
  lines,
  prompt,
  reply,
  result,
  type RowFields,
} from '../../support/transcriptBuilder';

function stateOf(...rows: readonly RowFields[]): ConversationEnd {
  return inferEnd(lines(rows).map((line, at) => ({ line: at + 1, object: JSON.parse(line) as RowFields })));
}

/** A user row with this text, in the form in which the client records typed text and command output. */
function typed(name: string, parent: string, content: unknown, fields: RowFields = {}): RowFields {
  return prompt(name, parent, { message: { role: 'user', content }, ...fields });
}

/** What the client writes before commands that are not sent to Claude. */
function caveat(name: string, parent: string): RowFields {
  return typed(name, parent, '<local-command-caveat>The command below …</local-command-caveat>', { isMeta: true });
}

const EXIT =
  '<command-name>/exit</command-name>\n<command-message>exit</command-message>\n<command-args></command-args>';
const SEE_YOU = '<local-command-stdout>See ya!</local-command-stdout>';

describe('The state of a session that is not running', () => {
  it('is ended when Claude had the last word, whatever the client wrote afterwards', () => {
    const quiet = chainRow('system', 's', 'r', { subtype: 'turn_duration', durationMs: 1200 });
    assert.deepEqual(stateOf(prompt('p', null), reply('r', 'p'), quiet), { kind: 'ended' });
    const note = prompt('n', 's', {
      message: { role: 'user', content: '<local-command-stdout>ok</local-command-stdout>' },
    });
    assert.deepEqual(stateOf(prompt('p', null), reply('r', 'p'), quiet, note), { kind: 'ended' });
  });

  it('is interrupted when a person stopped it', () => {
    const stop = (text: string): RowFields =>
      prompt('x', 'r', { message: { role: 'user', content: [{ type: 'text', text }] } });
    assert.deepEqual(stateOf(prompt('p', null), reply('r', 'p'), stop('[Request interrupted by user]')), {
      kind: 'interrupted',
      by: 'person',
      duringTool: false,
      line: 3,
    });
    assert.deepEqual(stateOf(reply('r', null), stop('[Request interrupted by user for tool use]')), {
      kind: 'interrupted',
      by: 'person',
      duringTool: true,
      line: 2,
    });
  });

  it('is interrupted when nothing followed a prompt, a result or a thought', () => {
    const cutOff = (state: ConversationEnd): unknown => (state.kind === 'interrupted' ? [state.by, state.line] : state);
    assert.deepEqual(cutOff(stateOf(prompt('p', null))), ['unknown', 1]);
    assert.deepEqual(cutOff(stateOf(prompt('p', null), call('c', 'p', 't1'), result('a', 'c', 't1'))), ['unknown', 3]);
    const thought = assistant('t', 'p', [{ type: 'thinking', thinking: 'hm' }]);
    assert.deepEqual(cutOff(stateOf(prompt('p', null), thought)), ['unknown', 2]);
  });

  it('is waiting for calls without a result', () => {
    assert.deepEqual(stateOf(prompt('p', null), call('c', 'p', 't1')), {
      kind: 'waitingOnTool',
      calls: [{ id: 't1', name: 'Bash', line: 2 }],
    });
  });

  it('is waiting for one of several parallel calls when the other has its result', () => {
    const message = 'msg';
    const state = stateOf(
      prompt('p', null),
      call('a', 'p', 't1', { message }),
      call('b', 'a', 't2', { message }),
      result('x', 'b', 't2'),
    );
    assert.deepEqual(state, { kind: 'waitingOnTool', calls: [{ id: 't1', name: 'Bash', line: 2 }] });
  });

  it('is not waiting for a call that precedes a later prompt', () => {
    const state = stateOf(prompt('p', null), call('c', 'p', 't1'), prompt('q', 'c'), reply('r', 'q'));
    assert.deepEqual(state, { kind: 'ended' });
  });

  it('is an API error if the session ended with one', () => {
    const error = assistant('e', 'p', [{ type: 'text', text: 'API Error: 529 overloaded' }], {
      isApiErrorMessage: true,
    });
    assert.deepEqual(stateOf(prompt('p', null), error), {
      kind: 'apiError',
      text: 'API Error: 529 overloaded',
      line: 2,
    });
  });

  it('is ended when only a local command of the client follows the reply', () => {
    const said = [prompt('p', null), reply('r', 'p')];
    const exit = [caveat('n', 'r'), typed('c', 'n', EXIT), typed('o', 'c', SEE_YOU)];
    assert.deepEqual(stateOf(...said, ...exit), { kind: 'ended' });
    assert.deepEqual(stateOf(...said, ...exit.slice(1)), { kind: 'ended' });
    assert.deepEqual(stateOf(...said, ...exit.slice(0, 2)), { kind: 'ended' });
    const output = chainRow('system', 'o', 'c', {
      subtype: 'local_command',
      content: '<local-command-stdout></local-command-stdout>',
    });
    assert.deepEqual(stateOf(...said, typed('c', 'r', EXIT), output), { kind: 'ended' });
    assert.deepEqual(stateOf(...exit), { kind: 'empty' });
  });

  it('is ended after a local shell command, and interrupted after one that was sent to Claude', () => {
    const said = [prompt('p', null), reply('r', 'p')];
    const shell = [
      typed('c', 'r', '<bash-input>ls</bash-input>'),
      typed('o', 'c', '<bash-stdout>a.txt</bash-stdout><bash-stderr></bash-stderr>'),
    ];
    assert.deepEqual(stateOf(...said, caveat('n', 'r'), ...shell), { kind: 'ended' });
    assert.deepEqual(stateOf(...said, ...shell), { kind: 'interrupted', by: 'unknown', duringTool: false, line: 3 });
  });

  it('is interrupted after a command that is a prompt for Claude', () => {
    const init = [
      typed('c', 'r', EXIT.replaceAll('exit', 'init')),
      typed('m', 'c', [{ type: 'text', text: 'Look …' }]),
    ];
    const cutOff = { kind: 'interrupted', by: 'unknown', duringTool: false };
    const meta = { ...init[1], isMeta: true };
    assert.deepEqual(stateOf(reply('r', null), ...init.slice(0, 1), meta), { ...cutOff, line: 2 });
    const after = [caveat('n', 'r'), typed('x', 'n', EXIT), typed('o', 'x', SEE_YOU), typed('c', 'o', EXIT)];
    assert.deepEqual(stateOf(reply('r', null), ...after), { ...cutOff, line: 5 });
  });

  it('is ended after a manual compaction, and interrupted after an automatic one amid work', () => {
    const compacted = (trigger: string): RowFields[] => [
      prompt('p', null),
      boundary('b', null, { trigger, preTokens: 5000 }),
      typed('s', 'b', 'This session is being continued …', { isCompactSummary: true }),
    ];
    const compact = [caveat('n', 's'), typed('c', 'n', EXIT.replaceAll('exit', 'compact')), typed('o', 'c', SEE_YOU)];
    assert.deepEqual(stateOf(...compacted('manual'), ...compact), { kind: 'ended' });
    assert.deepEqual(stateOf(...compacted('auto')), { kind: 'interrupted', by: 'unknown', duringTool: false, line: 3 });
  });

  for (const [recording, session, linesRead] of [
    ['legacy-2.1.50-progress', '88888888-8888-4888-8888-888888888888', Infinity],
    ['tui-edits-rewind-tasks-subagents-compaction-branch', '33333333-3333-4333-8333-333333333333', 142],
  ] as const) {
    it(`is ended where ${recording} ends with a command`, () => {
      const path = join(
        FIXTURES,
        'recordings',
        recording,
        'dot-claude/projects/-home-user-project',
        `${session}.jsonl`,
      );
      const rows = readFileSync(path, 'utf8').trimEnd().split('\n').slice(0, linesRead);
      assert.deepEqual(stateOf(...rows.map((row) => JSON.parse(row) as RowFields)), { kind: 'ended' });
    });
  }

  it('stays an API error when the person left after it', () => {
    const text = 'API Error: 529 overloaded';
    const error = assistant('e', 'p', [{ type: 'text', text }], { isApiErrorMessage: true });
    const state = stateOf(prompt('p', null), error, caveat('n', 'e'), typed('c', 'n', EXIT), typed('o', 'c', SEE_YOU));
    assert.deepEqual(state, { kind: 'apiError', text, line: 2 });
  });

  it('is not an API error after another error of the client', () => {
    const broken = chainRow('system', 's', 'r', { level: 'error', content: 'Could not connect to the IDE' });
    assert.deepEqual(stateOf(prompt('p', null), reply('r', 'p'), broken), { kind: 'ended' });
    const api = chainRow('system', 's', 'p', { subtype: 'api_error', level: 'error', content: '529' });
    assert.deepEqual(stateOf(prompt('p', null), api), { kind: 'apiError', text: '529', line: 2 });
  });

  it('is not waiting for an abandoned call, whatever the form of the next prompt', () => {
    const state = stateOf(
      prompt('p', null),
      call('a', 'p', 't1'),
      typed('q', 'a', [{ type: 'text', text: 'Something else' }]),
      call('b', 'q', 't2'),
      result('x', 'b', 't2'),
    );
    assert.deepEqual(state, { kind: 'interrupted', by: 'unknown', duringTool: true, line: 5 });
  });

  it('is not waiting for a call of a message that another one has followed', () => {
    const state = stateOf(prompt('p', null), call('a', 'p', 't1'), call('b', 'a', 't2'), result('x', 'b', 't2'));
    assert.deepEqual(state, { kind: 'interrupted', by: 'unknown', duringTool: true, line: 4 });
  });

  it('is waiting for a call while a parallel one adds its note', () => {
    const message = 'msg';
    const state = stateOf(
      call('a', null, 't1', { message }),
      call('b', 'a', 't2', { message }),
      result('x', 'b', 't2'),
      typed('n', 'x', [{ type: 'text', text: 'Base directory …' }], { isMeta: true, sourceToolUseID: 't2' }),
    );
    assert.deepEqual(state, { kind: 'waitingOnTool', calls: [{ id: 't1', name: 'Bash', line: 1 }] });
  });

  it('is empty without messages', () => {
    assert.deepEqual(stateOf(), { kind: 'empty' });
    assert.deepEqual(stateOf(chainRow('system', 's', null, { subtype: 'turn_duration' })), { kind: 'empty' });
  });
});
