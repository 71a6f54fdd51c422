import assert from 'node:assert/strict';
import { inferState } from '../../../src/core/messages/inferState';
import type { SessionState } from '../../../src/shared/message';
import {
  assistant,
  call,
  chainRow,
  lines,
  prompt,
  reply,
  result,
  type RowFields,
} from '../../support/transcriptBuilder';

function stateOf(...rows: readonly RowFields[]): SessionState {
  return inferState(lines(rows).map((line, at) => ({ line: at + 1, object: JSON.parse(line) as RowFields })));
}

describe('What a session that nobody runs is doing', () => {
  it('is over when Claude had the last word, whatever the client wrote behind it', () => {
    const quiet = chainRow('system', 's', 'r', { subtype: 'turn_duration', durationMs: 1200 });
    assert.deepEqual(stateOf(prompt('p', null), reply('r', 'p'), quiet), { kind: 'ended' });
    const note = prompt('n', 's', {
      message: { role: 'user', content: '<local-command-stdout>ok</local-command-stdout>' },
    });
    assert.deepEqual(stateOf(prompt('p', null), reply('r', 'p'), quiet, note), { kind: 'ended' });
  });

  it('was interrupted by the person who stopped it', () => {
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

  it('was cut off when nothing came after a prompt, a result or a thought', () => {
    const cutOff = (state: SessionState): unknown => (state.kind === 'interrupted' ? [state.by, state.line] : state);
    assert.deepEqual(cutOff(stateOf(prompt('p', null))), ['unknown', 1]);
    assert.deepEqual(cutOff(stateOf(prompt('p', null), call('c', 'p', 't1'), result('a', 'c', 't1'))), ['unknown', 3]);
    const thought = assistant('t', 'p', [{ type: 'thinking', thinking: 'hm' }]);
    assert.deepEqual(cutOff(stateOf(prompt('p', null), thought)), ['unknown', 2]);
  });

  it('waits for the calls that have no result', () => {
    assert.deepEqual(stateOf(prompt('p', null), call('c', 'p', 't1')), {
      kind: 'waitingOnTool',
      calls: [{ id: 't1', name: 'Bash', line: 2 }],
    });
  });

  it('waits for one of parallel calls when the other has its result', () => {
    const message = 'msg';
    const state = stateOf(
      prompt('p', null),
      call('a', 'p', 't1', { message }),
      call('b', 'a', 't2', { message }),
      result('x', 'b', 't2'),
    );
    assert.deepEqual(state, { kind: 'waitingOnTool', calls: [{ id: 't1', name: 'Bash', line: 2 }] });
  });

  it('waits for nothing that a later prompt has left behind', () => {
    const state = stateOf(prompt('p', null), call('c', 'p', 't1'), prompt('q', 'c'), reply('r', 'q'));
    assert.deepEqual(state, { kind: 'ended' });
  });

  it('ended with an error of the API', () => {
    const error = assistant('e', 'p', [{ type: 'text', text: 'API Error: 529 overloaded' }], {
      isApiErrorMessage: true,
    });
    assert.deepEqual(stateOf(prompt('p', null), error), {
      kind: 'apiError',
      text: 'API Error: 529 overloaded',
      line: 2,
    });
  });

  it('is empty without messages', () => {
    assert.deepEqual(stateOf(), { kind: 'empty' });
    assert.deepEqual(stateOf(chainRow('system', 's', null, { subtype: 'turn_duration' })), { kind: 'empty' });
  });
});
