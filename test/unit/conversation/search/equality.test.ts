import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { FIXTURES, listCorruptCases, listRecordings } from '../../../support/fixtures';
import { createRandom } from '../../../support/random';
import { randomSession } from '../../../support/randomSession';
import { mangledTranscript } from '../../transcript/mangledTranscript';
import { searchBytes } from './searchFiles';
import { isCleanLine, slowSearch } from './slowSearch';

const NEEDLES = [
  ...[
    'a',
    'the',
    'OK.',
    'bash',
    'type',
    'uuid',
    'session title',
    '"',
    '\\',
    '\n',
    'a.txt',
    '/home',
    'Sub task',
    'ALPHA',
  ],
  ...['@@[{"tool":{"name":"Bash"', 'User', 'toolu_', 'claude', 'told', 'said', 'asked', 'out', '-', '🤖', '\t'],
];

async function assertSame(bytes: Buffer, text: string, what: string): Promise<number> {
  // Results on lines that hold more or less than one row are up to the fast search.
  const lines = bytes.toString('utf8').split('\n');
  const isClean = (line: number): boolean => isCleanLine(lines[line - 1] ?? '');
  let hits = 0;
  for (const isCaseSensitive of [false, true]) {
    const { matches } = await searchBytes(bytes, { text, isCaseSensitive });
    const fast = matches.map(({ line, role }) => ({ line, role })).filter(({ line }) => isClean(line));
    const slow = slowSearch(bytes, text, isCaseSensitive);
    assert.deepEqual(fast, slow, `${JSON.stringify(text)} in ${what}`);
    for (const { excerpt, hit } of matches) {
      assert.ok(excerpt.length <= 200 && hit.start < hit.end && hit.end <= excerpt.length);
      assert.doesNotMatch(excerpt, /[\p{Cc}\u2028\u2029]/u);
    }
    hits += slow.length;
  }
  return hits;
}

describe('The fast search finds the same as a plain search', function () {
  this.timeout(120_000);

  it('in all recordings', async () => {
    let hits = 0;
    for (const file of listRecordings()) {
      const bytes = readFileSync(join(FIXTURES, file));
      for (const text of NEEDLES) hits += await assertSame(bytes, text, file);
    }
    assert.ok(hits > 2000, String(hits));
  });

  it('in damaged transcripts', async () => {
    for (const { name, spacing, bytes } of listCorruptCases()) {
      if (spacing === 'far') for (const text of ['files', 'OK.', '"']) await assertSame(bytes, text, name);
    }
  });

  it('in random sessions', async () => {
    const random = createRandom(20260101);
    for (let at = 0; at < 150; at++) {
      const bytes = randomSession(random);
      for (const text of ['told', 'SAID', 'out', 'No response']) await assertSame(bytes, text, `session ${at}`);
    }
  });

  it('in mangled transcripts', async () => {
    await fc.assert(
      fc.asyncProperty(mangledTranscript, fc.constantFrom(...NEEDLES), async (bytes, text) => {
        await assertSame(bytes, text, bytes.toString('latin1'));
      }),
      { numRuns: 300 },
    );
  });

  it('for any text and needle, however the row is encoded', async () => {
    const letters = fc.constantFrom(...'aBkKsS éÉžŽ"\\/\n\t日本🧵\u001b\u007f0_-.*+?^${}()|[]'.split(/(?:)/u));
    const text = fc.array(letters, { maxLength: 40 }).map((all) => all.join(''));
    await fc.assert(
      fc.asyncProperty(text, fc.nat(), fc.nat(8), fc.boolean(), async (content, from, length, isEscaped) => {
        const characters = Array.from(content);
        const start = from % (characters.length + 1);
        const needle = characters.slice(start, start + 1 + length).join('') || 'k';
        const row = JSON.stringify({ type: 'user', message: { content } });
        const line = isEscaped ? row.replace(/[^\0-\u007f]/g, escapeUnit) : row;
        await assertSame(Buffer.from(`${line}\n{"type":"mode"}\n${line}`), needle, line);
      }),
      { numRuns: 500 },
    );
  });
});

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
