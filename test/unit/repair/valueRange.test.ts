import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { valueRange } from '../../rooms/transcript';
import { FIXTURES, listRecordings } from '../../support/fixtures';

type Entry = readonly [key: string, value: unknown];

const key = fc.oneof(fc.constantFrom('uuid', 'parentUuid', '', 'a"b', '\\', 'é', '☕'), fc.string());
const entries: fc.Arbitrary<Entry[]> = fc.array(fc.tuple(key, fc.jsonValue({ maxDepth: 3 })), { maxLength: 6 });
const space = fc.constantFrom('', '', ' ', '\t', '\r\n ', '  ');

/** JSON text with white space wherever it is allowed, and characters written as escapes. */
const text = fc
  .tuple(entries, fc.array(space, { minLength: 6, maxLength: 6 }), fc.boolean())
  .map(([pairs, [a = '', b = '', c = '', d = '', e = '', f = ''], isEscaped]) => {
    const write = (value: unknown): string => {
      const json = JSON.stringify(value, null, b.includes('\n') ? 1 : 0);
      return isEscaped
        ? json.replace(/[^ -~\n]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        : json;
    };
    const members = pairs.map(([name, value]) => `${c}${write(name)}${d}:${e}${write(value)}${f}`);
    return { pairs, json: `${a}{${members.join(',')}${b}}${a}` };
  });

function splice(json: string, name: string, value: unknown): string | null {
  const bytes = Buffer.from(json);
  const range = valueRange(bytes, name);
  if (range === null) return null;
  const parts = [bytes.subarray(0, range.start), Buffer.from(JSON.stringify(value)), bytes.subarray(range.end)];
  return Buffer.concat(parts).toString('utf8');
}

describe('valueRange', () => {
  it('finds exactly the value that JSON.parse returns', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.oneof(fc.uuid(), fc.constant(null)), ({ pairs, json }, pick, value) => {
        const name = pairs[pick % Math.max(pairs.length, 1)]?.[0] ?? 'none';
        const spliced = splice(json, name, value);
        if (pairs.length === 0) {
          assert.equal(spliced, null);
          return;
        }
        const at = pairs.findLastIndex(([other]) => other === name);
        const meant = pairs.map(([other, old], place): Entry => [other, place === at ? value : old]);
        assert.deepEqual(
          JSON.parse(spliced ?? ''),
          JSON.parse(`{${meant.map((pair) => pair.map((part) => JSON.stringify(part)).join(':')).join(',')}}`),
        );
        const bytes = Buffer.from(json);
        const range = valueRange(bytes, name);
        assert.deepEqual(
          JSON.parse(bytes.toString('utf8', range?.start, range?.end)),
          JSON.parse(JSON.stringify(pairs[at]?.[1])),
        );
        assert.equal(
          bytes.toString('utf8', range?.start, range?.end).trim().length,
          bytes.toString('utf8', range?.start, range?.end).length,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('finds no key that the object lacks, even if nested objects or texts contain it', () => {
    fc.assert(
      fc.property(text, key, ({ pairs, json }, name) => {
        fc.pre(!pairs.some(([other]) => other === name));
        assert.equal(valueRange(Buffer.from(json), name), null);
      }),
      { numRuns: 300 },
    );
    const nested = '{"a":{"uuid":1},"b":[{"uuid":2}],"c":"\\"uuid\\":3,","d":"{\\"uuid\\":4}"}';
    assert.equal(valueRange(Buffer.from(nested), 'uuid'), null);
  });

  it('reads a key that contains escapes', () => {
    assert.equal(splice('{"\\u0075uid":"x","y":1}', 'uuid', 'new'), '{"\\u0075uid":"new","y":1}');
  });

  it('takes the last of two keys with the same name', () => {
    assert.equal(splice('{"uuid":1,"uuid":[2,{"uuid":3}],"z":0}', 'uuid', 'new'), '{"uuid":1,"uuid":"new","z":0}');
  });

  it('finds values of every type', () => {
    for (const value of ['0', '-1.5e9', 'true', 'null', '"a,}\\\\"', '"\\""', '[]', '{}', '[{"a":[1,"]"]}]', '""']) {
      assert.equal(splice(`{"a":1, "k" : ${value} ,"z":0}`, 'k', 7), '{"a":1, "k" : 7 ,"z":0}', value);
      assert.equal(splice(`{"k":${value}}`, 'k', 7), '{"k":7}', value);
    }
  });

  it('finds parentUuid and uuid of every recorded row', () => {
    for (const recording of listRecordings()) {
      for (const line of readFileSync(join(FIXTURES, recording), 'utf8').trimEnd().split('\n')) {
        const row = JSON.parse(line) as Record<string, unknown>;
        for (const name of ['uuid', 'parentUuid', 'sourceToolAssistantUUID']) {
          assert.equal(splice(line, name, row[name]), name in row ? line : null);
        }
      }
    }
  });
});
