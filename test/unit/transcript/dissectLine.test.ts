import assert from 'node:assert/strict';
import { dissectLine } from '../../rooms/transcript';

/** How often a line is parsed. Each failure costs an exception, which takes longer than everything else. */
function parsesOf(line: string): number {
  const parse = JSON.parse.bind(JSON);
  let parses = 0;
  JSON.parse = (text, reviver) => {
    parses++;
    return parse(text, reviver) as unknown;
  };
  try {
    assert.deepEqual(dissectLine(Buffer.from(line), false).objects, []);
  } finally {
    JSON.parse = parse;
  }
  return parses;
}

describe('A torn line', () => {
  it('is not parsed if it cannot be an object, so that a file of such lines is read quickly', () => {
    for (const line of ['{', '{"a":', '{"a":[1,', '{"a":1,\r', '{"a":"}" ']) assert.equal(parsesOf(line), 0, line);
  });

  it('is parsed once if it ends like an object', () => {
    for (const line of ['{a}', '{"a":}', '{{}}']) assert.equal(parsesOf(line), 1, line);
  });
});
