import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cleanLine, freshUuid } from '../../rooms/diagnose';
import { type ReadableFile, spliceChunks, traceRepair } from '../../rooms/storage';
import { dissectLine } from '../../rooms/transcript';
import { scanBytes } from '../../support/scanBytes';
import { listRows } from '../transcript/dumpFacts';

const BOM = '\uFEFF';
const A = '{"type":"user","sessionId":"s","uuid":"a","message":{"content":"x"}}';
const B = '{"type":"user","sessionId":"s","uuid":"b","message":{"content":"y"}}';

function clean(text: string): string {
  const bytes = Buffer.from(text);
  const { splices } = cleanLine(bytes, dissectLine(bytes, false));
  return Buffer.concat([...spliceChunks([bytes], splices)]).toString('utf8');
}

const PADS = [
  '',
  '',
  '\0',
  BOM,
  '\v',
  '\f',
  ' \v ',
  '\v\0',
  '\u00a0',
  '\u00a0\v',
  '\v\u2028',
  `\u00a0${BOM}`,
  ' ',
  '\t',
  '\r',
  'x',
];

function fileOf(text: string): { readonly file: ReadableFile; readonly from: number; readonly to: number } {
  const content = Buffer.from(text);
  const file: ReadableFile = {
    fd: -1,
    read: (buffer, position) => Promise.resolve(content.copy(buffer, 0, position)),
    stat: () => Promise.reject(new Error('not asked')),
    close: () => Promise.resolve(),
  };
  return { file, from: 0, to: content.length };
}

describe('cleanLine', () => {
  it('removes NULs and byte order marks around a row', () => {
    assert.equal(clean(`\0\0\0${A}`), A);
    assert.equal(clean(`${A}\0\0`), A);
    assert.equal(clean(`${BOM}${A}`), A);
    assert.equal(clean(`\0${BOM}\0${A}\0`), A);
  });

  it('empties a line that contains only NULs', () => {
    assert.equal(clean('\0\0\0'), '');
    assert.equal(clean(`${BOM}\0`), '');
  });

  it('preserves white space', () => {
    assert.equal(clean(`\0 \t${A}\0\r`), ` \t${A}\r`);
  });

  it('puts each row on a separate line', () => {
    assert.equal(clean(A + B), `${A}\n${B}`);
    assert.equal(clean(`${A}\0\0${B}`), `${A}\n${B}`);
    assert.equal(clean(`${A} ${B}\0`), `${A}\n${B}`);
    assert.equal(clean(`\0${A}${B}${A}`), `${A}\n${B}\n${A}`);
  });

  it('keeps text that is not a row, on a separate line', () => {
    assert.equal(clean(A + B.slice(0, 30)), `${A}\n${B.slice(0, 30)}`);
    assert.equal(clean(A.slice(0, 30) + B), `${A.slice(0, 30)}\n${B}`);
    assert.equal(clean(`\0${A}\0rest\0`), `${A}\n\0rest\0`);
  });

  it('removes vertical tabs and form feeds around a row, and puts other white space that is none for JSON on a separate line', () => {
    for (const space of ['\v', '\f', ' \v\f']) {
      assert.equal(clean(space + A), space.replace(/[\v\f]/g, '') + A);
      assert.equal(clean(A + space), A + space.replace(/[\v\f]/g, ''));
    }
    for (const space of ['\u00a0', '\u2028', '\v\u3000', '\u00a0\v']) {
      assert.equal(clean(space + A), `${space}\n${A}`);
      assert.equal(clean(A + space), `${A}\n${space}`);
    }
  });

  it('describes what was there', () => {
    const said = (text: string): string[] => {
      const bytes = Buffer.from(text);
      const { from, to } = cleanLine(bytes, dissectLine(bytes, false));
      return [from, to];
    };
    assert.deepEqual(said(A + B), ['2 pieces on one line', '2 lines']);
    assert.deepEqual(said(`\0\0${A}`), ['2 stray bytes', '']);
    assert.deepEqual(said(`${BOM}${A}`), ['3 bytes of a byte order mark', '']);
  });

  it('loses only NULs, marks and what is between rows, and leaves nothing more to clean', () => {
    const piece = fc.constantFrom(
      A,
      B,
      '\0',
      '\0\0\0',
      BOM,
      ' ',
      '\v',
      '\u00a0',
      '\r',
      A.slice(0, 40),
      B.slice(25),
      'rest',
      '{',
      '}',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const line = pieces.join('');
        const cleaned = clean(line);
        const kept = (text: string): string => text.replace(/[\0\s\uFEFF]/g, '');
        assert.equal(kept(cleaned), kept(line));
        const rows = (text: string): number => listRows(scanBytes(`{}\n${text}\n`)).length;
        assert.ok(rows(cleaned) >= rows(line), cleaned);
        assert.equal(cleaned.split('\n').map(clean).join('\n'), cleaned);
      }),
      { numRuns: 400 },
    );
  });
});

describe('What cleanLine does to the lines of a transcript', () => {
  it('is known to an undo, whatever is around the rows', async () => {
    const pad = fc.constantFrom(...PADS);
    const line = fc.tuple(pad, fc.constantFrom(A, B, A + B), pad).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 6 }), async (lines) => {
        const after = lines.map(clean).join('\n');
        const isUnchanged = after === lines.join('\n');
        const trace = await traceRepair(fileOf(lines.join('\n')), fileOf(after));
        assert.deepEqual(trace, { kind: 'repaired', tailStart: Buffer.byteLength(after), isUnchanged });
      }),
      { numRuns: 400 },
    );
  });
});

describe('freshUuid', () => {
  it('is the same for the same row, and different for another', () => {
    const uuid = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';
    assert.equal(freshUuid(uuid, 3, 0), freshUuid(uuid, 3, 0));
    const others = [freshUuid(uuid, 4, 0), freshUuid(uuid, 3, 1), freshUuid(uuid.toUpperCase(), 3, 0), uuid];
    assert.equal(new Set([freshUuid(uuid, 3, 0), ...others]).size, 5);
  });

  it('has the form of a uuid that the client accepts', () => {
    for (let line = 1; line < 200; line++) {
      assert.match(freshUuid('x', line, 0), /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });
});
