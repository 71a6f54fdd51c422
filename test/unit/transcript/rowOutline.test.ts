import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type OutlinedRow, RowOutline } from '../../rooms/transcript';

const KEPT = 64 * 1024;

function outline(bytes: Buffer, chunkBytes = Infinity): OutlinedRow {
  const row = new RowOutline();
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    // The memory is used again, as a scanner does.
    const chunk = Buffer.from(bytes.subarray(at, Math.min(bytes.length, at + chunkBytes)));
    row.push(chunk);
    chunk.fill(0x58);
  }
  return row.end();
}

function known(bytes: Buffer, chunkBytes?: number): Extract<OutlinedRow, { kind: 'row' }> {
  const row = outline(bytes, chunkBytes);
  assert.ok(row.kind === 'row', row.kind);
  return row;
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe('RowOutline', () => {
  it('keeps a row without long strings as it is, wherever its bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
        fc.integer({ min: 1, max: 9 }),
        (object, size) => {
          const bytes = json(object);
          const row = known(bytes, size);
          assert.deepEqual(row.object, JSON.parse(bytes.toString('utf8')));
          assert.ok(row.bytes.equals(bytes));
        },
      ),
    );
  });

  it('shortens long strings and finds every other byte again, wherever the bytes are cut', () => {
    const long = fc
      .constantFrom('x', 'é', '€', '😀', '"', '\\', '\n', '\u0001', 'ab"cé')
      .map((text) => text.repeat(KEPT));
    const row = fc.record({
      parentUuid: fc.uuid(),
      content: long,
      more: fc.array(long, { maxLength: 2 }),
      uuid: fc.uuid(),
    });
    fc.assert(
      fc.property(row, fc.integer({ min: 1, max: 90_000 }), (object, size) => {
        const bytes = json(object);
        const { object: found, bytes: short, offsetOf } = known(bytes, size);
        assert.ok(short.length < 2.3 * (1 + object.more.length) * KEPT, `${short.length} bytes are kept`);
        assert.deepEqual([found['parentUuid'], found['uuid']], [object.parentUuid, object.uuid]);
        const content = String(found['content']);
        const mark = /…[0-9a-f]+$/u.exec(content)?.[0] ?? assert.fail('not shortened');
        assert.ok(object.content.startsWith(content.slice(0, -mark.length)));
        for (const key of ['"parentUuid"', '"content"', '"more"', '"uuid"']) {
          assert.equal(offsetOf(short.lastIndexOf(key)), bytes.lastIndexOf(key), key);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('distinguishes rows that differ only in what is left out', () => {
    const [one, other] = ['a', 'b'].map((end) => known(json({ text: `${'x'.repeat(3 * KEPT)}${end}` })).bytes);
    assert.ok(one !== undefined && other !== undefined && !one.equals(other));
    assert.ok(
      known(json({ text: `${'x'.repeat(3 * KEPT)}a` }), 7).bytes.equals(one),
      'the same row has the same outline',
    );
  });

  it('accepts exactly the rows that JSON.parse accepts', () => {
    const long = 'y'.repeat(2 * KEPT);
    const texts = ['"', '\\', '\\x', '\\u12', '\\u12g4', '\\u00e4', '\\n', '\t', '\u0000', '}', '', 'é'];
    for (const [text, end] of texts.flatMap((each) =>
      ['"}', '"', '}', '"}x', '"} \r'].map((ending) => [each, ending]),
    )) {
      const bytes = Buffer.from(`{"a":"${long}${text ?? ''}${long}${end ?? ''}`);
      let isJson = true;
      try {
        JSON.parse(bytes.toString('utf8'));
      } catch {
        isJson = false;
      }
      for (const size of [1000, 65_537])
        assert.equal(outline(bytes, size).kind, isJson ? 'row' : 'torn', JSON.stringify([text, end]));
    }
  });

  it('knows nothing of a row behind padding, or of one that is long without a long string', () => {
    assert.equal(outline(Buffer.from(`\0{"a":"${'x'.repeat(KEPT)}"}`)).kind, 'unknown');
    const row = new RowOutline();
    row.push(Buffer.from('{"a":['));
    const numbers = Buffer.from('1,'.repeat(512 * 1024));
    for (let megabytes = 0; megabytes < 65; megabytes++) row.push(numbers);
    row.push(Buffer.from('1]}'));
    assert.equal(row.end().kind, 'unknown');
  });
});
