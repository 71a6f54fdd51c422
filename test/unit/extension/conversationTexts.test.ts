import assert from 'node:assert/strict';
import { conversationTexts } from '../../../src/extension/conversation/conversationTexts';
import {
  exportFileName,
  formatOf,
  redactionReport,
  redactionText,
  titleWithoutSecrets,
  WITHOUT_SECRETS,
} from '../../../src/extension/conversation/exportText';
import { messageHtml, panelHtml } from '../../../src/extension/webviews/page';
import { withoutLinks } from '../../../src/extension/text/formats';
import { formats, t } from './fakes';
import { textsOfWebview } from './textsOfWebview';

describe('The texts of the conversation panel', () => {
  const { texts, others } = textsOfWebview((path) => !/^(rewind|search|tokens)\b/.test(path), ['protocol/memory.ts']);

  it('are plain strings in its sources, so that they can be listed', () => {
    assert.deepEqual(others, []);
  });

  it('are all translated by the extension, and no others are', () => {
    assert.deepEqual(Object.keys(conversationTexts(t)).sort(), [...texts].sort());
  });

  it('are keyed by their English text', () => {
    for (const [english, reported] of Object.entries(conversationTexts((message) => message)))
      assert.equal(reported, english);
  });
});

describe('The page of a conversation panel', () => {
  const page = panelHtml({
    nonce: 'abc',
    source: 'https://source',
    script: 'https://source/conversation.js?a&b',
    stylesheet: 'https://source/conversation.css',
    language: 'de',
    title: '</title><script>alert(1)</script>"',
  });

  it('may load only its bundle, its stylesheet and embedded images', () => {
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1]?.replaceAll('&#39;', "'");
    assert.equal(
      policy,
      "default-src 'none'; script-src 'nonce-abc'; style-src https://source; img-src data:; font-src https://source; base-uri 'none'; form-action 'none'",
    );
  });

  it('contains one script, the bundle, and no inline style', () => {
    const scripts = [...page.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag);
    assert.deepEqual(scripts, ['<script nonce="abc" src="https://source/conversation.js?a&#38;b">']);
    assert.doesNotMatch(page, /<style|style=|\son\w+=/);
    assert.match(page, /<html lang="de">/);
  });

  it('shows a sentence where there is no conversation, and runs no script', () => {
    const said = messageHtml('<b>Gone</b>', 'en');
    assert.match(said, /default-src 'none'/);
    assert.match(said, /&#60;b&#62;Gone/);
    assert.doesNotMatch(said, /<script/);
  });
});

describe('A message of the window', () => {
  it('makes no link of what a transcript says, because a click on one may run any command', () => {
    const title = '[Fix](command:workbench.action.terminal.new) and [x](https://example.com "y")';
    // How VS Code finds links in a message.
    const link = /\[[^\]]+\]\((?:https?:\/\/|command:|file:)/i;
    assert.match(title, link);
    assert.doesNotMatch(withoutLinks(title), link);
    assert.equal(withoutLinks('Rain [mm] (of a day)'), 'Rain [mm] (of a day)');
  });
});

describe('An export', () => {
  it('is named after the session, as far as file systems permit', () => {
    assert.equal(exportFileName('Fix: a/b "c"…', 'markdown').name, 'Fix a b c.md');
    assert.equal(exportFileName('..\u0000', 'html').name, 'conversation.html');
    assert.equal(exportFileName('Überschrift 日本', 'json').name, 'Überschrift 日本.json');
  });

  it('without secrets has none in its file name', () => {
    const token = ['ghp', 'a1B2'.repeat(9)].join('_');
    const title = 'Deploy with [redacted: github-token] please';
    const clean = titleWithoutSecrets(`Deploy with ${token.slice(0, 30)}…`, { secrets: [], possible: null, title });
    assert.equal(exportFileName(clean, 'markdown').name, 'Deploy with [redacted github-token] please.md');
    assert.equal(
      titleWithoutSecrets('Session 0a1b2c3d', { secrets: [], possible: null, title: null }),
      'Session 0a1b2c3d',
    );
    assert.equal(titleWithoutSecrets('x', { secrets: [], possible: null, title: 'word '.repeat(40) }).length, 60);
  });

  it('is in the format that the extension of its file says, and otherwise Markdown', () => {
    const names = ['a.md', 'a.html', 'a.HTM', 'a.json', 'a.txt', 'json', 'a.constructor', ''];
    assert.deepEqual(names.map(formatOf), [
      'markdown',
      'html',
      'html',
      'json',
      'markdown',
      'markdown',
      'markdown',
      'markdown',
    ]);
  });

  it('says what it replaced, what it kept, and what else can be had', () => {
    const secrets = [{ kind: 'github-token', count: 2, sample: 'ghp_…' }];
    const possible = { kind: 'possible-secret', count: 3, sample: 'aB3d…' };
    const report = (preview: Parameters<typeof redactionReport>[0], isRedacted = true, isPossibleRedacted = false) => {
      const told = redactionReport(preview, { isRedacted, isPossibleRedacted }, formats, t);
      return [told.isWarning, ...told.sentences, ...told.others.map(({ label }) => label)];
    };
    const [found, left] = ['Secrets replaced: 2 × github-token (ghp_…)', '3 × possible-secret (aB3d…)'];
    assert.deepEqual(report({ secrets: [], possible: null, title: null }), [false]);
    assert.deepEqual(report({ secrets, possible: null, title: null }), [false, `${found}.`, 'Keep Secrets…']);
    assert.deepEqual(report({ secrets, possible, title: null }), [
      true,
      `${found}.`,
      `Kept, because it may be secret or only an id: ${left}.`,
      'Replace This, Too…',
      'Keep Secrets…',
    ]);
    assert.deepEqual(report({ secrets: [], possible, title: null }), [
      true,
      `Kept, because it may be secret or only an id: ${left}.`,
      'Replace This, Too…',
    ]);
    assert.deepEqual(report({ secrets, possible, title: null }, true, true), [
      false,
      `${found}, ${left}.`,
      'Keep Secrets…',
    ]);
    assert.deepEqual(report({ secrets, possible, title: null }, false), [
      true,
      'It contains secrets: whoever gets the file can use them.',
      'Replace Secrets…',
    ]);
    assert.deepEqual(WITHOUT_SECRETS, { isRedacted: true, isPossibleRedacted: false });
  });

  it('names secrets by their kinds', () => {
    const secrets = [
      { kind: 'github-token', count: 2, sample: 'ghp_…' },
      { kind: 'password', count: 1, sample: 'hunt…' },
    ];
    assert.equal(redactionText(secrets, formats, t), '2 × github-token (ghp_…), 1 × password (hunt…)');
  });
});
