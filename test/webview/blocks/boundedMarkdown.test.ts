import assert from 'node:assert/strict';
import { Lexer, Parser } from 'marked';
import { boundedMarkdown } from '../../../src/webview/blocks/markdown/parseMarkdown';
import { MAX_PIECE_CHARS, splitMarkdown } from '../../../src/webview/blocks/markdown/splitMarkdown';

/** The length of one piece of Markdown, as the panel splits long texts. */
const PIECE_CHARS = 16 * 1024;
/** How often the parser may run a regular expression on one piece. */
const MAX_QUESTIONS = 5 * PIECE_CHARS;
const MAX_NESTING = 45;

type Shape = (chars: number) => string;

/** Input that takes quadratic time, or nests as deep as it is long. No person writes it. */
const GIVEN_UP: Readonly<Record<string, Shape>> = {
  'emphasis that never ends': repeated('*a'),
  'emphasis of two signs': repeated('**a *b '),
  'emphasis by lines below': repeated('_a __b '),
  'words crossed out': repeated('~~a ~b '),
  'opening brackets': repeated('['),
  'images that never end': repeated('!['),
  'links that never end': repeated('[a]('),
  'links in links': repeated('[a](<b'),
  references: repeated('[a][b]'),
  'quotes in quotes': repeated('> '),
  'quotes on lines': repeated('>'.repeat(60) + '\n'),
  'lists in lists': (chars) => lines(chars, (line) => `${'  '.repeat(line % 200)}- a`),
  'lists of numbers': (chars) => lines(chars, (line) => `${'   '.repeat(line % 120)}1. a`),
  'quotes and lists in turn': repeated('> - '),
  'mail addresses': repeated('a@a.'),
  'tags that never end': repeated('<a '),
  'definitions that never end': repeated('[a]: <b\n'),
  'a table of many rows': (chars) => `|a|b|\n|-|-|\n${'|a|b|\n'.repeat(chars / 6)}`,
  'underlined lines': repeated('a\n='),
  'underlined headings': repeated('a\n=\n'),
};

/** Input that looks similar and is still parsed. */
const READ: Readonly<Record<string, Shape>> = {
  'emphasis that opens and closes nothing': repeated('a**b'),
  'brackets that close': repeated(']('),
  addresses: repeated('http://a.b'),
  'addresses without an end': repeated('www.'),
  'a table without an end': (chars) => `|a|b|\n|-|-|\n${'|'.repeat(chars)}`,
  'a table of many columns': (chars) =>
    `${'|a'.repeat(chars / 8)}\n${'|-'.repeat(chars / 8)}\n${'|b'.repeat(chars / 8)}`,
  'signs of code': (chars) => Array.from({ length: chars / 40 }, (_, at) => '`'.repeat(at % 80)).join('a'),
  'fences in fences': repeated('```\n~~~\n'),
  'comments that never end': repeated('<!--'),
  'tags in tags': repeated('<div><b>'),
  definitions: (chars) => lines(chars, (line) => `[a${line}]: b`),
  'white space': (chars) => `a${' '.repeat(chars)}b`,
  'lines of white space': repeated(' \n'),
  tabs: repeated('\t'),
  'back slashes': repeated('\\'),
  entities: repeated('&amp'),
  headings: repeated('# '),
  rules: repeated('- - '),
  'tasks without a text': repeated('- [ ] \n'),
};

/** Ordinary input by people and Claude, of the same length, and with nothing else. */
const WRITTEN: Readonly<Record<string, Shape>> = {
  'short paragraphs': repeated('A paragraph of a long reply.\n\n'),
  'a few words a paragraph': repeated('Yes, done.\n\n'),
  'a list of names': repeated('- apples\n'),
  'a long list': repeated('- an item of a **list**\n'),
  'headings with a text': repeated('## Head\n\nThe text of it.\n\n'),
  'quotes and answers': repeated('> a quote\n\nan answer\n\n'),
  'words in snake case': repeated(`${'some_snake_case_words and __init__.py. '.repeat(12)}\n\n`),
  'places in lists': repeated(`${'array[0] and map[key] = value[1]; '.repeat(14)}\n\n`),
  'figures with signs': repeated(`${'about ~5 files, a * b * c and 2*3. '.repeat(14)}\n\n`),
  'code in sentences': repeated(
    'See `parseRecipe` in `src/parse.ts`, *or* [the notes](https://example.com/notes).\n\n',
  ),
};

describe('Markdown', () => {
  for (const [name, make] of Object.entries(GIVEN_UP)) {
    it(`is given up before it takes a parser long: ${name}`, () => {
      const { questions, html } = measured(() => boundedMarkdown(pieceOf(make), true));
      assert.equal(html, null);
      assert.ok(questions <= MAX_QUESTIONS, `${questions} questions`);
    });
  }

  for (const [name, make] of Object.entries({ ...READ, ...WRITTEN })) {
    it(`is parsed with bounded work: ${name}`, () => {
      const { questions, html } = measured(() => boundedMarkdown(pieceOf(make), true));
      assert.ok(html !== null);
      assert.ok(questions <= MAX_QUESTIONS, `${questions} questions`);
      assert.ok(nesting(html) <= MAX_NESTING, `${nesting(html)} elements within each other`);
    });
  }

  it('is tested by a measure that detects excess: without limits, some input exceeds it', () => {
    const worse = Object.entries(GIVEN_UP).filter(([, make]) => {
      const { questions, html } = measured(() => unbounded(pieceOf(make)));
      return html === null || questions > MAX_QUESTIONS || nesting(html) > MAX_NESTING;
    });
    const names = worse.map(([name]) => name);
    for (const name of ['quotes in quotes', 'lists in lists', 'opening brackets'])
      assert.ok(names.includes(name), names.join(', '));
  });
});

const RUN_CHARS = 250_000;
const MARKS = [
  '*',
  '_',
  '~',
  '`',
  '[',
  ']',
  '!',
  '![',
  '](',
  '<',
  '>',
  '#',
  '|',
  '-',
  '+',
  '=',
  '\\',
  '&',
  '**a',
  '_a',
  'a*',
  '`a',
  '> ',
  '\n- ',
];

describe(`A run of ${RUN_CHARS.toLocaleString('en')} marks`, () => {
  for (const mark of MARKS) {
    it(`of ${JSON.stringify(mark)} is cut before the parser, and each piece is bounded work`, () => {
      const run = repeated(mark)(RUN_CHARS);
      for (const text of [run, `a ${run} b`, `\`\`\`${run}\n${run}`]) {
        const { chunks, end } = splitMarkdown(text, Infinity);
        assert.equal(end, text.length);
        assert.ok(chunks.length >= text.length / MAX_PIECE_CHARS);
        assert.ok(chunks.every(({ length }) => length <= MAX_PIECE_CHARS));
        // All pieces but the first and the last ones are alike.
        for (const chunk of [...chunks.slice(0, 2), ...chunks.slice(-2)]) {
          const { questions } = measured(() => boundedMarkdown(chunk, true));
          assert.ok(questions <= MAX_QUESTIONS, `${questions} questions`);
        }
      }
    });
  }

  it('never reaches the parser as a whole', () => {
    const { questions, html } = measured(() => boundedMarkdown('*'.repeat(RUN_CHARS), true));
    assert.deepEqual([questions, html], [0, null]);
  });
});

function pieceOf(make: Shape): string {
  return make(PIECE_CHARS).slice(0, PIECE_CHARS);
}

function unbounded(text: string): string | null {
  const options = { gfm: true, breaks: true };
  try {
    return Parser.parse(Lexer.lex(text, options), options);
  } catch {
    return null;
  }
}

function repeated(piece: string): Shape {
  return (chars) => piece.repeat(Math.ceil(chars / piece.length));
}

function lines(chars: number, line: (at: number) => string): string {
  const all: string[] = [];
  for (let length = 0, at = 0; length < chars; at++) {
    all.push(line(at));
    length += line(at).length + 1;
  }
  return all.join('\n');
}

/** How often a Markdown parser runs regular expressions, which do all of its work: independent of the clock. */
function measured(parse: () => string | null): { readonly questions: number; readonly html: string | null } {
  let questions = 0;
  // eslint-disable-next-line @typescript-eslint/unbound-method -- It is called with its expression.
  const { exec } = RegExp.prototype;
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    questions += 1;
    return exec.call(this, text);
  };
  try {
    return { html: parse(), questions };
  } finally {
    RegExp.prototype.exec = exec;
  }
}

function nesting(html: string): number {
  let [depth, deepest] = [0, 0];
  for (const [, close, tag = ''] of html.matchAll(/<(\/?)([a-z]\w*)/g)) {
    if (['br', 'hr', 'input', 'img'].includes(tag)) continue;
    depth += close === '/' ? -1 : 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
