import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { ScannerFactory } from '../../../src/core/scan/scanner';
import type { LineFaultKind } from '../../../src/core/scan/lineFaultTable';
import type { TranscriptFacts } from '../../../src/core/scan/transcriptFacts';
import { FIXTURES, listCorruptCases, listRecordings } from '../../support/fixtures';
import { scanBytes } from '../../support/scanBytes';
import { call, lastPrompt, prompt, reply, result, transcript, uuidOf } from '../../support/transcriptBuilder';
import { dumpFacts, type DumpedRow } from './dumpFacts';
import { mangledTranscript } from './mangledTranscript';
import { readSlowly } from './slowReference';

const BOM = '\uFEFF';
const A = '{"parentUuid":null,"type":"user","uuid":"a","sessionId":"s","message":{"content":"one"}}';
const B =
  '{"parentUuid":"a","type":"assistant","uuid":"b","sessionId":"s","message":{"id":"m","content":[{"type":"text","text":"two"}]}}';
const C = '{"parentUuid":"b","type":"user","uuid":"c","sessionId":"s","message":{"content":"three"}}';

/** What every scanner must do, however it does it. */
export function describeScanner(name: string, createScanner: ScannerFactory): void {
  const scan = (bytes: Uint8Array | string): TranscriptFacts => scanBytes(bytes, createScanner);
  const dump = (bytes: Uint8Array | string) => dumpFacts(scan(bytes));
  const scanInPieces = (bytes: Buffer, sizes: Iterable<number>) => {
    const scanner = createScanner();
    let at = 0;
    // One memory for all chunks: a scanner that keeps a chunk keeps what comes after it.
    const memory = Buffer.alloc(64 * 1024);
    for (const size of sizes) {
      const length = Math.min(size, bytes.length - at, memory.length);
      bytes.copy(memory, 0, at, at + length);
      scanner.push(memory.subarray(0, length));
      at += length;
      if (at >= bytes.length) break;
    }
    assert.ok(at >= bytes.length, 'the pieces are the whole transcript');
    return dumpFacts(scanner.end());
  };
  const uuids = (bytes: Uint8Array | string) => dump(bytes).rows.map((row) => row.uuid);
  const flagsOf = (bytes: Uint8Array | string, uuid: string): readonly string[] =>
    dump(bytes).rows.find((row) => row.uuid === uuid)?.flags ?? ['no such row'];
  const faultsOf = (bytes: Uint8Array | string): [LineFaultKind, number, boolean][] =>
    dump(bytes).lineFaults.map(({ kind, line, hidesRow }) => [kind, line, hidesRow]);

  describe(`${name}: chunks`, () => {
    const files = [
      ...listRecordings().map((file) => readFileSync(join(FIXTURES, file))),
      ...listCorruptCases()
        .filter(({ spacing }) => spacing === 'far')
        .filter(({ name: variant }) => /^[ehqxy]/.test(variant))
        .map(({ bytes }) => bytes),
    ];

    it('give the same facts when they are one byte long', () => {
      for (const bytes of files.filter(({ length }) => length < 30_000)) {
        assert.deepEqual(scanInPieces(bytes, forever(1)), dump(bytes));
      }
    });

    it('give the same facts when they are 64 bytes long', () => {
      for (const bytes of files) assert.deepEqual(scanInPieces(bytes, forever(64)), dump(bytes));
    });

    it('give the same facts wherever they are cut', () => {
      fc.assert(
        fc.property(
          fc.constantFrom(...files),
          fc.array(fc.oneof(fc.nat(5), fc.nat(3000)), { minLength: 1, maxLength: 40 }),
          (bytes, sizes) => {
            const isMoving = sizes.some((size) => size > 0);
            assert.deepEqual(scanInPieces(bytes, isMoving ? around(sizes) : forever(7)), dump(bytes));
          },
        ),
        { numRuns: 30 },
      );
    });

    it('may be cut inside a character, a CRLF and a byte order mark', () => {
      const bytes = Buffer.from(`${BOM}${A.replace('one', '☕️é𝄞')}\r\n${B}\r\n`);
      assert.deepEqual(scanInPieces(bytes, forever(1)), dump(bytes));
      assert.deepEqual(uuids(bytes), ['a', 'b']);
    });
  });

  describe(`${name}: lines`, () => {
    const clean = dump(`${A}\n${B}\n`);

    it('gives nothing for an empty file', () => {
      const facts = scan('');
      assert.deepEqual([facts.rows.count, facts.lineCount, facts.fileSize], [0, 0, 0]);
    });

    it('counts a last line without a newline, and reads it', () => {
      const facts = dump(`${A}\n${B}`);
      assert.deepEqual([facts.lineCount, facts.rows], [2, clean.rows]);
      assert.deepEqual(facts.lineFaults, []);
    });

    it('counts the lines as an editor does', () => {
      for (const [text, count] of [
        ['\n', 1],
        ['\n\n', 2],
        ['x', 1],
        [`${A}\n\n${B}`, 3],
        [`${A}\n${B}\n`, 2],
      ] as const) {
        assert.equal(scan(text).lineCount, count, JSON.stringify(text));
        assert.equal(scan(text).fileSize, Buffer.byteLength(text));
      }
    });

    it('reads past CRLF', () => {
      const facts = dump(`${A}\r\n${B}\r\n`);
      assert.deepEqual(facts.rows.map(withoutHash), clean.rows.map(withoutHash));
      assert.deepEqual(facts.lineFaults, []);
    });

    it('reads past blank lines, and numbers rows by the lines of the file', () => {
      const facts = dump(`\n${A}\n \t\n\r\n${B}\n\n`);
      assert.deepEqual(
        facts.rows.map(({ line, uuid }) => [line, uuid]),
        [
          [2, 'a'],
          [5, 'b'],
        ],
      );
      assert.deepEqual(facts.lineFaults, []);
      assert.equal(facts.lineCount, 6);
    });

    it('reads past spaces around a row', () => {
      const facts = dump(` \t${A} \n${B}\t\n`);
      assert.deepEqual(
        facts.rows.map(({ uuid }) => uuid),
        ['a', 'b'],
      );
      assert.ok(facts.rows.every(({ flags }) => flags.includes('counted') && !flags.includes('hidden')));
    });

    it('reads past a byte order mark at the start of the file, and says so', () => {
      const bytes = `${BOM}${A}\n${B}\n`;
      assert.deepEqual(dump(bytes).rows.map(withoutHash), clean.rows.map(withoutHash));
      assert.deepEqual(faultsOf(bytes), [['bom', 1, false]]);
    });

    it('says that a byte order mark anywhere else hides its row', () => {
      const bytes = `${A}\n${BOM}${B}\n`;
      assert.deepEqual(uuids(bytes), ['a', 'b']);
      assert.ok(flagsOf(bytes, 'b').includes('hidden'));
      assert.ok(flagsOf(bytes, 'b').includes('counted'), 'it still counts as a row');
      assert.deepEqual(faultsOf(bytes), [['bom', 2, true]]);
    });

    it('hides a row behind two byte order marks at the start of the file', () => {
      assert.ok(flagsOf(`${BOM}${BOM}${A}\n`, 'a').includes('hidden'));
    });

    it('tells a line of NULs, which hides nothing', () => {
      const bytes = `${A}\n\0\0\0\n${B}\n`;
      assert.deepEqual(
        dump(bytes).rows.map(({ uuid, line }) => [uuid, line]),
        [
          ['a', 1],
          ['b', 3],
        ],
      );
      assert.deepEqual(faultsOf(bytes), [['nul', 2, false]]);
    });

    it('says that NULs before a row hide it from the reader of small files', () => {
      const bytes = `${A}\n${'\0'.repeat(4096)}${B}\n`;
      assert.ok(flagsOf(bytes, 'b').includes('nulPrefixed'));
      assert.ok(!flagsOf(bytes, 'b').includes('hidden'));
      assert.ok(flagsOf(bytes, 'b').includes('counted'));
      assert.deepEqual(faultsOf(bytes), [['nul', 2, true]]);
    });

    it('says that NULs and anything else before a row hide it from every reader', () => {
      for (const padding of ['\0 ', ' \0', `\0${BOM}`, `${BOM}\0`, '\v', '\u2028']) {
        const flags = flagsOf(`${A}\n${padding}${B}\n`, 'b');
        assert.ok(flags.includes('hidden') && !flags.includes('nulPrefixed'), JSON.stringify(padding));
      }
    });

    it('tells NULs behind a row, which hide nothing', () => {
      const bytes = `${A}\0\0\n${B}\n`;
      assert.deepEqual(uuids(bytes), ['a', 'b']);
      assert.ok(!flagsOf(bytes, 'a').includes('hidden'));
      assert.deepEqual(faultsOf(bytes), [['nul', 1, false]]);
    });

    it('tells NULs behind a row that white space follows', () => {
      for (const space of ['\r', ' ', '\t\r']) {
        assert.deepEqual(faultsOf(`${A}\0\0${space}\n${B}\n`), [['nul', 1, false]], JSON.stringify(space));
      }
    });

    it('finds both rows when NULs stand between them', () => {
      const bytes = `${A}\0\0${B}\n${C}\n`;
      assert.deepEqual(uuids(bytes), ['a', 'b', 'c']);
      assert.ok(flagsOf(bytes, 'b').includes('hidden'));
      assert.deepEqual(faultsOf(bytes), [['glued', 1, true]]);
    });

    it('finds all rows that are glued together, and says that the first alone is seen', () => {
      const bytes = `${A}${B}  ${C}\n`;
      assert.deepEqual(uuids(bytes), ['a', 'b', 'c']);
      assert.deepEqual(
        ['a', 'b', 'c'].map((uuid) => flagsOf(bytes, uuid).includes('hidden')),
        [false, true, true],
      );
      assert.ok(!flagsOf(bytes, 'a').includes('counted'), 'a line with more than a row counts for none');
      assert.deepEqual(faultsOf(bytes), [['glued', 1, true]]);
    });

    it('finds the row behind a torn one, unseen by the client', () => {
      for (let cut = 1; cut < A.length; cut += 7) {
        const bytes = `${A.slice(0, cut)}${B}\n${C}\n`;
        assert.deepEqual(uuids(bytes), ['b', 'c'], `cut at ${cut}`);
        assert.ok(flagsOf(bytes, 'b').includes('hidden'));
        assert.deepEqual(faultsOf(bytes), [['glued', 1, true]]);
      }
    });

    it('keeps the row before a torn one', () => {
      for (let cut = 1; cut < B.length; cut += 7) {
        const bytes = `${A}${B.slice(0, cut)}\n${C}\n`;
        assert.deepEqual(uuids(bytes), ['a', 'c'], `cut at ${cut}`);
        assert.ok(!flagsOf(bytes, 'a').includes('hidden'));
        assert.deepEqual(faultsOf(bytes), [['glued', 1, false]]);
      }
    });

    it('tells a torn line, wherever it is torn', () => {
      for (let cut = 1; cut < A.length; cut++) {
        assert.deepEqual(uuids(`${A.slice(0, cut)}\n${B}\n`), ['b'], `cut at ${cut}`);
        assert.deepEqual(faultsOf(`${A.slice(0, cut)}\n${B}\n`), [['torn', 1, false]], `cut at ${cut}`);
      }
    });

    it('knows the last line that was cut off from one that has its newline', () => {
      const [cut, whole] = [`${A}\n${B.slice(0, 40)}`, `${A}\n${B.slice(0, 40)}\n`].map(
        (bytes) => dump(bytes).lineFaults,
      );
      assert.deepEqual([cut?.[0]?.isUnfinished, whole?.[0]?.isUnfinished], [true, false]);
    });

    it('takes JSON that is no object for a torn line', () => {
      for (const text of ['42', 'null', '[1,2]', '"text"', `[${A}]`, 'garbage', '{', '{}}', 'true']) {
        assert.deepEqual(uuids(`${text}\n${B}\n`), ['b'], text);
        const { lineFaults } = scan(`${text}\n${B}\n`);
        assert.equal(lineFaults.count('torn') + lineFaults.count('glued'), 1, text);
      }
    });

    it('does not take a row inside the text of a message for a row behind a torn one', () => {
      const quoted = JSON.stringify({ type: 'user', uuid: 'q', message: { content: A } });
      assert.deepEqual(uuids(`${quoted.slice(0, -3)}\n${B}\n`), ['b']);
    });

    it('keeps a row with invalid UTF-8', () => {
      const bytes = Buffer.from(`${A}\n${B}\n`);
      bytes[A.indexOf('one')] = 0xff;
      bytes[A.indexOf('one') + 1] = 0xc3;
      assert.deepEqual(uuids(bytes), ['a', 'b']);
      assert.deepEqual(faultsOf(bytes), []);
      assert.ok(flagsOf(bytes, 'a').includes('counted'));
    });

    it('reads a line of 10 MB', () => {
      const bytes = `${A}\n${B.replace('two', 'x'.repeat(10_000_000))}\n${C}\n`;
      assert.deepEqual(uuids(bytes), ['a', 'b', 'c']);
      assert.deepEqual(faultsOf(bytes), []);
    });

    it('reads a row with 10,000 brackets inside each other, and survives it torn', () => {
      const deep = A.replace('"one"', `${'['.repeat(10_000)}${']'.repeat(10_000)}`);
      assert.deepEqual(uuids(`${deep}\n${B}\n`), ['a', 'b']);
      assert.deepEqual(uuids(`${deep.slice(0, 10_050)}\n${B}\n`), ['b']);
      assert.deepEqual(uuids(`${deep}${B}\n`), ['a', 'b']);
    });

    it('counts every fault, however many there are', () => {
      const facts = scan(`${'torn\n'.repeat(1500)}${`\0\n`.repeat(1200)}`);
      const counts = (['torn', 'glued', 'nul', 'bom'] as const).map((kind) => facts.lineFaults.count(kind));
      assert.deepEqual(counts, [1500, 0, 1200, 0]);
    });
  });

  describe(`${name}: rows`, () => {
    it('takes the last of two keys of one name, as JSON.parse does', () => {
      assert.deepEqual(uuids(A.replace('"uuid":"a"', '"uuid":"first","uuid":"last"')), ['last']);
    });

    it('reads keys and values that are written with escapes', () => {
      const [row] = dump(A.replace('"uuid":"a"', '"\\u0075uid":"\\u0061\\/"').replace('"user"', '"us\\u0065r"')).rows;
      assert.deepEqual([row?.uuid, row?.kind], ['a/', 'user']);
    });

    it('does not take what stands deeper in a row for its own', () => {
      const nested = JSON.stringify({
        message: { uuid: 'x', content: '"uuid":"y"' },
        toolUseResult: { parentUuid: 'z', type: 'user' },
        type: 'user',
        uuid: 'n',
      });
      const [row] = dump(nested).rows;
      assert.deepEqual([row?.uuid, row?.parent, row?.parentForm], ['n', null, 'absent']);
    });

    it('tells the forms of a parent', () => {
      const formOf = (parent: string) => {
        const [row] = dump(A.replace('"parentUuid":null', `"parentUuid":${parent}`)).rows;
        return [row?.parentForm, row?.parent];
      };
      for (const empty of ['null', '""', '0', 'false']) assert.deepEqual(formOf(empty), ['null', null], empty);
      for (const odd of ['42', '{}', '[]', 'true', '["a"]']) assert.deepEqual(formOf(odd), ['other', null], odd);
      assert.deepEqual(formOf('"p"'), ['text', 'p']);
      assert.equal(dump(A.replace('"parentUuid":null,', '')).rows[0]?.parentForm, 'absent');
    });

    it('keeps an upper-case uuid apart from the lower-case one', () => {
      const lower = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';
      const bytes = [lower, lower.toUpperCase()].map((uuid) => A.replace('"a"', `"${uuid}"`)).join('\n');
      assert.deepEqual(uuids(bytes), [lower, lower.toUpperCase()]);
      const facts = scan(bytes);
      assert.notEqual(facts.rows.uuid(0), facts.rows.uuid(1));
    });

    it('lists unknown types, and keeps their rows when they have a uuid', () => {
      const bytes = `${A}\n{"type":"novelty","uuid":"n","parentUuid":"a"}\n{"type":"novelty"}\n{"type":"summary"}\n`;
      const facts = dump(bytes);
      assert.deepEqual(facts.unknownTypes, [{ type: 'novelty', count: 2, lines: [2, 3] }]);
      assert.deepEqual(
        facts.rows.map(({ uuid, kind }) => [uuid, kind]),
        [
          ['a', 'user'],
          ['n', 'other'],
        ],
      );
    });

    it('survives fields of the wrong type', () => {
      for (const value of ['null', '42', '[]', '{}', 'true', '""']) {
        for (const key of [
          'type',
          'uuid',
          'timestamp',
          'message',
          'isMeta',
          'isSidechain',
          'compactMetadata',
          'sourceToolAssistantUUID',
        ]) {
          assert.deepEqual(
            uuids(`{"${key}":${value},${A.slice(1).replace(`"${key}":`, '"was":')}\n${B}\n`).at(-1),
            'b',
          );
        }
      }
      for (const content of [
        'null',
        '42',
        '{}',
        '[null]',
        '[[]]',
        '[42]',
        '[{"type":"text"}]',
        '[{"type":"tool_use"}]',
      ]) {
        assert.deepEqual(uuids(A.replace('"one"', content)), ['a'], content);
      }
    });

    it('counts rows with text, calls, results and other blocks, and no others', () => {
      const isCounted = (content: string) => flagsOf(A.replace('"one"', content), 'a').includes('counted');
      const blocks = [
        '{"type":"text","text":"x"}',
        '{"type":"tool_use","id":"t"}',
        '{"type":"tool_result","tool_use_id":"t"}',
        '{"type":"image"}',
        '{"type":"redacted_thinking"}',
      ];
      for (const block of blocks) assert.equal(isCounted(`[${block}]`), true, block);
      for (const content of [
        '""',
        '" \\n"',
        '[]',
        '[{"type":"text","text":" "}]',
        '[{"type":"thinking","thinking":"x"}]',
        '42',
        'null',
      ]) {
        assert.equal(isCounted(content), false, content);
      }
      assert.ok(!flagsOf(A.replace('"uuid"', '"isMeta":true,"uuid"'), 'a').includes('counted'));
    });

    it('tells identical copies from different rows', () => {
      const rows = dump(`${A}\n${A.replace('one', 'uno')}\n${A}\n`).rows;
      assert.deepEqual(
        rows.map(({ sameAs }) => sameAs),
        [0, 1, 0],
      );
    });

    it('joins the calls and results that have one id, and the rows of one message', () => {
      const bytes = transcript([
        prompt('p', null),
        call('c1', 'p', 't1', { message: 'm' }),
        call('c2', 'c1', 't2', { message: 'm' }),
        result('r2', 'c2', 't2'),
        result('r1', 'c1', 't1'),
        reply('e', 'r1'),
      ]);
      const [, first, second, resultOfSecond, resultOfFirst, end] = dump(bytes).rows;
      assert.equal(first?.message, second?.message);
      assert.notEqual(first?.message, end?.message);
      assert.deepEqual(resultOfSecond?.toolResults, second?.toolUses);
      assert.deepEqual(resultOfFirst?.toolResults, first?.toolUses);
      assert.notDeepEqual(first?.toolUses, second?.toolUses);
    });

    it('keeps the newest last-prompt row that says anything, and how many rows stood before it', () => {
      const silent = { type: 'last-prompt' };
      const named = dump(transcript([prompt('p', null), lastPrompt('gone'), lastPrompt('p'), silent]));
      assert.deepEqual(named.lastPrompt, { line: 3, rowsBefore: 1, leaf: uuidOf('p'), isExplicit: false });
      const emptied = dump(transcript([lastPrompt('p'), prompt('p', null), lastPrompt(null, { explicit: true })]));
      assert.deepEqual(emptied.lastPrompt, { line: 3, rowsBefore: 1, leaf: null, isExplicit: true });
      assert.equal(dump(transcript([prompt('p', null), lastPrompt(null), silent])).lastPrompt, null);
    });

    it('takes titles and places from the last row that names them', () => {
      const facts = dump(
        transcript([
          prompt('p1', null, { cwd: '/one', gitBranch: 'main', version: '1' }),
          { type: 'ai-title', aiTitle: 'made' },
          { type: 'custom-title', customTitle: 'mine' },
          { type: 'custom-title', customTitle: 'mine again' },
          { type: 'summary', summary: 'sum' },
          prompt('p2', 'p1', { cwd: '/two', version: '2' }),
        ]),
      );
      assert.deepEqual(facts.titles, {
        custom: 'mine again',
        ai: 'made',
        lastPrompt: null,
        summary: 'sum',
        firstPrompt: 'prompt p1',
      });
      assert.deepEqual([facts.latest.cwd, facts.latest.gitBranch, facts.latest.clientVersion], ['/two', 'main', '2']);
    });
  });

  describe(`${name}: mangled transcripts`, () => {
    it('are read as a reader does that knows nothing but split and JSON.parse', () => {
      fc.assert(
        fc.property(mangledTranscript, (bytes) => {
          assertReadAlike(scan(bytes), bytes);
        }),
        { numRuns: 500 },
      );
    });

    it('are read as such in one-byte chunks, too', () => {
      fc.assert(
        fc.property(mangledTranscript, (bytes) => {
          assert.deepEqual(scanInPieces(bytes, forever(1)), dump(bytes));
        }),
        { numRuns: 40 },
      );
    });
  });
}

function assertReadAlike(facts: TranscriptFacts, bytes: Buffer): void {
  const expected = readSlowly(bytes);
  const { rows } = dumpFacts(facts);
  const rowLines = new Set(expected.map(({ line }) => line));
  const own = rows.filter(({ line }) => rowLines.has(line));
  assert.deepEqual(
    own.map(({ line, kind, uuid, parent, parentForm, timestamp, flags }) => ({
      line,
      kind,
      uuid,
      parent,
      parentForm,
      timestamp,
      isCounted: flags.includes('counted'),
      isSidechain: flags.includes('sidechain'),
    })),
    expected.map(({ toolUses: _uses, toolResults: _results, ...row }) => row),
  );
  assertSameKeys(
    own,
    expected.flatMap(({ toolUses }) => toolUses),
    ({ toolUses }) => toolUses,
  );
  assertSameKeys(
    own,
    expected.flatMap(({ toolResults }) => toolResults),
    ({ toolResults }) => toolResults,
  );
  const faulty = new Set(dumpFacts(facts).lineFaults.map(({ line }) => line));
  for (const row of rows.filter(({ line }) => !rowLines.has(line))) {
    assert.ok(faulty.has(row.line), `line ${row.line} holds a row that is not its own, without a fault`);
    assert.ok(!row.flags.includes('counted'), `line ${row.line} counts although it is no row`);
  }
  const newlines = bytes.toString('latin1').split('\n').length - 1;
  assert.equal(facts.lineCount, newlines + (bytes.length > 0 && bytes.at(-1) !== 10 ? 1 : 0));
  assert.equal(facts.fileSize, bytes.length);
}

/** Keys are numbers of the scanner's own: they must stand for the same texts, one for one. */
function assertSameKeys(
  rows: readonly DumpedRow[],
  texts: readonly string[],
  keysOf: (row: DumpedRow) => readonly number[],
): void {
  const keys = rows.flatMap(keysOf);
  assert.equal(keys.length, texts.length);
  const pairs = new Set(keys.map((key, at) => `${key} ${texts[at] ?? ''}`));
  assert.deepEqual([pairs.size, pairs.size], [new Set(keys).size, new Set(texts).size]);
}

/** Two rows may differ in what stands around them. */
function withoutHash({ sameAs: _sameAs, ...row }: DumpedRow): Omit<DumpedRow, 'sameAs'> {
  return row;
}

function* forever(size: number): Generator<number> {
  for (;;) yield size;
}

function* around(sizes: readonly number[]): Generator<number> {
  for (;;) yield* sizes;
}
