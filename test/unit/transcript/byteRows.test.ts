import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BoundaryForm,
  ByteFlag,
  ByteRows,
  LineSplitter,
  PromptForm,
  type ScannerFactory,
} from '../../rooms/transcript';
import { damage } from '../../support/damage';
import { FIXTURES, listRecordings } from '../../support/fixtures';
import { pushPieces } from '../../support/pushPieces';
import { repeating } from '../../support/repeating';
import { wasmScanners } from '../../support/scannerModule';
import { uuidOf } from '../../support/transcriptBuilder';
import { dumpByteRows } from './dumpFacts';
import { plainScanner } from '../../support/plainScanner';

const OWN = uuidOf('own');
const PARENT = uuidOf('parent');
const OTHER = uuidOf('other');
const TIME = '2026-06-01T10:00:00.000Z';
const MESSAGE = { type: 'user', message: { role: 'user', content: 'x' } };
const TIMED = { uuid: OTHER, timestamp: TIME };

/** As clients write it; `fields` come before the uuid. */
function row(fields: object = {}, parent: unknown = PARENT): string {
  return json({ parentUuid: parent, isSidechain: false, type: 'user', ...fields, uuid: OWN, timestamp: TIME });
}

function json(value: unknown): string {
  return JSON.stringify(value);
}

function boundary(compactMetadata: unknown, fields: object = {}): string {
  return row({ type: 'system', ...fields, subtype: 'compact_boundary', compactMetadata }, null);
}

function readLines(lines: readonly string[]): ByteRows {
  const byteRows = new ByteRows();
  const splitter = new LineSplitter(byteRows);
  splitter.push(Buffer.from(lines.map((line) => `${line}\n`).join('')));
  splitter.end();
  return byteRows;
}

/** The only line as the reader links it; null for metadata. */
function linkOf(line: string): object | null {
  const rows = readLines([line]);
  if (rows.count !== 1 || !rows.has(0, ByteFlag.linked)) return null;
  const parent = rows.has(0, ByteFlag.hasParent) ? rows.ids.text(rows.named(0)) : null;
  return {
    parent: rows.has(0, ByteFlag.oddParent) ? 'odd' : parent,
    uuid: rows.ids.text(rows.uuid(0)),
    isSidechain: rows.has(0, ByteFlag.sidechain),
  };
}

const USUAL = { parent: PARENT, uuid: OWN, isSidechain: false };

describe('The links of a row by its bytes', () => {
  const cases: Readonly<Record<string, readonly [line: string, expected: object | null]>> = {
    'are those of its own fields': [row(), USUAL],
    'name no parent when it is null': [row({}, null), { ...USUAL, parent: null }],
    'are none without the key of a parent': [json({ type: 'user', uuid: OWN, timestamp: TIME }), null],
    'are none without a uuid in another key order': [json({ type: 'x', parentUuid: PARENT }), null],
    'are found in any key order': [json({ type: 'user', uuid: OWN, timestamp: TIME, parentUuid: PARENT }), USUAL],
    'are found behind a space': [` ${row()}`, USUAL],
    'are found behind NULs': [`\0\0${row()}`, USUAL],
    'are found behind a byte order mark': [`\uFEFF${row()}`, USUAL],
    'are found in a torn row': [row().slice(0, -4), USUAL],
    'are those of the first parent of two': [row().replace('"type"', `"parentUuid":"${OTHER}","type"`), USUAL],
    'take no nested parent in another key order': [
      json({ x: { parentUuid: OTHER }, uuid: OWN, timestamp: TIME, parentUuid: PARENT }),
      USUAL,
    ],
    'are odd when the parent follows a space': [row().replace('":"', '": "'), { ...USUAL, parent: 'odd' }],
    'are odd when the parent is a number': [row({}, 5), { ...USUAL, parent: 'odd' }],
    'are none when a space precedes the colon of the parent': [row().replace('":"', '" :"'), null],
    'run on behind a short id': [
      row().replace(PARENT, 'short'),
      { ...USUAL, parent: 'short","isSidechain":false,"type":"u' },
    ],
    'end after 36 bytes of a long id': [row({}, `${PARENT}-more`), USUAL],
    'keep the escapes of an id': [
      row().replace(PARENT, `\\u0030${PARENT}`),
      { ...USUAL, parent: `\\u0030${PARENT.slice(0, 30)}` },
    ],
    'take the outermost uuid of two with a time': [row({ x: TIMED }), USUAL],
    'take a nested uuid with a time when the own one has none': [
      json({ parentUuid: PARENT, isSidechain: false, timestamp: TIME, uuid: OWN, x: TIMED }),
      { ...USUAL, uuid: OTHER },
    ],
    'take the last of two nested uuids with a time': [
      json({
        parentUuid: PARENT,
        isSidechain: false,
        uuid: OTHER,
        x: { ...TIMED, uuid: PARENT },
        y: { ...TIMED, uuid: OWN },
      }),
      USUAL,
    ],
    'take the first uuid of the line when none has a time': [
      json({ parentUuid: PARENT, isSidechain: false, x: { uuid: OTHER }, uuid: OWN }),
      { ...USUAL, uuid: OTHER },
    ],
    'take no uuid from a text': [row({ content: json(TIMED) }), USUAL],
    'take the parent of the first and the uuid of the first with a time of glued rows': [
      row() + row({}, OTHER).replace(OWN, OTHER),
      USUAL,
    ],
    'are of a sidechain when the flag is nested in the first 256 bytes': [
      row().replace('"isSidechain":false', '"x":{"isSidechain":true},"isSidechain":false'),
      { ...USUAL, isSidechain: true },
    ],
    'are of no sidechain when a nested flag comes later': [
      row().replace('"isSidechain":false', `"y":"${'y'.repeat(256)}","x":{"isSidechain":true},"isSidechain":false`),
      USUAL,
    ],
    'are of a sidechain when the own flag comes later': [
      row().replace('"isSidechain":false', `"y":"${'y'.repeat(256)}","isSidechain":true`),
      { ...USUAL, isSidechain: true },
    ],
    'are of no sidechain when a space precedes the flag': [row().replace('n":false', 'n": true'), USUAL],
    'are none of an attribution snapshot': [row().replace('{', '{"type":"attribution-snapshot",'), null],
  };
  for (const [name, [line, expected]] of Object.entries(cases)) {
    it(name, () => {
      assert.deepEqual(linkOf(line), expected);
    });
  }

  it('say that a row without a parent is no leaf when its line holds no object or a file snapshot', () => {
    const isNoLeaf = (line: string): boolean => readLines([line]).has(0, ByteFlag.noLeaf);
    assert.equal(isNoLeaf(row({}, null)), false);
    assert.equal(isNoLeaf(`\0${row({}, null)}`), false);
    assert.equal(isNoLeaf(row({}, null).slice(0, -1)), true);
    assert.equal(isNoLeaf(`\uFEFF${row({}, null)}`), true);
    assert.equal(isNoLeaf(row({ type: 'system', subtype: 'file_snapshot' }, null)), true);
    assert.equal(isNoLeaf(row({ type: 'system', subtype: 'file_snapshot' })), false);
  });
});

describe('A compaction by its bytes', () => {
  const formOf = (line: string): BoundaryForm => readLines([line, row()]).boundaryForm(0);
  const far = 'y'.repeat(4100);
  const list = { anchorUuid: OWN, uuids: [PARENT] };
  const cases: Readonly<Record<string, readonly [line: string, form: BoundaryForm]>> = {
    'keeps nothing': [boundary({ trigger: 'auto' }), BoundaryForm.plain],
    'keeps what it lists': [boundary({ preservedMessages: list }), BoundaryForm.listed],
    'lists nothing when the list is empty': [
      boundary({ preservedMessages: { ...list, uuids: [] } }),
      BoundaryForm.unlisted,
    ],
    'lists nothing when an entry is no string': [
      boundary({ preservedMessages: { ...list, uuids: [PARENT, 5] } }),
      BoundaryForm.unlisted,
    ],
    'lists nothing when it names a segment': [boundary({ preservedSegment: { headUuid: OWN } }), BoundaryForm.unlisted],
    'is seen behind NULs': [`\0\0${boundary({})}`, BoundaryForm.plain],
    'is not seen behind a byte order mark': [`\uFEFF${boundary({})}`, BoundaryForm.none],
    'is not seen with anything behind it': [`${boundary({})}x`, BoundaryForm.none],
    'is not seen when its name and its metadata come after 4,096 bytes': [boundary({}, { far }), BoundaryForm.none],
    'is seen by its metadata in the first 4,096 bytes': [
      json({ parentUuid: null, compactMetadata: {}, far, type: 'system', subtype: 'compact_boundary', uuid: OWN }),
      BoundaryForm.plain,
    ],
    'is no row that only speaks of one': [row({ message: { content: 'x', y: 'compact_boundary' } }), BoundaryForm.none],
  };
  for (const [name, [line, form]] of Object.entries(cases)) {
    it(name, () => {
      assert.equal(formOf(line), form);
    });
  }

  it('is kept when it is no row of the tree', () => {
    const rows = readLines([json({ type: 'system', subtype: 'compact_boundary' })]);
    assert.deepEqual([rows.boundaryForm(0), rows.has(0, ByteFlag.linked)], [BoundaryForm.plain, false]);
  });
});

describe('A last-prompt by its bytes', () => {
  const fields = { lastPrompt: 'x', leafUuid: OWN };
  const first = json({ type: 'last-prompt', ...fields });
  const later = json({ sessionId: 's', type: 'last-prompt', ...fields });
  const long = json({ type: 'last-prompt', ...fields, lastPrompt: 'x'.repeat(1000) });
  const cases: Readonly<Record<string, readonly [line: string, form: PromptForm]>> = {
    'starts with its type': [first, PromptForm.first],
    'starts with its type, whatever is glued to it': [`${first}xxx`, PromptForm.first],
    'has its type later': [later, PromptForm.other],
    'is dropped when its type comes later and anything is glued to it': [`${later}x`, PromptForm.dropped],
    'is dropped behind NULs': [`\0${first}`, PromptForm.dropped],
    'is ignored from 1,024 bytes on': [long, PromptForm.ignored],
    'is ignored when its type comes after 64 bytes': [
      json({ y: 'y'.repeat(64), type: 'last-prompt', ...fields }),
      PromptForm.ignored,
    ],
    'is none when the text is nested': [json({ y: { type: 'last-prompt' }, type: 'mode' }), PromptForm.none],
  };
  for (const [name, [line, form]] of Object.entries(cases)) {
    it(name, () => {
      const rows = readLines([line]);
      assert.equal(rows.count === 0 ? PromptForm.none : rows.promptForm(0), form);
    });
  }

  it('of 1,023 bytes is read', () => {
    const line = json({ type: 'last-prompt', ...fields, lastPrompt: 'x'.repeat(1023 - first.length + 1) });
    assert.equal(line.length, 1023);
    assert.equal(readLines([line]).promptForm(0), PromptForm.first);
  });

  it('names a leaf, says that there is none, or says nothing', () => {
    const saysOf = (leafUuid: unknown): boolean[] => {
      const rows = readLines([json({ type: 'last-prompt', lastPrompt: 'x', leafUuid })]);
      return [ByteFlag.namesLeaf, ByteFlag.hasLeaf, ByteFlag.saysLeaf].map((flag) => rows.has(0, flag));
    };
    assert.deepEqual(saysOf(OWN), [true, true, true]);
    assert.deepEqual(saysOf(null), [false, true, true]);
    assert.deepEqual(saysOf(undefined), [false, false, false]);
    assert.deepEqual(saysOf(''), [false, true, false]);
  });
});

describe('The rows by their bytes', () => {
  const scanners: Readonly<Record<string, ScannerFactory>> = {
    reference: plainScanner,
    fast: wasmScanners(),
  };
  const scan = (create: ScannerFactory, bytes: Buffer, pieces: Iterable<number> = [bytes.length]): unknown => {
    const scanner = create({ withByteRows: true });
    Array.from(pushPieces(scanner, bytes, pieces));
    return dumpByteRows(scanner.end().byteRows);
  };

  it('are the same of every scanner, however the file is cut', () => {
    for (const [at, file] of listRecordings().entries()) {
      const { bytes } = damage(readFileSync(join(FIXTURES, file)), at + 1);
      const expected = scan(scanners['reference'] ?? wasmScanners(), bytes, repeating(bytes.length));
      for (const [name, create] of Object.entries(scanners)) {
        for (const size of [61, 4096]) {
          assert.deepEqual(scan(create, bytes, repeating(size)), expected, `${name}, ${file}, pieces of ${size}`);
        }
      }
    }
  });

  it('are not collected unless a caller asks for them', () => {
    for (const create of Object.values(scanners)) assert.equal(create().end().byteRows, null);
  });

  describe('that the fast scanner proves', () => {
    /** What it proves without a second reading, after a row whose parent is lost; null if it leaves the file to that. */
    const prove = (lines: readonly string[]): unknown => {
      const bytes = Buffer.from([row(MESSAGE, OTHER), ...lines].map((line) => `${line}\n`).join(''));
      const scanner = wasmScanners()({ withHashes: false, withProvenByteRows: true });
      scanner.push(bytes);
      const proven = scanner.read(({ byteRows }) => dumpByteRows(byteRows));
      if (proven !== null) assert.deepEqual(proven, scan(plainScanner, bytes));
      return proven;
    };
    const text = (fields: object): string => row({ ...MESSAGE, ...fields });
    const system = {
      parentUuid: PARENT,
      isSidechain: true,
      type: 'system',
      subtype: 'turn_duration',
      timestamp: TIME,
      uuid: OWN,
    };
    const metadata = { type: 'mode', mode: 'x' };
    const prompt = { type: 'last-prompt', lastPrompt: 'x', leafUuid: OWN };
    const proven: Readonly<Record<string, string>> = {
      'a message': text({}),
      'a message with another row in it': text({ toolUseResult: { uuid: OTHER, timestamp: TIME } }),
      'a message without a parent': row(MESSAGE, null),
      'a row whose uuid comes last': json(system),
      metadata: json(metadata),
      'a last-prompt': json(prompt),
      'a last-prompt without a leaf': json({ ...prompt, leafUuid: undefined }),
      'a compaction with a list': boundary({ preservedMessages: { anchorUuid: OWN, uuids: [OWN, PARENT] } }),
      'a torn row': text({}).replace(PARENT, OTHER).slice(0, -9),
      'a row behind NULs': `\0${text({})}`,
    };
    const left: Readonly<Record<string, string>> = {
      'a parent that comes later': json({ ...MESSAGE, parentUuid: PARENT, isSidechain: false, ...TIMED }),
      'a parent that is false': row(MESSAGE, false),
      'a space before the parent': text({}).replace('{"parent', '{ "parent'),
      'a space before the uuid': text({}).replace('"uuid":"', '"uuid": "'),
      'two parents': text({}).replace('"type"', `"parentUuid":"${OTHER}","type"`),
      'two uuids': text({}).replace('"type"', `"uuid":"${OTHER}","type"`),
      'a field between the parent and isSidechain': text({}).replace('"isSide', '"x":0,"isSide'),
      'a uuid that comes last, after a nested one': json({
        ...system,
        uuid: undefined,
        x: { uuid: OTHER },
        y: 0,
      }).replace('"y":0', `"uuid":"${OWN}"`),
      'a uuid that comes last in more than 4,096 bytes': json({ x: 'x'.repeat(4096), ...system }).replace(
        /^(.)("x":"x+",)(.*),"type"/,
        '$1$3,$2"type"',
      ),
      'metadata with a parent': json({ ...metadata, parentUuid: PARENT }),
      'metadata with two types': json(metadata).replace('{', '{"type":"last-prompt",'),
      'a last-prompt of 1,024 bytes': json({ ...prompt, lastPrompt: 'x'.repeat(1024) }),
      'a last-prompt that does not start with its type': json({ lastPrompt: 'x', type: 'last-prompt', leafUuid: OWN }),
      'a leaf that is null': json({ ...prompt, leafUuid: null }),
      'a torn row with an id that no other row has': text({}).replace(PARENT, uuidOf('nowhere')).slice(0, -9),
    };
    for (const [name, line] of Object.entries(proven)) {
      it(`include ${name}`, () => {
        assert.notEqual(prove([line]), null);
      });
    }
    for (const [name, line] of Object.entries(left)) {
      it(`are not proved with ${name}`, () => {
        assert.equal(prove([line]), null);
      });
    }

    it('are those of every damaged recording in its usual form', () => {
      let count = 0;
      for (const [at, file] of listRecordings().entries()) {
        const { bytes } = damage(readFileSync(join(FIXTURES, file)), at + 1);
        if (prove(bytes.toString('latin1').split('\n').slice(0, -1)) !== null) count++;
      }
      assert.ok(count > listRecordings().length / 2, `${count} of ${listRecordings().length}`);
    });
  });
});
