import assert from 'node:assert/strict';
import { conversationTexts } from '../../../src/extension/conversation/conversationTexts';
import { rewindTexts } from '../../../src/extension/history/rewindTexts';
import { type RewindViewCalls, rewindViewChannel, rewindViewSchemas } from '../../../src/protocol/channels/rewindView';
import { RpcServer } from '../../../src/protocol/rpcServer';
import { t } from './fakes';
import { textsOfWebview } from './textsOfWebview';

describe('The texts of the page of a rewind', () => {
  const { texts, others } = textsOfWebview((path) => path.startsWith('rewind'));

  it('are plain strings in its sources, so that they can be listed', () => {
    assert.deepEqual(others, []);
  });

  it('are all translated by the extension, and no others are', () => {
    assert.deepEqual(Object.keys(rewindTexts(t)).sort(), [...texts].sort());
  });

  it('are keyed by their English text', () => {
    for (const [english, reported] of Object.entries(rewindTexts((message) => message)))
      assert.equal(reported, english);
  });

  it('come with those of the blocks, of which it shows diffs', () => {
    const known = new Set(Object.keys(conversationTexts(t)));
    for (const text of textsOfWebview((path) => path.startsWith('blocks')).texts) assert.ok(known.has(text), text);
  });
});

describe('The calls that the page of a rewind may make', () => {
  const asked: unknown[] = [];
  const note = (...args: readonly unknown[]): void => void asked.push(args);
  const answer = (...args: readonly unknown[]): Promise<void> => Promise.resolve(void asked.push(args));
  const host: RewindViewCalls = {
    ready: () => Promise.reject(new Error('not asked for')),
    navigated: note,
    choosePrompt: note,
    lookAgain: note,
    allowFolder: note,
    chooseFolder: answer,
    compare: () => Promise.reject(new Error('not asked for')),
    rewind: (request) => answer(request),
    undo: (request) => answer(request),
    act: note,
  };
  const server = new RpcServer();
  server.serve(rewindViewChannel, host, rewindViewSchemas.calls);
  const call = (name: string, ...args: readonly unknown[]): unknown => server.handler(`rewindView.${name}`)?.(...args);

  it('are its own with arguments of the right types', () => {
    call('rewind', '1', { token: 'a', paths: ['/x'] });
    call('undo', '2', null);
    call('act', { kind: 'showMessage', line: 7 });
    assert.deepEqual(asked, [[{ token: 'a', paths: ['/x'] }], [null], [{ kind: 'showMessage', line: 7 }]]);
  });

  it('are refused otherwise, without repeating the input', () => {
    const before = asked.length;
    for (const [name, ...args] of [
      ['rewind', '1', { token: 'a', paths: 'secret' }],
      ['rewind', '1', { token: 'a', paths: [''] }],
      ['rewind', '1', null],
      ['undo', '1', { paths: [] }],
      ['act', { kind: 'showMessage', line: 0 }],
      ['act', { kind: 'run', path: 'secret' }],
      ['allowFolder', ''],
      ['navigated', { about: 'a', token: 'a', checked: [1], unchecked: [], shownPath: null }],
    ] as const) {
      assert.throws(() => call(name, ...args), /^Error: Refused: (?!.*secret)/, name);
    }
    assert.equal(asked.length, before);
  });
});
