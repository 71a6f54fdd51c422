import type { ScannerFactory, TranscriptIndex } from '../rooms/transcript';
import { BorderScanner, ChangedLinesScanner, ChunkKeepingScanner, SharedLineScanner } from './mutantScanners';

type LineChange = (line: string) => string;

const BLOCK = 64;
const MAX_DEPTH = 500;
const MAX_CALLS = 256;
const CHUNK_LENGTH = 256 * 1024;

/** Typical mistakes of a fast scanner, as changes to the lines that a correct one reads. */
const LINE_CHANGES: Readonly<Record<string, LineChange>> = {
  'tells a type by its first letter and its length': (line) =>
    line.replace(/"(?:u[a-z]{3}|a[a-zA-Z]{8}|s[a-zA-Z]{5})"/g, (type) =>
      type.length === 6 ? '"user"' : type.length === 11 ? '"assistant"' : '"system"',
    ),
  'takes g for a hexadecimal digit': (line) =>
    line.replace(/"[0-9a-f-]*g[0-9a-f-]*"/g, (id) => (id.length === 38 ? id.replace('g', '0') : id)),
  'takes an upper-case uuid for the lower-case one': (line) =>
    line.replace(/"[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}"/g, (id) => id.toLowerCase()),
  'does not look where the dashes of a uuid are': (line) =>
    line.replace(/"[0-9a-f_-]{36}"/g, (id) => {
      const hex = id.replace(/["_-]/g, '');
      if (hex.length !== 32) return id;
      return `"${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}"`;
    }),
  'takes white space beyond ASCII for text': (line) =>
    line.replace(/"(?: |\xc2\xa0|\xe2\x80[\x80-\xaf]|\xe3\x80\x80|\xef\xbb\xbf)+"/g, (text) =>
      text.replace(/[^ "]/g, 'x'),
    ),
  'takes escaped white space for text': (line) =>
    line.replace(/"(?: |\\u(?:0020|000b|00A0|2028|FEFF|3000))+"/g, (text) => text.replaceAll('\\', 'x')),
  'takes the first of two fields of a row': keepFirstFields,
  'takes the first of two fields of a block': (line) => line.replace(/("type":"\w+"[^{}]*)"type":/g, '$1"typo":'),
  'takes the first uuid on the line for that of the row': (line) => {
    const first = /"uuid":"([^"]{36})"/.exec(line)?.[1];
    return first === undefined ? line : line.replace(/"uuid":"[^"]{36}"/g, `"uuid":"${first}"`);
  },
  'does not look at the digits of an escape': (line) => line.replace(/\\u(?![0-9a-fA-F]{4})/g, '\\n'),
  'allows any letter behind a backslash': (line) =>
    line.replace(/\\([^])/g, (escape, letter: string) => ('"\\/bfnrtu'.includes(letter) ? escape : '\\n')),
  'does not unescape keys': (line) => line.replace(/"\w*\\u\w*":/g, (key) => nameless(key)),
  'does not unescape ids': (line) =>
    line.replace(/"[\w-]*\\u00\w\w[\w-]*"(?!:)/g, (id) => (id.length > 36 ? id.replace('\\', 'x') : id)),
  'takes 30 February for the 28th': (line) => line.replace(/-02-30T/g, '-02-28T'),
  'knows no leap year': (line) => line.replace(/-02-29T/g, '-02-28T'),
  'reads past the offset of a time': (line) => line.replace(/(\d\d\.\d{3})[+-]\d\d:\d\d"/g, '$1Z"'),
  'reads past NULs before a row': (line) => line.replace(/^\0+/, (nuls) => ' '.repeat(nuls.length)),
  'reads past a byte order mark on any line': (line) => line.replace(/^\xef\xbb\xbf/, '   '),
  // eslint-disable-next-line no-control-regex -- Control characters are the subject of this mutant.
  'allows control characters in a string': (line) => line.replace(/[\x01-\x08\x0e-\x1f]/g, 'x'),
  'takes a form feed for white space': (line) => line.replace(/[\v\f]/g, ' '),
  'takes a no-break space for white space': (line) => line.replace(/(["{},:[\]])\xc2\xa0(?=["{},:[\]\d])/g, '$1  '),
  'allows a trailing comma': (line) => line.replace(/,(?=[}\]])/g, ' '),
  'allows a leading zero': (line) => line.replace(/([:[,])0(?=\d)/g, '$1 '),
  'allows a number that ends in a point': (line) => line.replace(/(\d)\.(?=[,}\]])/g, '$1 '),
  'tells a literal by its first letters': (line) => line.replace(/:(?:nulll|True|TRUE)/g, ':null'),
  'takes nothing but true for true': (line) =>
    line.replace(/("is(?:Sidechain|Meta)":)(?:"[^"]+"|\d+|\{\}|\[\])/g, '$10'),
  'takes "" in the place of a parent for an id': (line) => line.replace('"parentUuid":""', '"parentUuid":[]'),
  'gives up below 500 brackets': (line) =>
    /\[{500}|(?:\{"type":){500}/.test(line) ? 'x'.repeat(Math.min(line.length, MAX_DEPTH)) : line,
  'forgets calls of a row with many': (line) => {
    let calls = 0;
    return line.replace(/"tool_use"/g, (type) => (++calls > MAX_CALLS ? '"tool_off"' : type));
  },
  'loses count of the backslashes at the border of a block': (line) => {
    for (let at = BLOCK; at < line.length; at += BLOCK) {
      const run = /\\*$/.exec(line.slice(0, at))?.[0].length ?? 0;
      if (run % 2 === 1 && line[at] === '"') return line.slice(0, at);
    }
    return line;
  },
  'loses a row that is longer than a chunk': (line) => (line.length > CHUNK_LENGTH ? '' : line),
  'hashes all but the last byte': (line) => line.replace(/[ \t\r]$/, ' '),
  'ends a line at a carriage return': (line) => line.replace(/\r(?=.)/, '\n'),
  'keeps bytes that are no UTF-8 apart': (line) => line.replace(/("[\w-]*)[\x80\xff](?=[\w-]*"[,}])/g, '$1?'),
  'takes a nested block for one of the message': (line) => line.replace(/(\[|,)\[(\{"type":"[^[\]{}]*\})\]/g, '$1 $2 '),
  'counts tokens that are written as text': (line) => line.replace(/(_tokens":)"(\d+)"/g, '$1 $2 '),
  'does not read the exponent of a count': (line) => line.replace(/(_tokens":\d+)[eE]\+?\d+/g, '$1'),
  'counts tokens below zero': (line) => line.replace(/(_tokens":)-(?=[1-9])/g, '$1 '),
};

/** Mistakes in the results of the lines. */
const FACT_EDITS: Readonly<Record<string, (index: TranscriptIndex, lines: readonly string[]) => void>> = {
  'hashes the first 64 bytes of a row': ({ rows }, lines) => {
    rows.hash = (row) => checksum(lines[rows.line(row) - 1]?.slice(0, BLOCK) ?? '');
  },
  'cuts a title at 400 bytes': ({ titles }) => {
    const firstPrompt = titles.firstPrompt && Buffer.from(titles.firstPrompt).subarray(0, 400).toString();
    Object.assign(titles, { firstPrompt });
  },
  'lets the order of the file go for the time': ({ latest, rows }) => {
    if (rows.count > 0) Object.assign(latest, { messageMs: rows.timestamp(rows.count - 1) });
  },
  'takes the first message in the file for the earliest': ({ rows }) => {
    const firstOwnMs = rows.count === 0 ? null : rows.timestamp(0);
    Object.defineProperty(rows, 'firstOwnMs', { value: Number.isNaN(firstOwnMs) ? null : firstOwnMs });
  },
};

export interface Mutant {
  readonly name: string;
  readonly createScanner: ScannerFactory;
}

/** Faulty scanners, each with one mistake. */
export const MUTANTS: readonly Mutant[] = [
  ...Object.entries(LINE_CHANGES).map(([name, change]) => ({
    name,
    createScanner: ((options) => new ChangedLinesScanner(options, change)) satisfies ScannerFactory,
  })),
  ...Object.entries(FACT_EDITS).map(([name, edit]) => ({
    name,
    createScanner: ((options) => new ChangedLinesScanner(options, (line) => line, edit)) satisfies ScannerFactory,
  })),
  {
    name: 'leaves out hashes that are needed',
    createScanner: (options) =>
      new ChangedLinesScanner(
        options,
        (line) => line,
        ({ rows }) => {
          if (options?.withHashes === false) rows.hash = () => 0;
        },
      ),
  },
  { name: 'keeps a chunk that it was given', createScanner: (options) => new ChunkKeepingScanner(options) },
  { name: 'shares a line with other scanners', createScanner: (options) => new SharedLineScanner(options) },
  { name: 'loses a backslash at the end of a chunk', createScanner: (options) => new BorderScanner(options) },
];

/** Renames a field whose name occurred before. Handles only rows without spaces. */
function keepFirstFields(line: string): string {
  const seen = new Set<string>();
  let depth = 0;
  return line.replace(/"(?:[^"\\]|\\.)*"(:?)|[{}[\]]/g, (token, colon: string) => {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    if (colon === '' || depth !== 1) return token;
    if (seen.has(token)) return nameless(token);
    seen.add(token);
    return token;
  });
}

/** A key of the same length that is not relevant. */
function nameless(key: string): string {
  return `"${'x'.repeat(Math.max(0, key.length - 3))}":`;
}

function checksum(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) >>> 0;
  return sum;
}
