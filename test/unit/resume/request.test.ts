import assert from 'node:assert/strict';
import {
  assistant,
  boundary,
  call,
  chainRow,
  lastPrompt,
  prompt,
  reply,
  result,
  uuidOf,
  type RowFields,
} from '../../support/transcriptBuilder';
import { type NamedResume, resumeOf } from './resumeOf';

const TEXT = { type: 'text', text: 'said' };

describe('The roles of calls and results', () => {
  const end = (parent: string): RowFields[] => [reply('r', parent), prompt('q', 'r'), reply('e', 'q')];

  it('matter: a call that the user wrote is content like any other, and its result is lost', () => {
    const use = { ...call('c', 'p', 't1'), type: 'user' };
    assert.deepEqual(resumeOf([prompt('p', null), use, result('o', 'c', 't1'), ...end('o')]).loaded, [
      'p',
      'c',
      'r',
      'q',
      'e',
    ]);
    assert.deepEqual(resumeOf([prompt('p', null), use, ...end('c')]).loaded, ['p', 'c', 'r', 'q', 'e']);
  });

  it('matter: a result that the assistant wrote is lost, but its call is not', () => {
    const answer = { ...result('o', 'c', 't1'), type: 'assistant' };
    const rows = [prompt('p', null), call('c', 'p', 't1'), answer, ...end('o')];
    assert.deepEqual(resumeOf(rows).loaded, ['p', 'c', 'r', 'q', 'e']);
  });
});

/**
 * What is lost of a line of rows: `p` is a prompt, `r:A` text of message A, `e:A` a row of it whose content is an empty list, `b:A` one
 * with white space, `t:A` one with thinking, `c:A:1` its call 1, `o:1` the result of that call, `m` a meta row, `k:1` what call 1 adds to
 * its result, `h` the attachment of a hook, `s` a system row, `l` the output of a command, and `y` an error of the API.
 */
function lostOf(line: string, version?: string): string[] {
  const steps = line.split(' ');
  const rows = steps.map((step, at): RowFields => {
    const [kind, of = '', id = ''] = step.split(':');
    const parent = at === 0 ? null : `${steps[at - 1] ?? ''} ${at - 1}`;
    const name = `${step} ${at}`;
    const says = (...content: object[]): RowFields => assistant(name, parent, content, {}, of);
    switch (kind) {
      case 'p':
        return prompt(name, parent);
      case 'm':
        return prompt(name, parent, { isMeta: true });
      case 'k':
        return prompt(name, parent, { isMeta: true, sourceToolUseID: of });
      case 'l':
        return chainRow('system', name, parent, { subtype: 'local_command', content: 'output' });
      case 'o':
        return result(name, parent, of);
      case 'c':
        return call(name, parent, id, { message: of });
      case 'h':
        return chainRow('attachment', name, parent, { attachment: { type: 'hook_success' } });
      case 's':
        return chainRow('system', name, parent, { subtype: 'turn_duration' });
      case 'y': {
        const error = assistant(name, parent, [TEXT], { isApiErrorMessage: true });
        return { ...error, message: { ...(error['message'] as object), model: '<synthetic>' } };
      }
      case 'e':
        return says();
      case 'b':
        return says({ type: 'text', text: '\n\n' });
      case 't':
        return says({ type: 'thinking', thinking: 'about it', signature: 'c2ln' });
      default:
        return says(TEXT);
    }
  });
  const { loaded } = resumeOf(rows, version);
  return steps.filter((step, at) => /^[prco]/.test(step) && !loaded.includes(`${step} ${at}`));
}

describe('The result of a call', () => {
  const lostBefore = (line: string): string[] => lostOf(`${line} p r:Y p r:Z`);

  it('is lost behind another message, and so is that of a call in a message that continues before it', () => {
    assert.deepEqual(lostBefore('p c:A:1 r:B o:1'), ['o:1']);
    assert.deepEqual(lostBefore('p c:A:1 c:B:2 o:1 o:2'), ['o:1']);
    assert.deepEqual(lostBefore('p c:A:1 c:B:2 o:1 c:A:3 o:3 o:2'), ['o:1', 'o:3']);
    assert.deepEqual(lostBefore('p c:A:1 o:1 c:B:2 c:A:3 o:3 o:2'), ['o:3']);
  });

  it('is lost behind an empty reply, unless that is a part of a message with content', () => {
    assert.deepEqual(lostBefore('p c:A:1 e:B o:1'), ['o:1']);
    assert.deepEqual(lostBefore('p c:A:1 e:B c:A:2 o:1 o:2'), ['o:1', 'o:2']);
    assert.deepEqual(lostBefore('p c:A:1 e:A c:A:2 o:1 o:2'), []);
    assert.deepEqual(lostBefore('p c:A:1 o:1 e:B c:A:2 o:2'), ['o:2']);
    assert.deepEqual(lostBefore('p e:B c:A:1 o:1'), []);
    assert.deepEqual(lostBefore('p o:1 e:B c:A:1'), []);
  });

  it('is not lost behind a prompt, unless its message continues behind the prompt', () => {
    assert.deepEqual(lostBefore('p c:A:1 p o:1'), []);
    assert.deepEqual(lostBefore('p c:A:1 p c:A:2 o:1 o:2'), ['o:1']);
    assert.deepEqual(lostBefore('p c:A:1 o:1 p c:A:2 o:2'), []);
  });

  it('is not lost before its call in a turn, unless the message of the call is in several places', () => {
    assert.deepEqual(lostBefore('p r:B o:1 c:A:1'), []);
    assert.deepEqual(lostBefore('p o:1 c:A:1 c:A:2 o:2 r:A'), []);
    assert.deepEqual(lostBefore('p o:1 r:B p c:A:1'), ['o:1']);
    assert.deepEqual(lostBefore('p o:1 c:A:1 p r:A'), ['o:1']);
    assert.deepEqual(lostBefore('p o:1 c:A:1 r:B r:A'), ['o:1']);
  });

  it('belongs to the first call with its id', () => {
    assert.deepEqual(lostBefore('p c:A:1 o:1 c:B:1 o:1'), ['o:1']);
    assert.deepEqual(lostBefore('p c:A:1 c:B:1 o:1'), ['o:1']);
  });

  it('is lost if its message begins with thinking before another message', () => {
    assert.deepEqual(lostBefore('p t:A r:B c:A:1 o:1'), ['o:1']);
    assert.deepEqual(lostBefore('p t:A t:B c:A:1 o:1'), []);
  });

  it('is not lost before its call if a note is among the rows of its message', () => {
    assert.deepEqual(lostBefore('p c:A:2 h o:1 c:A:1'), ['c:A:2']);
    assert.deepEqual(lostBefore('p c:A:2 o:1 c:A:1'), ['c:A:2', 'o:1']);
  });

  it('is not lost if only a companion is between it and its message, or within the message', () => {
    assert.deepEqual(lostBefore('p c:A:1 k:1 c:A:2 o:1 o:2'), []);
    assert.deepEqual(lostBefore('p c:A:1 k:1 o:1'), []);
    assert.deepEqual(lostBefore('p o:1 k:1 c:A:1'), []);
    assert.deepEqual(lostBefore('p o:1 m c:A:1'), ['o:1']);
  });

  it('is lost if the output of a command is within its message, or between it and a later call', () => {
    assert.deepEqual(lostBefore('p c:A:1 l c:A:2 o:1 o:2'), ['o:1']);
    assert.deepEqual(lostBefore('p o:1 l c:A:1'), ['o:1']);
    assert.deepEqual(lostBefore('p c:A:1 l o:1'), []);
  });
});

describe('A call without a result at the end', () => {
  it('stays if it is in the last message, whatever follows that the client does not send', () => {
    for (const end of ['', 't:B', 'b:B', 's b:B', 'b:B h', 'b:B r:A']) {
      assert.deepEqual(lostOf(`p c:A:1 ${end}`.trim()), [], end);
    }
    assert.deepEqual(lostOf('p r:A c:A:1 b:B'), []);
    assert.deepEqual(lostOf('p c:A:1 o:1 c:B:2 b:C'), []);
  });

  it('is lost before another message, an error of the API, a meta row and a prompt', () => {
    for (const end of ['r:B', 'e:B', 'y', 'h y', 'y y', 'm b:B', 'b:B m', 'p r:B']) {
      assert.deepEqual(lostOf(`p c:A:1 ${end}`), ['c:A:1'], end);
    }
    assert.deepEqual(lostOf('p y c:A:1'), []);
  });

  it('stays with all others of its turn if the turn ends on a result or on an attachment', () => {
    assert.deepEqual(lostOf('p c:A:1 c:B:2'), ['c:A:1']);
    assert.deepEqual(lostOf('p c:A:1 c:B:2 h'), []);
    assert.deepEqual(lostOf('p c:A:1 h c:B:2'), []);
    assert.deepEqual(lostOf('p c:A:1 c:B:2 c:C:3 o:3'), []);
    assert.deepEqual(lostOf('p c:A:1 c:B:2 c:C:3 o:3 y'), ['c:A:1', 'c:B:2']);
  });

  it('stays before companions, which do not end a turn, but not if a reply is behind them', () => {
    assert.deepEqual(lostOf('p c:A:1 k:1'), []);
    assert.deepEqual(lostOf('p c:A:1 c:A:2 o:1 k:1'), []);
    assert.deepEqual(lostOf('p c:A:1 k:1 c:B:2 k:2'), ['c:A:1']);
  });

  it('is lost before companions for clients before 2.1.281', () => {
    assert.deepEqual(lostOf('p c:A:1 c:A:2 o:1 k:1', '2.1.280'), ['c:A:2']);
    assert.deepEqual(lostOf('p c:A:1 c:A:2 o:1 k:1', '2.1.281'), []);
  });

  it('is lost in a message that continues after the last one', () => {
    assert.deepEqual(lostOf('p c:A:1 c:B:2 c:A:3'), ['c:A:1', 'c:A:3']);
    assert.deepEqual(lostOf('p c:A:1 c:B:2 p c:A:3'), ['c:A:1', 'c:B:2']);
  });
});

describe('Parallel calls', () => {
  it('find a result by the id of its call before they find it below a later message', () => {
    const talk = (parent: string): readonly string[] => {
      const start = [prompt('p', null), call('c', 'p', 't'), reply('r', 'c'), result('o', parent, 't')];
      return resumeOf([...start, prompt('q', 'r'), reply('e', 'q')]).loaded;
    };
    assert.deepEqual(talk('r'), ['p', 'c', 'r', 'o', 'q', 'e']);
    assert.deepEqual(talk('c'), talk('r'));
  });

  /** One message of two calls; the walk from `e` passes c2 and its result, and c1. */
  const rows = [
    prompt('p', null),
    call('c1', 'p', 't1', { message: 'm' }),
    call('c2', 'c1', 't2', { message: 'm' }),
    result('o1', 'c1', 't1'),
    result('o2', 'c2', 't2'),
    reply('e', 'o2'),
  ];

  it('include the results that are siblings of the chain', () => {
    assert.deepEqual(resumeOf(rows).loaded, ['p', 'c1', 'c2', 'o1', 'o2', 'e']);
  });

  it('include the other rows of a message in the chain', () => {
    const beside = [
      rows[0] ?? {},
      call('c2', 'p', 't2', { message: 'm' }),
      ...rows.filter((row) => row['uuid'] === uuidOf('c1')),
      result('o2', 'c2', 't2'),
      result('o1', 'c1', 't1'),
      reply('e', 'o2'),
      lastPrompt('e'),
    ];
    assert.deepEqual([...resumeOf(beside).loaded].sort(), ['c1', 'c2', 'e', 'o1', 'o2', 'p']);
  });

  it('find their results by the id of the call, whatever the parents of the results are', () => {
    const odd = rows.map((row) => (row['uuid'] === uuidOf('o1') ? result('o1', 'lost', 't1') : row));
    assert.ok(resumeOf(odd).loaded.includes('o1'));
  });

  it('find no result by the id of a call whose row has no message id', () => {
    const message = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }] };
    const talk = (parent: string): readonly string[] => {
      const nameless = chainRow('assistant', 'c', 'p', { message });
      const rows = [prompt('p', null), nameless, reply('r', 'c'), result('o', parent, 't1'), prompt('q', 'r')];
      return resumeOf([...rows, reply('e', 'q')]).loaded;
    };
    assert.deepEqual(talk('c'), ['p', 'r', 'q', 'e']);
    // There it hangs from a message that the client looks at, so its call is sent, but it is behind that message.
    assert.deepEqual(talk('r'), ['p', 'c', 'r', 'q', 'e']);
  });

  it('leave a subagent’s result in place, unless the call itself is its parent', () => {
    const leaf = lastPrompt('e');
    const withSide = (parent: string): readonly string[] => {
      const main = [prompt('p', null), call('c1', 'p', 't1'), reply('e', 'c1'), leaf];
      const side = result('side', parent, 't1', { isSidechain: true });
      return resumeOf([...main.slice(0, 2), side, ...main.slice(2)]).loaded;
    };
    // A subagent's row is not counted, but its result answers the call.
    assert.ok(withSide('c1').includes('c1'));
    assert.ok(!withSide('p').includes('c1'));
  });
});

describe('Calls without results, and results without calls', () => {
  it('do not reach the request', () => {
    const rows = [prompt('p', null), call('c', 'p', 't1'), result('o', 'c', 't2'), reply('e', 'o')];
    assert.deepEqual(resumeOf(rows).loaded, ['p', 'e']);
  });

  it('stay if their row contains text as well', () => {
    const content = [
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_use', id: 't1', name: 'Bash', input: {} },
    ];
    const rows = [prompt('p', null), assistant('c', 'p', content), prompt('q', 'c'), reply('e', 'q')];
    assert.deepEqual(resumeOf(rows).loaded, ['p', 'q', 'e']);
  });

  it('stay at the end of the history, where the session was interrupted', () => {
    assert.deepEqual(resumeOf([prompt('p', null), call('c', 'p', 't1')]).loaded, ['p', 'c']);
    const partly = [
      prompt('p', null),
      call('c1', 'p', 't1', { message: 'm' }),
      call('c2', 'c1', 't2', { message: 'm' }),
      result('o2', 'c2', 't2'),
    ];
    assert.deepEqual(resumeOf(partly).loaded, ['p', 'c1', 'c2', 'o2']);
  });

  it('stay if at least one call of the row has its result', () => {
    const content = ['t1', 't2'].map((id) => ({ type: 'tool_use', id, name: 'Bash', input: {} }));
    const rows = [prompt('p', null), assistant('c', 'p', content), result('o', 'c', 't2'), reply('e', 'o')];
    assert.deepEqual(resumeOf(rows).loaded, ['p', 'c', 'o', 'e']);
  });
});

describe('Server-side tool calls', () => {
  const search = (name: string, parent: string, message: string): RowFields =>
    assistant(name, parent, [{ type: 'server_tool_use', id: 'srv', name: 'web_search', input: {} }], {}, message);
  const found = (name: string, parent: string, message: string): RowFields =>
    assistant(name, parent, [{ type: 'web_search_tool_result', tool_use_id: 'srv', content: [] }], {}, message);

  it('reach the request with their result', () => {
    const rows = [prompt('p', null), search('s', 'p', 'm'), found('f', 's', 'm'), prompt('q', 'f'), reply('e', 'q')];
    assert.deepEqual(resumeOf(rows).loaded, ['p', 's', 'f', 'q', 'e']);
  });

  it('do not reach it without a result in the same message, even at the end', () => {
    const aborted = [
      prompt('p', null),
      search('s', 'p', 'm'),
      assistant('t', 's', [{ type: 'text', text: 'x' }], {}, 'm'),
    ];
    assert.deepEqual(resumeOf(aborted).loaded, ['p', 't']);
    assert.deepEqual(resumeOf(aborted.slice(0, 2)).loaded, ['p']);
    const elsewhere = [prompt('p', null), search('s', 'p', 'm'), found('f', 's', 'n'), prompt('q', 'f')];
    assert.deepEqual(resumeOf(elsewhere).loaded, ['p', 'f', 'q']);
  });

  it('do not reach it if a row of the user is between them and their result, which ends their message', () => {
    const between = (row: RowFields): readonly string[] =>
      resumeOf([prompt('p', null), search('s', 'p', 'm'), row, found('f', 'b', 'm')]).loaded;
    assert.deepEqual(between(prompt('b', 's', { isMeta: true })), ['p', 'f']);
    assert.deepEqual(between(chainRow('system', 'b', 's', { subtype: 'local_command' })), ['p', 'f']);
    assert.deepEqual(between(prompt('b', 's', { isMeta: true, sourceToolUseID: 't' })), ['p', 's', 'f']);
    assert.deepEqual(between(chainRow('system', 'b', 's', { subtype: 'turn_duration' })), ['p', 's', 'f']);
  });

  it('separate a call from its result even if they do not reach it', () => {
    const rows = [
      prompt('p', null),
      call('c', 'p', 't1'),
      search('s', 'c', 'm'),
      result('o', 's', 't1'),
      reply('r', 'o'),
    ];
    assert.deepEqual(resumeOf(rows).loaded, ['p', 'c', 'r']);
  });
});

describe('Redacted thinking', () => {
  const HAIKU = 'claude-haiku-4-5-20251001';
  const by = (model: string, name: string, parent: string, content: object, message = 'm'): RowFields => {
    const row = assistant(name, parent, [content], {}, message);
    return { ...row, message: { ...(row['message'] as object), model } };
  };
  const hidden = (name: string, parent: string, model = HAIKU): RowFields =>
    by(model, name, parent, { type: 'redacted_thinking', data: 'x' });
  const text = (name: string, parent: string, words = 'x', model = HAIKU): RowFields =>
    by(model, name, parent, { type: 'text', text: words });
  const use = (name: string, parent: string): RowFields =>
    by(HAIKU, name, parent, { type: 'tool_use', id: 't1', name: 'Bash', input: {} });
  const after = (parent: string, model = HAIKU): RowFields[] => [
    prompt('q', parent),
    by(model, 'e', 'q', { type: 'text', text: 'x' }, 'n'),
  ];
  const talkOf = (model: string, last: string): RowFields[] => [
    prompt('p', null),
    hidden('h', 'p', model),
    text('t', 'h', 'x', model),
    ...after('t', last),
  ];
  const loadedBy = (model: string, last: string): readonly string[] => resumeOf(talkOf(model, last)).loaded;

  it('reaches the request with more of its message', () => {
    assert.deepEqual(loadedBy(HAIKU, HAIKU), ['p', 'h', 't', 'q', 'e']);
    assert.deepEqual(resumeOf([prompt('p', null), hidden('h', 'p'), use('c', 'h')]).loaded, ['p', 'h', 'c']);
  });

  it('does not reach it alone, or beside nothing that is sent', () => {
    assert.deepEqual(resumeOf([prompt('p', null), hidden('h', 'p'), ...after('h')]).loaded, ['p', 'q', 'e']);
    assert.deepEqual(resumeOf([prompt('p', null), hidden('h', 'p')]).loaded, ['p']);
    const blank = [prompt('p', null), hidden('h', 'p'), text('t', 'h', ' '), ...after('t')];
    assert.deepEqual(resumeOf(blank).loaded, ['p', 'q', 'e']);
    const open = [prompt('p', null), hidden('h', 'p'), use('c', 'h'), ...after('c')];
    assert.deepEqual(resumeOf(open).loaded, ['p', 'q', 'e']);
  });

  it('separates a call from its result if its message has more', () => {
    const rows = [prompt('p', null), use('c', 'p'), prompt('b', 'c'), hidden('h', 'b'), result('o', 'h', 't1')];
    assert.deepEqual(resumeOf(rows).loaded, ['p', 'c', 'b', 'h']);
  });

  it('reaches only the model that wrote it, under any of its names', () => {
    const others = ['p', 't', 'q', 'e'];
    assert.deepEqual(loadedBy(HAIKU, 'claude-opus-4-5-20251101'), others);
    assert.deepEqual(loadedBy('claude-opus-4-5-20251101', HAIKU), others);
    assert.deepEqual(loadedBy('claude-haiku-4-5', `${HAIKU}[1m]`), ['p', 'h', 't', 'q', 'e']);
    const hosted = ['us.anthropic.claude-opus-4-6-v1:0', 'claude-opus-4-6@20260101', 'openrouter/Claude-Opus-4-6'];
    for (const name of hosted) assert.deepEqual(loadedBy(name, 'claude-opus-4-6'), ['p', 'h', 't', 'q', 'e'], name);
    assert.deepEqual(loadedBy('eu.anthropic.claude-opus-5-v1:0', 'claude-opus-5-5'), others);
    // The client continues with its default instead of these.
    assert.deepEqual(loadedBy('claude-test', 'claude-test'), others);
    assert.deepEqual(loadedBy('claude-opus-4-1-20250805', 'claude-opus-4-1-20250805'), others);
  });

  it('does not reach a model that has retired', () => {
    const talk = talkOf('claude-sonnet-4-5-20250929', 'claude-sonnet-4-5-20250929');
    const loadedAt = (version: string, ...day: [number, number, number]): readonly string[] =>
      resumeOf(talk, version, new Date(...day).getTime() + 1).loaded;
    assert.deepEqual(loadedAt('2.1.330', 2026, 10, 29), ['p', 'h', 't', 'q', 'e']);
    assert.deepEqual(loadedAt('2.1.330', 2026, 10, 30), ['p', 't', 'q', 'e']);
    assert.deepEqual(loadedAt('2.1.328', 2026, 10, 30), ['p', 'h', 't', 'q', 'e']);
  });

  it('follows the newest reply of the history, not of another branch, a subagent or an API error', () => {
    const rows = [prompt('p', null), hidden('h', 'p'), text('t', 'h'), ...after('t')];
    const opus = (name: string, fields: RowFields): RowFields => ({
      ...by('claude-opus-5', name, 'q', { type: 'text', text: 'x' }, 'o'),
      ...fields,
    });
    const error = by('<synthetic>', 'x', 'e', { type: 'text', text: 'x' }, 'o');
    for (const last of [
      [opus('x', {}), lastPrompt('e', { explicit: true })],
      [opus('x', { isSidechain: true })],
      [{ ...error, isApiErrorMessage: true }],
    ]) {
      assert.ok(resumeOf([...rows, ...last]).loaded.includes('h'));
    }
    const virtual = { ...opus('x', { isVirtual: true }), parentUuid: uuidOf('e') };
    assert.ok(!resumeOf([...rows, virtual]).loaded.includes('h'));
  });
});

describe('Virtual rows', () => {
  const virtual = { isVirtual: true };

  it('do not reach the request, and do not affect the rows around them', () => {
    const rows = [prompt('p', null), reply('r', 'p', virtual), prompt('v', 'r', virtual), reply('e', 'v')];
    assert.deepEqual(resumeOf(rows).loaded, ['p', 'e']);
  });

  it('are only those whose flag is true', () => {
    const rows = [prompt('p', null, { isVirtual: 'yes' }), reply('r', 'p', { isVirtual: 1 })];
    assert.deepEqual(resumeOf(rows).loaded, ['p', 'r']);
  });

  it('remove the result of their call, but not the call of their result', () => {
    const after = [reply('r', 'o'), prompt('q', 'r')];
    const ofCall = [prompt('p', null), call('c', 'p', 't1', virtual), result('o', 'c', 't1'), ...after];
    assert.deepEqual(resumeOf(ofCall).loaded, ['p', 'r', 'q']);
    const ofResult = [prompt('p', null), call('c', 'p', 't1'), result('o', 'c', 't1', virtual), ...after];
    assert.deepEqual(resumeOf(ofResult).loaded, ['p', 'c', 'r', 'q']);
  });
});

describe('Rows that never reach the request', () => {
  const withError = (isApiErrorMessage: unknown, model: string): NamedResume => {
    const message = { id: 'm', role: 'assistant', model, content: [{ type: 'text', text: 'API Error: 500' }] };
    const error = reply('x', 'p', { isApiErrorMessage, message });
    return resumeOf([prompt('p', null), error, prompt('q', 'x'), reply('e', 'q')]);
  };

  it('are API errors', () => {
    const { loaded, of } = withError(true, '<synthetic>');
    assert.deepEqual([loaded, of], [['p', 'q', 'e'], 4]);
  });

  it('are no API errors unless the client wrote them itself and says so', () => {
    const flags = [true, true, true, 'yes', 1, undefined];
    const models = ['claude-test', '<synthetiC>', '<synthetic>x', '<synthetic>', '<synthetic>', '<synthetic>'];
    for (const [at, model] of models.entries()) assert.deepEqual(withError(flags[at], model).loaded.length, 4, model);
    const rows = [prompt('p', null), prompt('u', 'p', { isApiErrorMessage: true }), reply('e', 'u')];
    assert.deepEqual(resumeOf(rows).loaded, ['p', 'u', 'e']);
  });

  it('are not counted if they are meta rows, thinking, or a subagent’s', () => {
    const rows = [
      prompt('p', null),
      prompt('m', 'p', { isMeta: true }),
      assistant('t', 'm', [{ type: 'thinking', thinking: 'hm' }]),
      prompt('s', 't', { isSidechain: true }),
      reply('e', 't'),
      lastPrompt('e'),
    ];
    const { loaded, of } = resumeOf(rows);
    assert.deepEqual([loaded, of], [['p', 'e'], 2]);
  });
});

describe('A compaction', () => {
  const before = [prompt('a', null), reply('b', 'a'), prompt('c', 'b'), reply('d', 'c')];
  const summary = (parent: string): RowFields => prompt('s', parent, { isCompactSummary: true });
  const compacted = (metadata: unknown, ...after: RowFields[]): readonly string[] =>
    resumeOf([...before, boundary('x', null, metadata), summary('x'), ...after]).loaded;

  it('ends the history at its boundary', () => {
    assert.deepEqual(compacted({}, reply('e', 's')), ['s', 'e']);
  });

  it('ends the history there even if the boundary names a parent', () => {
    assert.deepEqual(resumeOf([...before, boundary('x', 'd'), summary('x'), reply('e', 's')]).loaded, ['s', 'e']);
  });

  it('leaves nothing of a history that ends on a boundary below other rows', () => {
    assert.deepEqual(resumeOf([...before, boundary('x', 'd')]).loaded, []);
  });

  it('leaves nothing of a history that ends on a message with a boundary below it', () => {
    const hook = chainRow('attachment', 'h', 'd', { attachment: { type: 'hook_success' } });
    assert.deepEqual(resumeOf([...before, boundary('x', 'd'), summary('x'), hook]).loaded, []);
    const rewind = lastPrompt('d', { explicit: true });
    assert.deepEqual(resumeOf([...before, boundary('x', 'd'), summary('x'), rewind]).loaded, []);
    assert.deepEqual(resumeOf([...before, boundary('x', null), summary('x'), rewind]).loaded, ['a', 'b', 'c', 'd']);
  });

  it('adds no row beside the chain from before a boundary that names a parent', () => {
    const parts = [call('c1', 'a', 't1', { message: 'm' }), result('o1', 'c1', 't1')];
    const later = [call('c2', 's', 't2', { message: 'm' }), result('o2', 'c2', 't2')];
    const rows = [prompt('a', null), ...parts, boundary('x', 'o1'), summary('x'), ...later];
    assert.deepEqual(resumeOf(rows).loaded, ['s', 'c2', 'o2']);
  });

  it('ends the history at the last boundary if there are two', () => {
    const rows = [...before, boundary('x', null), summary('x'), boundary('y', null), prompt('t', 'y')];
    assert.deepEqual(resumeOf(rows).loaded, ['t']);
  });

  it('keeps the rows that it names, after the anchor', () => {
    const list = { anchorUuid: uuidOf('s'), uuids: [uuidOf('c'), uuidOf('d')] };
    assert.deepEqual(compacted({ preservedMessages: list }, reply('e', 's')), ['c', 'd', 's', 'e']);
  });

  it('keeps the chain from the tail to the head of a segment', () => {
    const segment = { anchorUuid: uuidOf('s'), headUuid: uuidOf('b'), tailUuid: uuidOf('d') };
    assert.deepEqual(compacted({ preservedSegment: segment }, reply('e', 's')), ['b', 'c', 'd', 's', 'e']);
  });

  it('uses the list even if it has a segment as well', () => {
    const list = { anchorUuid: uuidOf('s'), uuids: [uuidOf('d')] };
    const segment = { anchorUuid: uuidOf('s'), headUuid: uuidOf('b'), tailUuid: uuidOf('d') };
    const both = { preservedMessages: list, preservedSegment: segment };
    assert.deepEqual(compacted(both, reply('e', 's')), ['d', 's', 'e']);
  });

  it('drops and keeps nothing if it names a row that is not in the file', () => {
    const list = { anchorUuid: uuidOf('s'), uuids: [uuidOf('c'), uuidOf('lost')] };
    const rows = [...before, boundary('x', null, { preservedMessages: list }), summary('x'), reply('e', 's')];
    const { loaded, resume } = resumeOf(rows);
    assert.deepEqual(loaded, ['s', 'e']);
    assert.ok(before.every((_, row) => resume.graph.isHeld(row)));
  });

  it('drops earlier rows that it does not name', () => {
    const list = { anchorUuid: uuidOf('s'), uuids: [uuidOf('d')] };
    const rows = [...before, boundary('x', null, { preservedMessages: list }), summary('x'), reply('e', 's')];
    const { graph } = resumeOf(rows).resume;
    assert.deepEqual(
      before.map((_, row) => graph.isHeld(row)),
      [false, false, false, true],
    );
  });

  it('links a message whose parent precedes the boundary to the last kept row', () => {
    const list = { anchorUuid: uuidOf('s'), uuids: [uuidOf('c')] };
    assert.deepEqual(compacted({ preservedMessages: list }, reply('e', 'b')), ['c', 's', 'e']);
  });

  it('keeps nothing if its list of kept rows is damaged', () => {
    assert.deepEqual(compacted('not an object', reply('e', 's')), ['s', 'e']);
    assert.deepEqual(compacted({ preservedMessages: { uuids: 'x' } }, reply('e', 's')), ['s', 'e']);
  });
});
