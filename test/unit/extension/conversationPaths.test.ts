import assert from 'node:assert/strict';
import { ALL_PARTS, type PanelNavigation } from '../../../src/protocol/channels/panel';
import {
  isOutputOfPanel,
  isTranscriptOf,
  isTranscriptOfPanel,
  type KeptConversation,
  linkQuery,
  readEditAddress,
  readKept,
  readShownParts,
  readLink,
  readPanelState,
  readRowAddress,
  readSessionAddress,
  readTranscriptFile,
  sessionAddress,
} from '../../../src/extension/conversation/conversationAddresses';

const SESSION = '/c/projects/-p/44444444-4444-4444-8444-444444444444.jsonl';
const FOLDER = SESSION.replace('.jsonl', '');

describe('The transcripts that a conversation panel may request', () => {
  const isOwn = (path: string) => isTranscriptOfPanel(SESSION, path);

  it('are its own and those of its subagents, in the folder of the session or beside it', () => {
    assert.ok(isOwn(SESSION));
    assert.ok(isOwn(`${FOLDER}/subagents/agent-a1b2.jsonl`));
    assert.ok(isOwn('/c/projects/-p/agent-a1b2.jsonl'));
  });

  it('include no others', () => {
    for (const path of [
      '/c/projects/-p/55555555-5555-4555-8555-555555555555.jsonl',
      '/c/projects/-q/agent-a1b2.jsonl',
      `${FOLDER}/../55555555-5555-4555-8555-555555555555.jsonl`,
      `${FOLDER}/subagents/../../../-q/agent-a1b2.jsonl`,
      `${FOLDER}/subagents/agent-a1b2.jsonl\0.txt`,
      `${FOLDER}/tool-results/toolu_1.txt`,
      `${FOLDER}x/subagents/agent-a1b2.jsonl`,
      'agent-a1b2.jsonl',
      '/etc/passwd',
      '',
    ]) {
      assert.equal(isOwn(path), false, path);
    }
  });

  it('include those of sibling subagents if the panel shows a subagent', () => {
    const panel = `${FOLDER}/subagents/agent-a1.jsonl`;
    assert.ok(isTranscriptOfPanel(panel, `${FOLDER}/subagents/agent-b2.jsonl`));
    assert.equal(isTranscriptOfPanel(panel, SESSION), false);
  });
});

describe('The outputs that a conversation panel may request', () => {
  it('are the files that clients keep for the sessions of the project', () => {
    assert.ok(isOutputOfPanel(SESSION, `${FOLDER}/tool-results/toolu_1.txt`));
    assert.ok(isOutputOfPanel(SESSION, '/c/projects/-p/origin-of-a-fork/tool-results/toolu_1.txt'));
    assert.ok(isOutputOfPanel(`${FOLDER}/subagents/agent-a1.jsonl`, `${FOLDER}/tool-results/toolu_1.txt`));
  });

  it('include those that slimming has moved out of the transcript', () => {
    assert.ok(isOutputOfPanel(SESSION, 'origin-of-a-fork/removed/0123456789abcdef.txt'));
  });

  it('include no other files', () => {
    for (const path of [
      '/etc/passwd',
      '/c/projects/-p/tool-results/x.txt',
      '/c/projects/-q/s/tool-results/x.txt',
      `${FOLDER}/tool-results/../../../../.credentials.json`,
      `${FOLDER}/tool-results/deep/x.txt`,
      `${FOLDER}/subagents/agent-a1.jsonl`,
      '../removed/0123456789abcdef.txt',
      'a/removed/../0123456789abcdef.txt',
      'a/b/removed/0123456789abcdef.txt',
      'a/removed/secret.txt',
    ]) {
      assert.equal(isOutputOfPanel(SESSION, path), false, path);
    }
  });
});

describe('A link to a conversation', () => {
  /** A parsed URI, as VS Code passes it. */
  const follow = (query: string) => readLink('/conversation', decodeURIComponent(query));

  it('names the transcript and the row, whatever characters the path contains', () => {
    for (const filePath of [
      SESSION,
      '/c & d/pro#j=ects/100%/ü+ö.jsonl',
      'C:\\Users\\me\\.claude\\projects\\p\\s.jsonl',
    ]) {
      assert.deepEqual(follow(linkQuery({ filePath, line: 12 })), { filePath, line: 12 });
      assert.deepEqual(follow(linkQuery({ filePath, line: null })), { filePath, line: null });
    }
  });

  it('is understood if it was not decoded', () => {
    const target = { filePath: SESSION, line: 3 };
    assert.deepEqual(readLink('/conversation', linkQuery(target)), target);
  });

  it('names nothing if it has another path or no valid line number', () => {
    assert.equal(readLink('/elsewhere', 'file=/a.jsonl'), null);
    assert.equal(readLink('/conversation', ''), null);
    assert.equal(readLink('/conversation', 'line=4'), null);
    assert.equal(readLink('/conversation', 'file=%E0%A4%A'), null);
    assert.deepEqual(readLink('/conversation', 'file=/a.jsonl&line=0'), { filePath: '/a.jsonl&line=0', line: null });
  });

  it('is followed only to transcripts in the config folders', () => {
    assert.ok(isTranscriptOf(['/c'], SESSION));
    assert.ok(isTranscriptOf(['/main', '/c'], SESSION));
    assert.equal(isTranscriptOf([], SESSION), false);
    for (const path of ['/c/projects/../secret.jsonl', '/c/projectsX/p/s.jsonl', '/c/projects/p/s.txt', '/d/s.jsonl']) {
      assert.equal(isTranscriptOf(['/c', '/e'], path), false, path);
    }
  });
});

describe('The address of a conversation in an editor', () => {
  const nameOf = (title: string): string => sessionAddress(SESSION, title).path.slice('/rethread-session/'.length);

  it('names the session, whatever its title', () => {
    for (const title of [
      'Plan',
      'Fix README.md',
      'a/b\\c',
      '..',
      '',
      'x'.repeat(500),
      '\u202egnp.exe',
      '50 % of #1?',
    ]) {
      const address = sessionAddress(SESSION, title);
      assert.equal(readSessionAddress(address), SESSION, title);
      assert.match(nameOf(title), /^[^/\\]*\u2060$/, title);
    }
  });

  it('ends in the title, which is no file name and hides nothing', () => {
    assert.equal(nameOf('Fix README.md'), 'Fix README.md\u2060');
    assert.equal(nameOf('a/b'), 'a∕b\u2060');
    assert.equal(nameOf('\u202egnp.exe'), ' gnp.exe\u2060');
  });

  it('names nothing if it is of something else', () => {
    const address = sessionAddress(SESSION, 'Plan');
    assert.equal(readSessionAddress({ ...address, scheme: 'file' }), null);
    for (const query of ['', '/etc/passwd', 'projects/p/s.jsonl', '/c/projects/../s.jsonl'])
      assert.equal(readSessionAddress({ ...address, query }), null, query);
  });

  it('is that of a file if the person opens a transcript', () => {
    assert.equal(readTranscriptFile({ scheme: 'file', fsPath: SESSION }), SESSION);
    assert.equal(readTranscriptFile({ scheme: 'git', fsPath: SESSION }), null);
    assert.equal(readTranscriptFile({ scheme: 'file', fsPath: '/c/notes.txt' }), null);
  });
});

describe('The state of a panel that VS Code stored', () => {
  const navigation: PanelNavigation = {
    filePath: SESSION,
    view: { kind: 'branch', leafLine: 7 },
    at: { line: 3, offsetPx: -2.5 },
  };

  it('is the position of the panel', () => {
    assert.deepEqual(readPanelState({ ...navigation, text: 'what was said' }, [], 'Plan'), navigation);
  });

  it('is the later position if the extension knows one', () => {
    const later = { ...navigation, at: { line: 90, offsetPx: 0 } };
    assert.deepEqual(readPanelState(navigation, [{ title: 'Plan', navigation: later }], 'Renamed'), later);
  });

  it('is ignored if it does not name the panel', () => {
    for (const state of [
      undefined,
      null,
      'chain',
      {},
      { ...navigation, filePath: '/etc/passwd' },
      { ...navigation, filePath: 'projects/s.jsonl' },
      { ...navigation, view: { kind: 'branch' } },
      { ...navigation, view: { kind: 'all' } },
      { ...navigation, at: { line: 0, offsetPx: 0 } },
      { ...navigation, at: { line: 1, offsetPx: Infinity } },
      { ...navigation, at: undefined },
    ]) {
      assert.equal(readPanelState(state, [], 'Plan'), null, JSON.stringify(state));
    }
  });
});

describe('A panel of which VS Code stored only the title', () => {
  const navigation: PanelNavigation = { filePath: SESSION, view: { kind: 'chain' }, at: null };

  it('is the panel that had that title', () => {
    const kept: readonly KeptConversation[] = [
      { title: 'Plan', navigation },
      { title: 'Mend', navigation: { ...navigation, view: { kind: 'file' } } },
    ];
    assert.deepEqual(readPanelState(undefined, kept, 'Plan'), navigation);
    assert.equal(readPanelState(undefined, kept, 'Read'), null);
  });

  it('is unknown if two panels had that title', () => {
    const kept = { title: 'Plan', navigation };
    assert.equal(readPanelState(undefined, [kept, kept], 'Plan'), null);
  });
});

describe('The parts of messages that are shown', () => {
  it('are those that were chosen, also in a version that did not know of all', () => {
    const chosen = { thinking: false, tools: true, notes: false, timestamps: true };
    assert.deepEqual(readShownParts(chosen), { ...chosen, prompts: true });
    assert.deepEqual(readShownParts({ ...chosen, prompts: false }), { ...chosen, prompts: false });
  });

  it('are all if something else was stored', () => {
    for (const stored of [undefined, null, 'all', { thinking: 1 }]) assert.deepEqual(readShownParts(stored), ALL_PARTS);
  });
});

describe('The conversations that were open before a reload', () => {
  const kept: KeptConversation = {
    title: 'Plan',
    navigation: { filePath: SESSION, view: { kind: 'chain' }, at: null },
  };

  it('are those that were stored', () => {
    assert.deepEqual(readKept([kept]), [kept]);
  });

  it('are none if something else was stored', () => {
    const foreign = { ...kept, navigation: { ...kept.navigation, filePath: '/etc/passwd' } };
    for (const stored of [undefined, 'Plan', {}, [foreign], [kept, 7]]) assert.deepEqual(readKept(stored), []);
  });
});

describe('The URI of a document that shows a row', () => {
  it('names a row of a transcript', () => {
    assert.deepEqual(readRowAddress(JSON.stringify({ filePath: SESSION, line: 2 })), { filePath: SESSION, line: 2 });
    const edit = { filePath: SESSION, line: 2, path: 'message.content.0', side: 'after' };
    assert.deepEqual(readEditAddress(JSON.stringify(edit)), edit);
  });

  it('names nothing if it is invalid', () => {
    for (const query of ['', '{', '[]', '{"filePath":"/etc/passwd","line":1}', `{"filePath":"${SESSION}","line":-1}`]) {
      assert.equal(readRowAddress(query), null, query);
      assert.equal(readEditAddress(query), null, query);
    }
  });
});
