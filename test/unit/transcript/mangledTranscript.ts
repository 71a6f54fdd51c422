import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { FIXTURES, listRecordings } from '../../support/fixtures';

const MAX_LINE_LENGTH = 1500;
const LINES = listRecordings()
  .flatMap((file) => readFileSync(join(FIXTURES, file), 'latin1').split('\n'))
  .filter(({ length }) => length > 0 && length < MAX_LINE_LENGTH);

/** How a line of a recording is changed; Latin-1, one character a byte. */
const CHANGES: readonly ((line: string, at: number, byte: number) => string)[] = [
  (line, at, byte) => line.slice(0, at) + String.fromCharCode(byte) + line.slice(at + 1),
  (line, at) => line.slice(0, at),
  (line, at) => line.slice(at),
  (line, at) => `${line.slice(0, at)}\n${line.slice(at)}`,
  (line, _at, byte) => '\0'.repeat(1 + (byte % 9)) + line,
  (line, _at, byte) => line.replace(/\n$/, '') + '\0'.repeat(1 + (byte % 9)) + '\n',
  (line) => `\xef\xbb\xbf${line}`,
  (line) => line.replace(/\n$/, '\r\n'),
  (line) => line.replace(/\n$/, ''),
  (line, at, byte) => line.slice(0, at) + '\xe2\x98'.slice(0, 1 + (byte % 2)) + line.slice(at),
  (line) => ` \t${line}`,
  (line) => `${line}\n`,
  (line) => line + line,
  (line) => line.replace(/"parentUuid":("[^"]*"|null)/, '"parentUuid":0'),
  (line) => line.replace(/"parentUuid":("[^"]*"|null)/, '"parentUuid":[]'),
];

const change = fc.record({ how: fc.nat(CHANGES.length - 1), at: fc.nat(MAX_LINE_LENGTH), byte: fc.nat(255) });

const line = fc
  .tuple(fc.nat(LINES.length - 1), fc.array(change, { maxLength: 2 }))
  .map(([at, changes]) =>
    changes.reduce(
      (text, { how, at: place, byte }) =>
        CHANGES[how]?.(text, text.length === 0 ? 0 : place % text.length, byte) ?? text,
      `${LINES[at] ?? ''}\n`,
    ),
  );

/** Rows of the recordings in any order, with flipped bytes, cut and joined lines, and inserted NULs and marks. */
export const mangledTranscript: fc.Arbitrary<Buffer> = fc
  .array(line, { maxLength: 8 })
  .map((all) => Buffer.from(all.join(''), 'latin1'));
