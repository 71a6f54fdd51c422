import assert from 'node:assert/strict';
import { searchTexts } from '../../../src/extension/search/searchTexts';
import { type SearchViewCalls, searchViewChannel, searchViewSchemas } from '../../../src/protocol/channels/searchView';
import { RpcServer } from '../../../src/protocol/rpcServer';
import { t } from './fakes';
import { textsOfWebview } from './textsOfWebview';

describe('The texts of the Search view', () => {
  const { texts, others } = textsOfWebview((path) => path.startsWith('search'));

  it('are plain strings in its sources, so that they can be listed', () => {
    assert.deepEqual(others, []);
  });

  it('are all translated by the extension, and no others are', () => {
    assert.deepEqual(Object.keys(searchTexts(t)).sort(), [...texts].sort());
  });

  it('are keyed by their English text', () => {
    for (const [english, reported] of Object.entries(searchTexts((message) => message)))
      assert.equal(reported, english);
  });
});

describe('The calls that the Search view may make', () => {
  const asked: unknown[] = [];
  const note = (...args: readonly unknown[]): void => void asked.push(args);
  const host: SearchViewCalls = {
    ready: () => Promise.reject(new Error('not asked for')),
    search: note,
    navigated: note,
    open: note,
    focused: note,
    resized: note,
  };
  const server = new RpcServer();
  server.serve(searchViewChannel, host, searchViewSchemas.calls);
  const call = (name: string, ...args: readonly unknown[]): unknown => server.handler(`searchView.${name}`)?.(...args);
  const form = {
    ...{ text: 'rain', isRegExp: false, isCaseSensitive: true },
    ...{ author: 'tools', tool: 'Bash', date: 'week', place: { kind: 'project', folder: '/c/p' }, branch: '' },
  };

  it('are its own with arguments of the right types', () => {
    call('search', form);
    call('open', { filePath: '/c/p/1.jsonl', line: 3 }, 'keep');
    assert.deepEqual(asked, [[form], [{ filePath: '/c/p/1.jsonl', line: 3 }, 'keep']]);
  });

  it('are refused otherwise, without repeating the input', () => {
    const before = asked.length;
    for (const [name, ...args] of [
      ['search', { ...form, author: 'secret' }],
      ['search', { ...form, text: 'secret'.repeat(10_000) }],
      ['search', { ...form, place: { kind: 'project', folder: 7 } }],
      ['search', { ...form, date: 0 }],
      ['open', { filePath: '/c/p/1.jsonl', line: 0 }, 'keep'],
      ['open', { filePath: '', line: 1 }, 'keep'],
      ['open', { filePath: '/secret', line: 1 }, 'secret'],
      ['navigated', { hasFilters: false, folded: [], scrollTop: Infinity }],
      ['navigated', { hasFilters: false, folded: Array(5000).fill('secret'), scrollTop: 0 }],
      ['focused', 'secret'],
    ] as const) {
      assert.throws(() => call(name, ...args), /^Error: Refused: (?!.*secret)/, name);
    }
    assert.equal(asked.length, before);
  });
});
