import assert from 'node:assert/strict';
import { summaryOf } from '../../rooms/conversation';
import type { JsonObject } from '../../rooms/util';
import { assistant, blocksOf, describeJson, user } from './describing';

describe('A row of a conversation', () => {
  it('is described with its role, time and model', () => {
    const item = describeJson({
      ...assistant('hello'),
      uuid: 'u',
      timestamp: '2026-01-01T00:00:00.000Z',
      isSidechain: true,
    });
    assert.deepEqual(
      { ...item },
      {
        kind: 'row',
        line: 7,
        uuid: 'u',
        role: 'assistant',
        timeMs: Date.UTC(2026, 0, 1),
        isLoaded: null,
        isSidechain: true,
        continues: false,
        model: 'claude-test',
        blocks: [{ kind: 'text', path: 'message.content', body: { text: 'hello', more: 0 } }],
        branches: [],
      },
    );
  });

  it('separates what a person typed from what the client wrote in their name', () => {
    const kinds = (text: string, fields: JsonObject = {}): string => {
      const [block] = blocksOf(user(text, fields));
      return block?.kind === 'note' ? `note ${block.title}` : (block?.kind ?? '');
    };
    assert.equal(kinds('hello'), 'text');
    assert.equal(kinds('[Request interrupted by user]'), 'interruption');
    assert.equal(kinds('<local-command-stdout>x</local-command-stdout>'), 'note Command output');
    assert.equal(kinds('<system-reminder>x</system-reminder>'), 'note Note to Claude');
    assert.equal(
      kinds('<task-notification><summary>Agent done</summary></task-notification>'),
      'note Task notification: Agent done',
    );
    assert.equal(kinds('anything', { isMeta: true }), 'note Note to Claude');
    assert.equal(kinds('anything', { isCompactSummary: true }), 'summary');
    assert.equal(kinds('<b>hello</b>'), 'text');
  });

  it('shows a command as it was typed', () => {
    const text =
      '<command-name>/rename</command-name>\n <command-message>rename</command-message><command-args>my title</command-args>';
    assert.deepEqual(blocksOf(user(text)), [
      { kind: 'text', path: 'message.content', body: { text: '/rename my title', more: 0 } },
    ]);
  });

  it('is a prompt if a person continued after an interruption notice', () => {
    const text = '[Request interrupted by user] go on with the other file please';
    assert.deepEqual(blocksOf(user(text)), [{ kind: 'text', path: 'message.content', body: { text, more: 0 } }]);
    assert.deepEqual(blocksOf(user('[Request interrupted by user]\n')), [{ kind: 'interruption', duringTool: false }]);
  });

  it('shows an editor’s context before a prompt as a notice, and the rest as the prompt', () => {
    const opened = '<ide_opened_file>The user opened the file /a.ts in the IDE.</ide_opened_file>';
    const selected = '<ide_selection>The user selected lines 1 to 3 from /a.ts:\nfoo\n</ide_selection>';
    const said = (content: unknown): string[] =>
      blocksOf(user(content)).map((block) =>
        block.kind === 'note'
          ? `${block.title}: ${block.body?.text ?? ''}`
          : block.kind === 'text'
            ? block.body.text
            : '',
      );
    const quiet = [`Open in the editor: ${opened}`, `Selected in the editor: ${selected}`];
    assert.deepEqual(said(`${opened}\n${selected}\n\nwhat does this do?`), [...quiet, 'what does this do?']);
    assert.deepEqual(said([opened, selected, 'explain it'].map((text) => ({ type: 'text', text }))), [
      ...quiet,
      'explain it',
    ]);
    assert.deepEqual(said(opened), quiet.slice(0, 1));
    assert.deepEqual(said('<ide_selection> is a tag'), ['<ide_selection> is a tag']);
    assert.equal(summaryOf(user(`${opened}\nexplain it`)), 'explain it');
  });

  it('distinguishes an interruption during a tool call from others', () => {
    assert.deepEqual(blocksOf(user([{ type: 'text', text: '[Request interrupted by user for tool use]' }])), [
      { kind: 'interruption', duringTool: true },
    ]);
  });

  it('shows thinking, redacted or not', () => {
    const blocks = blocksOf(
      assistant([
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'redacted_thinking', data: 'x' },
      ]),
    );
    assert.deepEqual(
      blocks.map((block) => block.kind === 'thinking' && [block.body.text, block.isRedacted]),
      [
        ['hm', false],
        ['', true],
      ],
    );
  });

  it('shows an API error', () => {
    assert.equal(
      blocksOf(assistant([{ type: 'text', text: 'API Error: 500' }], { isApiErrorMessage: true }))[0]?.kind,
      'error',
    );
  });

  it('shows a compaction', () => {
    const row = { type: 'system', subtype: 'compact_boundary', compactMetadata: { trigger: 'auto', preTokens: 1234 } };
    assert.deepEqual(blocksOf(row, { earlierRows: 5 }), [
      { kind: 'compaction', trigger: 'auto', tokensBefore: 1234, earlierRows: 5 },
    ]);
  });

  it('shows an image without its bytes', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
    assert.deepEqual(blocksOf(user([{ type: 'image', source }])), [
      { kind: 'image', path: 'message.content.0.source', mediaType: 'image/png', bytes: 3 },
    ]);
  });

  it('does not accept a script as an image', () => {
    const source = { type: 'base64', media_type: 'image/svg+xml', data: 'AAAA' };
    assert.equal(blocksOf(user([{ type: 'image', source }]))[0]?.kind, 'raw');
  });

  it('shows unknown blocks and rows unchanged', () => {
    const [block] = blocksOf(assistant([{ type: 'of_tomorrow', value: 1 }]));
    assert.ok(block?.kind === 'raw');
    assert.equal(block.title, 'of_tomorrow');
    assert.match(block.body.text, /"value": 1/);
    const unknown = describeJson({ type: 'of-tomorrow' });
    assert.equal(unknown.role, 'unknown');
    assert.equal(unknown.blocks[0]?.kind, 'raw');
    assert.equal(blocksOf({ type: 'custom-title', customTitle: 'x' })[0]?.kind, 'note');
  });

  it('shows a queued prompt as a prompt', () => {
    const row = { type: 'attachment', attachment: { type: 'queued_command', prompt: 'and then?' } };
    assert.deepEqual(blocksOf(row), [
      { kind: 'text', path: 'attachment.prompt', body: { text: 'and then?', more: 0 } },
    ]);
  });
});
