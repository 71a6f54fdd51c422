import assert from 'node:assert/strict';
import { conversationTexts } from '../../../src/extension/conversation/conversationTexts';
import { exportFileName, redactionText, titleWithoutSecrets } from '../../../src/extension/conversation/exportText';
import { messageHtml, panelHtml } from '../../../src/extension/webviews/page';
import { outcomeText, progressText, searchPick } from '../../../src/extension/conversation/searchPicks';
import type { SearchMatch, SearchOutcome } from '../../../src/protocol/channels/search';
import { SESSION_PATH } from './conversationFakes';
import { formats, t } from './fakes';
import { textsOfWebview } from './textsOfWebview';

describe('The texts of the conversation panel', () => {
  const { texts, others } = textsOfWebview((path) => !path.startsWith('tokens'));

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

describe('The results of a search of all conversations', () => {
  const match: SearchMatch = {
    filePath: SESSION_PATH,
    sessionId: '44444444-4444-4444-8444-444444444444',
    title: 'Mend $(the) form',
    line: 12,
    uuid: null,
    isResult: false,
    role: 'assistant',
    timeMs: 0,
    excerpt: 'run $(make) first',
    hit: { start: 0, end: 3 },
  };
  const outcome: SearchOutcome = {
    matches: 3,
    progress: { sessionsDone: 1200, sessionsTotal: 1200, bytesDone: 0, bytesTotal: 0 },
    isCut: false,
    isCancelled: false,
    unreadable: [],
    problem: null,
  };

  it('show the session, role, time and matching text, without rendering icons', () => {
    const { label, description, detail } = searchPick(match, 2 * 3600_000, formats, t);
    assert.equal(label, 'Mend \\$(the) form');
    assert.equal(description, 'Claude · 2 hours ago');
    assert.equal(detail, 'run \\$(make) first');
    const result = searchPick({ ...match, role: 'user', isResult: true }, 2 * 3600_000, formats, t);
    assert.equal(result.description, 'Tool result · 2 hours ago');
  });

  it('show the progress and the outcome', () => {
    assert.equal(progressText({ ...outcome.progress, sessionsDone: 30 }, formats, t), '30 of 1,200 sessions searched');
    assert.equal(outcomeText(outcome, 3, formats, t), '3 places in 1,200 sessions');
    assert.equal(outcomeText(outcome, 1, formats, t), '1 place in 1,200 sessions');
    assert.equal(outcomeText(outcome, 0, formats, t), 'Nothing found in 1,200 sessions');
    assert.equal(outcomeText({ ...outcome, isCut: true }, 200, formats, t), 'The first 200 places; there may be more');
    assert.equal(outcomeText({ ...outcome, problem: 'No such expression.' }, 0, formats, t), 'No such expression.');
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

  it('states which secrets it would replace', () => {
    const secrets = [
      { kind: 'github-token', count: 2, sample: 'ghp_…' },
      { kind: 'password', count: 1, sample: 'hunt…' },
    ];
    assert.equal(redactionText(secrets, formats, t), '2 × github-token (ghp_…), 1 × password (hunt…)');
  });
});
