import type { Random } from '../../support/random';
import { oneOf } from './scene';

const BOM = '\xef\xbb\xbf';
/** Characters that are special to JSON, UTF-8 or a line splitter. */
const BYTES = Array.from(
  '{}[],:"\\ 019-+.eEutfnrx/ag\0\x01\t\v\f\r\n\x1f\x7f\x80\xa0\xbf\xc0\xc2\xe2\xed\xef\xf0\xf5\xff',
);
const SEQUENCES = [
  ...[
    '\\x',
    '\\u12g4',
    '\\u',
    '\\u00',
    '\\ud800',
    '\\"',
    '\\\\',
    '\\u0022',
    '\\u005c',
    '""',
    '":',
    ',"',
    '},{',
    '}{',
    '{}',
  ],
  ...[
    '\xc0\x80',
    '\xc1\xbf',
    '\xe0\x80\x80',
    '\xed\xa0\x80',
    '\xed\xbf\xbf',
    '\xf4\x90\x80\x80',
    '\xf8\x88\x80\x80\x80',
    '\xe2\x98',
  ],
  ...[
    '\xc2\xa0',
    '\xe2\x80\xa8',
    '\xe2\x80\xa9',
    BOM,
    '\xf0\x9d\x84\x9e',
    '\0\0\0',
    '\r\n',
    '\xc2\x85',
    '"uuid":"',
    '"type":"user",',
  ],
];
const PADDINGS = [
  ...[
    ' ',
    '\t',
    '\r',
    ' \t',
    '\0',
    '\0\0\0',
    '\0 ',
    ' \0',
    `\0${BOM}`,
    `${BOM}\0`,
    BOM,
    BOM + BOM,
    ` ${BOM}`,
    `${BOM} `,
  ],
  ...[
    '\v',
    '\f',
    '\xc2\xa0',
    '\xe2\x80\xa8',
    '\xe3\x80\x80',
    '\x85',
    '\xc2\x85',
    '\x1c',
    '\xa0',
    '\xe1\xa0\x8e',
    '\xef\xbb',
    '\xef',
  ],
];
const RESTS = [
  ...[
    ',',
    ';',
    '}',
    ']',
    ']}',
    '"',
    'x',
    'garbage',
    'null',
    '0',
    '[]',
    '{}',
    '{',
    '""',
    '/',
    '#',
    '\\',
    '{"type":"user"}',
  ],
  ...[
    '{"parentUuid":null,"type":"user","uuid":"r","sessionId":"s"}',
    '{"type":"mode","sessionId":"s"}',
    '{"type":"mode"}',
  ],
];

/** Changes the bytes of a line, which contains no newlines except those added here. */
export type LineChange = (line: string, random: Random, others: readonly string[]) => string;

export const LINE_CHANGES: readonly LineChange[] = [
  (line, random) => at(line, random, (byte) => String.fromCharCode(byte.charCodeAt(0) ^ (1 << random.below(8)))),
  (line, random) => at(line, random, () => oneOf(random, BYTES)),
  (line, random) => at(line, random, (byte) => oneOf(random, BYTES) + byte),
  (line, random) => at(line, random, (byte) => oneOf(random, SEQUENCES) + byte),
  (line, random) => at(line, random, () => ''),
  (line, random) => at(line, random, (byte) => byte + byte),
  (line, random) => at(line, random, () => String.fromCharCode(random.below(256))),
  (line, random) => atMark(line, random, () => oneOf(random, BYTES)),
  (line, random) => atMark(line, random, (mark) => oneOf(random, BYTES) + mark),
  (line, random) => atMark(line, random, (mark) => mark + oneOf(random, SEQUENCES)),
  (line, random) => atMark(line, random, () => ''),
  (line, random) => atMark(line, random, (mark) => mark + mark),
  (line, random) => line.slice(0, random.below(line.length + 1)),
  (line, random) => line.slice(random.below(line.length + 1)),
  (line, random) => {
    const from = random.below(line.length + 1);
    return line.slice(0, from) + line.slice(from + random.below(100));
  },
  (line, random) => {
    const from = random.below(line.length + 1);
    return line.slice(0, from + random.below(100)) + line.slice(from);
  },
  (line, random) => oneOf(random, PADDINGS) + line,
  (line, random) => '\0'.repeat(random.pick([1, 2, 15, 16, 64, 4096])) + line,
  (line, random) => line + oneOf(random, PADDINGS),
  (line, random) => line + oneOf(random, RESTS),
  (line, random) => oneOf(random, RESTS) + line,
  (line, random, others) => line + random.pick(['', ' ', '\0', ',', '\r', BOM, '\n', '\v']) + oneOf(random, others),
  (line, random, others) => line.slice(0, random.below(line.length + 1)) + oneOf(random, others),
  (line, random, others) => line + oneOf(random, others).slice(0, random.below(200)),
  (line) => `[${line}]`,
  (line, random) =>
    oneOf(random, [...PADDINGS, '']) +
    random.pick(['', '\n', ' \n', '\r\n', '\0\n', 'null', '42', '"x"', '{}', '[]', '{"":0}']) +
    oneOf(random, ['', line]),
];

function at(line: string, random: Random, change: (byte: string) => string): string {
  if (line === '') return line;
  const place = random.below(line.length);
  return line.slice(0, place) + change(line.charAt(place)) + line.slice(place + 1);
}

/** At one of JSON's structural characters, where an extra or missing byte matters. */
function atMark(line: string, random: Random, change: (mark: string) => string): string {
  const from = random.below(line.length + 1);
  const place = from + line.slice(from).search(/["{}[\],:\\]/);
  return place < from ? line : line.slice(0, place) + change(line.charAt(place)) + line.slice(place + 1);
}
