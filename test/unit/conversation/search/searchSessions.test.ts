import assert from 'node:assert/strict';
import { utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withTemporaryFolder } from '../../../support/temporaryFolder';
import { jsonl, messageRow, searchBytes, searchFiles } from './searchFiles';

const CHUNK_BYTES = 256 * 1024;

describe('A search finds', () => {
  const places: readonly (readonly [string, object])[] = [
    ['a prompt', messageRow('user', 'Where is the Needle?')],
    ['a prompt of blocks', messageRow('user', [{ type: 'text', text: 'a needle' }])],
    ['a reply', messageRow('assistant', [{ type: 'text', text: 'The needle is here.' }])],
    ['thinking', messageRow('assistant', [{ type: 'thinking', thinking: 'Hm, a needle', signature: 's' }])],
    ['the name of a tool', messageRow('assistant', [{ type: 'tool_use', id: 't', name: 'mcp__needle', input: {} }])],
    ['a command', messageRow('assistant', [{ type: 'tool_use', name: 'Bash', input: { command: 'grep needle' } }])],
    ['a nested input', messageRow('assistant', [{ type: 'tool_use', input: { edits: [{ id: 'needle' }] } }])],
    ['an output', messageRow('user', [{ type: 'tool_result', tool_use_id: 't', content: 'one\nneedle\nthree' }])],
    ['an output of blocks', messageRow('user', [{ type: 'tool_result', content: [{ type: 'text', text: 'needle' }] }])],
    ['a notice', { type: 'system', subtype: 'informational', content: 'needle', uuid: 'u' }],
    ['an attached file', { type: 'attachment', attachment: { type: 'edited_text_file', snippet: '1\tneedle' } }],
    ['a block of an unknown type', messageRow('assistant', [{ type: 'novel', says: { it: 'needle' } }])],
    ['a row of an unknown type', { type: 'novelty', says: 'needle' }],
  ];
  for (const [what, row] of places) {
    it(what, async () => {
      const { matches, outcome } = await searchBytes(jsonl(messageRow('user', 'hay'), row, messageRow('user', 'hay')), {
        text: 'needle',
      });
      assert.deepEqual(
        matches.map(({ line }) => line),
        [2],
      );
      const [match] = matches;
      assert.equal(match?.excerpt.slice(match.hit.start, match.hit.end).toLowerCase(), 'needle');
      assert.equal(outcome.matches, 1);
    });
  }
});

describe('A search does not find', () => {
  const data = Buffer.from('needle needle needle').toString('base64');
  const places: readonly (readonly [string, string, object])[] = [
    ['a key', 'parentUuid', messageRow('user', 'hay')],
    ['a type', 'tool_use', messageRow('assistant', [{ type: 'tool_use', name: 'Bash', input: {} }])],
    ['a uuid', '00000000-0000', messageRow('user', 'hay')],
    [
      'the id of a call',
      'toolu_1',
      messageRow('assistant', [{ type: 'tool_use', id: 'toolu_1', name: 'A', input: {} }]),
    ],
    ['the call of a result', 'toolu_1', messageRow('user', [{ type: 'tool_result', tool_use_id: 'toolu_1' }])],
    ['a signature', 'needle', messageRow('assistant', [{ type: 'thinking', thinking: '', signature: 'needle' }])],
    ['a picture', data.slice(0, 9), messageRow('user', [{ type: 'image', source: { type: 'base64', data } }])],
    [
      'a picture of a tool',
      data.slice(0, 9),
      messageRow('user', [{ type: 'tool_result', content: [{ type: 'image', source: { type: 'base64', data } }] }]),
    ],
    ['a working directory', '/srv/needle', messageRow('user', 'hay', { cwd: '/srv/needle' })],
    ['a session id', 'needle', messageRow('user', 'hay', { sessionId: 'needle' })],
    ['how JSON writes a quote', '\\"', messageRow('user', 'say "hay"')],
    [
      'two texts that meet',
      'ab',
      messageRow('user', [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ]),
    ],
    ['what the client keeps for itself', 'needle', { type: 'last-prompt', lastPrompt: 'needle' }],
    [
      'what it tells Claude each time',
      'needle',
      { type: 'attachment', attachment: { type: 'skill_listing', content: 'needle' } },
    ],
    ['what repeats an output', 'needle', { type: 'progress', data: { type: 'bash_progress', output: 'needle' } }],
  ];
  for (const [what, text, row] of places) {
    it(what, async () => {
      assert.deepEqual((await searchBytes(jsonl(row), { text })).matches, []);
    });
  }
});

describe('A search', () => {
  it('returns everything that a list shows of a match', async () => {
    const rows = jsonl(
      messageRow('user', 'First words'),
      messageRow('assistant', [{ type: 'text', text: 'a needle' }]),
    );
    const { matches } = await searchBytes(rows, { text: 'needle' });
    const { filePath, ...match } = matches[0] ?? { filePath: '' };
    assert.match(filePath, /session\.jsonl$/);
    assert.deepEqual(match, {
      sessionId: 'session',
      title: 'First words',
      projectFolder: dirname(filePath),
      cwd: null,
      lastMessageMs: Date.UTC(2026, 0, 1, 10),
      line: 2,
      uuid: '00000000-0000-4000-8000-000000000001',
      role: 'assistant',
      isResult: false,
      timeMs: Date.UTC(2026, 0, 1, 10),
      excerpt: 'a needle',
      hit: { start: 2, end: 8 },
    });
  });

  it('distinguishes tool output from what a person wrote', async () => {
    const rows = jsonl(
      messageRow('user', 'a needle'),
      messageRow('user', [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'a needle' }]),
    );
    const { matches } = await searchBytes(rows, { text: 'needle' });
    assert.deepEqual(
      matches.map(({ isResult }) => isResult),
      [false, true],
    );
  });

  it('matches case only on request', async () => {
    const rows = jsonl(messageRow('user', 'NEEDLE'), messageRow('user', 'needle'));
    assert.equal((await searchBytes(rows, { text: 'Needle' })).matches.length, 2);
    assert.equal((await searchBytes(rows, { text: 'Needle', isCaseSensitive: true })).matches.length, 0);
    assert.equal((await searchBytes(rows, { text: 'NEEDLE', isCaseSensitive: true })).matches.length, 1);
  });

  for (const [text, other] of [
    ['STRASSE KILO', 'ſtraſſe \u212ailo'],
    ['žluťoučký', 'ŽLUŤOUČKÝ'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
    ['привет', 'ПРИВЕТ'],
    ['日本語', '日本語'],
    ['🧵 thread', '🧵 THREAD'],
  ] as const) {
    it(`finds ${text} by ${other}`, async () => {
      assert.equal((await searchBytes(jsonl(messageRow('user', `- ${other} -`)), { text })).matches.length, 1);
    });
  }

  it('finds text that JSON escapes, however it is encoded', async () => {
    const text = 'say "hi" to C:\\temp/é\n\tand \u001b[1m🧵';
    const plain = JSON.stringify(messageRow('user', text));
    const escaped = plain.replace(/[^\\"{}:,[\]\w.-]/gu, (character) =>
      [...character.split('')].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
    );
    const letters = plain.replace('temp', '\\u0074em\\u0070').replaceAll('/', '\\/');
    for (const line of [plain, escaped, letters]) {
      // Texts are read without terminal colour codes.
      const read = text.replace('\u001b[1m', '');
      for (const needle of [read, '"hi"', 'C:\\temp', 'temp/é', '/', '\n\t', 'é', '🧵', 'and 🧵']) {
        assert.equal((await searchBytes(`${line}\n`, { text: needle })).matches.length, 1, `${needle} in ${line}`);
      }
    }
  });

  it('finds matches across chunk borders and in lines of several chunks, with correct line numbers', async () => {
    const before = jsonl(messageRow('user', 'hay'));
    const frame = JSON.stringify(messageRow('user', '@')).split('@');
    for (const shift of [-7, -6, -3, -1, 0, 1]) {
      const at = CHUNK_BYTES + shift - Buffer.byteLength(before + (frame[0] ?? ''));
      for (const tail of [0, 3 * CHUNK_BYTES]) {
        const line = `${frame[0] ?? ''}${'x'.repeat(at)}needle${'y'.repeat(tail)}${frame[1] ?? ''}\n`;
        const bytes = before + line + before + jsonl(messageRow('user', 'needle'));
        const { matches } = await searchBytes(bytes, { text: 'NEEDLE' });
        assert.deepEqual(
          matches.map((match) => match.line),
          [2, 4],
          `${shift}, ${tail}`,
        );
      }
    }
  });

  it('searches only rows of the given roles', async () => {
    const rows = jsonl(messageRow('user', 'needle'), messageRow('assistant', 'needle'), {
      type: 'system',
      content: 'needle',
    });
    const linesOf = async (...roles: ('user' | 'assistant' | 'system')[]): Promise<number[]> =>
      (await searchBytes(rows, { text: 'needle', roles })).matches.map(({ line }) => line);
    assert.deepEqual(await linesOf(), [1, 2, 3]);
    assert.deepEqual(await linesOf('assistant'), [2]);
    assert.deepEqual(await linesOf('user', 'system'), [1, 3]);
  });

  it('includes a last line without a newline, and returns one match for two rows on a line', async () => {
    const row = JSON.stringify(messageRow('user', 'needle'));
    const { matches } = await searchBytes(`${row}${row}\n\n${row}`, { text: 'needle' });
    assert.deepEqual(
      matches.map(({ line }) => line),
      [1, 3],
    );
  });

  it('reports an invalid query instead of throwing', async () => {
    const { outcome } = await searchBytes(jsonl(messageRow('user', 'x')), { text: 'a(b', isRegExp: true });
    assert.equal(outcome.problem, 'This is no regular expression: Unterminated group.');
    assert.equal((await searchBytes('', { text: '' })).outcome.problem, 'There is no text to search for.');
  });

  it('continues when a transcript cannot be read, and names it', () =>
    withTemporaryFolder(async (folder) => {
      const good = join(folder, 'good.jsonl');
      await writeFile(good, jsonl(messageRow('user', 'needle')));
      const { matches, outcome } = await searchFiles([join(folder, 'gone.jsonl'), good], { text: 'needle' });
      assert.equal(matches.length, 1);
      assert.deepEqual(outcome.unreadable, [
        { filePath: join(folder, 'gone.jsonl'), problem: `${join(folder, 'gone.jsonl')} does not exist.` },
      ]);
      assert.equal(outcome.progress.sessionsDone, 2);
    }));
});

describe('An excerpt', () => {
  const excerptOf = async (content: string, text = 'needle'): Promise<{ excerpt: string; hit: string }> => {
    const [match] = (await searchBytes(jsonl(messageRow('user', content)), { text })).matches;
    assert.ok(match);
    return { excerpt: match.excerpt, hit: match.excerpt.slice(match.hit.start, match.hit.end) };
  };

  it('is one line', async () => {
    assert.deepEqual(await excerptOf('  one\n\n\ttwo needle\u001b[0m\r\nthree  '), {
      excerpt: 'one two needle three',
      hit: 'needle',
    });
  });

  it('is cut around a hit in a long text, never inside a character', async () => {
    const { excerpt, hit } = await excerptOf(`${'🧵'.repeat(500)}a needle${'🧵'.repeat(500)}`);
    assert.ok(excerpt.length <= 200, String(excerpt.length));
    assert.match(excerpt, /^…🧵+a needle🧵+…$/u);
    assert.equal(hit, 'needle');
  });

  it('contains the beginning of a hit that is longer than the excerpt', async () => {
    const text = 'n'.repeat(1000);
    const { excerpt, hit } = await excerptOf(`hay ${text} hay`, text);
    assert.ok(excerpt.length <= 200);
    assert.match(hit, /^n+…$/);
  });

  it('contains a hit that consists of white space', async () => {
    assert.deepEqual(await excerptOf('a\n\n\nb', '\n\n'), { excerpt: 'a  b', hit: ' ' });
  });
});

describe('Searches of many sessions', () => {
  async function writeSessions(folder: string, count: number, rows: number): Promise<string[]> {
    const files: string[] = [];
    for (let at = 0; at < count; at++) {
      const filePath = join(folder, `${at}.jsonl`);
      // The order of neither the names nor the file times.
      const timestamp = new Date(Date.UTC(2026, 0, 1 + ((at * 7) % count))).toISOString();
      const lines = Array.from({ length: rows }, (_, row) => messageRow('user', `needle ${row}`, { timestamp }));
      await writeFile(filePath, jsonl(...lines));
      await utimes(filePath, 1_700_000_000 + at, 1_700_000_000 + at);
      files.push(filePath);
    }
    return files;
  }

  it('return the sessions with the latest message first, with the rows of each in order', () =>
    withTemporaryFolder(async (folder) => {
      const files = await writeSessions(folder, 10, 3);
      const { matches } = await searchFiles(files, { text: 'needle' });
      const times = matches.map(({ timeMs }) => timeMs ?? 0);
      assert.deepEqual(
        times,
        [...times].sort((a, b) => b - a),
      );
      assert.equal(new Set(times).size, 10);
      assert.deepEqual(
        matches.map(({ line }) => line),
        Array.from({ length: 10 }, () => [1, 2, 3]).flat(),
      );
    }));

  it('stop at their limit, and report that there may be more', () =>
    withTemporaryFolder(async (folder) => {
      const files = await writeSessions(folder, 4, 5);
      const { matches, outcome } = await searchFiles(files, { text: 'needle', limit: 7 });
      assert.equal(matches.length, 7);
      assert.equal(outcome.matches, 7);
      assert.equal(outcome.isCut, true);
      assert.equal((await searchFiles(files, { text: 'needle', limit: 21 })).outcome.isCut, false);
    }));

  it('return results in parts, with progress that never decreases and ends at 100 %', () =>
    withTemporaryFolder(async (folder) => {
      const { updates, outcome } = await searchFiles(await writeSessions(folder, 5, 60), { text: 'needle' });
      assert.ok(updates.length >= 5, String(updates.length));
      const done = [...updates, outcome].map(({ progress }) => progress.bytesDone);
      assert.deepEqual(
        done,
        [...done].sort((a, b) => a - b),
      );
      assert.equal(outcome.progress.bytesDone, outcome.progress.bytesTotal);
      assert.deepEqual([outcome.progress.sessionsDone, outcome.progress.sessionsTotal], [5, 5]);
    }));

  it('stop soon when they are cancelled', () =>
    withTemporaryFolder(async (folder) => {
      const files = await writeSessions(folder, 20, 60);
      const controller = new AbortController();
      const { outcome } = await searchFiles(
        files,
        { text: 'needle' },
        {
          signal: controller.signal,
          onUpdate: () => {
            controller.abort();
          },
        },
      );
      assert.equal(outcome.isCancelled, true);
      assert.ok(outcome.progress.sessionsDone <= 1, String(outcome.progress.sessionsDone));
      const before = await searchFiles(files, { text: 'needle' }, { signal: AbortSignal.abort() });
      assert.deepEqual([before.outcome.isCancelled, before.matches.length], [true, 0]);
    }));
});
