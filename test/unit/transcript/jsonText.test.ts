import assert from 'node:assert/strict';
import fc from 'fast-check';
import { BROKEN, JsonText, OPEN } from '../../rooms/transcript';

/** Reads lines until the value ends; returns the line and the offset, or what the last line gave. */
function read(text: string): readonly [line: number, result: number] {
  const lines = text.split('\n').map((line) => Buffer.from(line));
  const reader = new JsonText();
  for (const [at, line] of lines.entries()) {
    const result = reader.read(line);
    if (result !== OPEN || at === lines.length - 1) return [at, result];
  }
  return [0, OPEN];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const value = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()));

describe('JsonText', () => {
  it('ends where JSON.parse does, however the value is spread over lines', () => {
    fc.assert(
      fc.property(value, fc.constantFrom(0, 1, '\t'), (json, indent) => {
        const text = JSON.stringify(json, null, indent);
        const last = text.split('\n').at(-1) ?? '';
        assert.deepEqual(read(`${text} x`), [text.split('\n').length - 1, Buffer.byteLength(last)]);
      }),
    );
  });

  it('is open at every end of a line before that', () => {
    fc.assert(
      fc.property(value, (json) => {
        const lines = JSON.stringify(json, null, 1).split('\n');
        for (let count = 1; count < lines.length; count++) {
          assert.equal(read(lines.slice(0, count).join('\n'))[1], OPEN);
        }
      }),
    );
  });

  it('accepts a changed text if, and only if, JSON.parse does', () => {
    const change = fc.record({
      at: fc.nat(),
      by: fc.constantFrom(...Array.from('{}[],:"\\ 01-.eEtnu\t\0\u00e9'), '""', 'null', ''),
    });
    fc.assert(
      fc.property(value, fc.array(change, { minLength: 1, maxLength: 2 }), (json, changes) => {
        let text = JSON.stringify(json, null, 1);
        for (const { at, by } of changes) {
          const place = at % text.length;
          text = text.slice(0, place) + by + text.slice(place + 1);
        }
        const [line, end] = read(text);
        const lines = text.split('\n');
        const isWhole =
          end >= 0 &&
          (lines[line] ?? '').slice(end).trim() === '' &&
          lines
            .slice(line + 1)
            .join('')
            .trim() === '';
        const isValue = isJson(text) && /^\s*[[{]/.test(text);
        assert.equal(isWhole && !/[^\t\n\r -~]/.test((lines[line] ?? '').slice(end)), isValue, JSON.stringify(text));
      }),
      { numRuns: 2000 },
    );
  });

  for (const text of [
    '{]',
    '[}',
    '{1',
    '{"a" 1}',
    '{"a":01}',
    '{"a":"\\x"}',
    '{"a":"\\u12g4"}',
    '{"a":"x\ny"}',
    '[1,]',
    '[tru',
    '1',
    'x',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.equal(read(`${text}\n`)[1], BROKEN);
    });
  }
});
