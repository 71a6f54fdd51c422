import assert from 'node:assert/strict';
import fc from 'fast-check';
import { marked, type Token } from 'marked';
import { proseMarkdown } from '../../../rooms/conversation';

/** All tokens of a document, including nested ones. */
function tokensOf(markdown: string): Token[] {
  const found: Token[] = [];
  void marked.walkTokens(marked.lexer(markdown), (token) => {
    found.push(token);
  });
  return found;
}

/** The part of a document between two headings. */
function asPart(text: string): string {
  return `# Title\n\n## Before\n\n${proseMarkdown(text)}\n\n## After\n\nend\n`;
}

/** Headings that divide the document. One in a list or a quote divides only that. */
function headingsOf(markdown: string): string[] {
  return marked
    .lexer(markdown)
    .flatMap((token) =>
      token.type === 'heading' && (token as { depth: number }).depth <= 2 ? [(token as { text: string }).text] : [],
    );
}

/** Asserts that the part contains no forbidden markup, and that the document continues after it. */
function assertTame(text: string): void {
  const markdown = asPart(text);
  assert.deepEqual(headingsOf(markdown), ['Title', 'Before', 'After'], JSON.stringify(text));
  for (const token of tokensOf(markdown)) {
    assert.ok(!['html', 'image', 'def'].includes(token.type), `${token.type} of ${JSON.stringify(text)}`);
    if (token.type !== 'link') continue;
    assert.match((token as { href: string }).href, /^(?:https?:\/\/|mailto:|www\.|[^:]*$)/i);
  }
}

describe('The Markdown of a prompt or a reply', () => {
  const KEPT = [
    'Plain words, *some* **strong**, `code` and [a link](https://example.com/a?b=c).',
    '1. one\n2. two\n   - three\n\n| a | b |\n| --- | --- |\n| 1 | 2 |',
    '```html\n<div class="a">\n```\n\nand `<div>` in a line, 1 < 2',
    '- item\n\n  ```ts\n  const a: Map<string, number> = b;\n  ```\n- another',
    '> quoted\n> ```\n> <b>\n> ```',
    'See [the file](src/a.ts#L10) and [below](#below).',
  ];
  for (const text of KEPT) {
    it(`stays unchanged: ${JSON.stringify(text.slice(0, 30))}`, () => {
      assert.equal(proseMarkdown(text), text);
      assertTame(text);
    });
  }

  it('has headings below those of the document', () => {
    assert.equal(proseMarkdown('# One\n## Two\n###### Six\n#no'), '### One\n#### Two\n###### Six\n#no');
    assertTame('Title of mine\n===\n\nAnother\n---\n');
  });

  it('closes fences that are left open', () => {
    assert.equal(proseMarkdown('```js\nlet a'), '```js\nlet a\n```');
    assert.equal(proseMarkdown('> ~~~~\n> a'), '> ~~~~\n> a\n> ~~~~');
    assertTame('- x\n  ```\n  <b>\n## After that\n```\n<script>\n');
  });

  it('shows HTML elements as text, and external images as links', () => {
    assert.equal(
      proseMarkdown('<b>a</b> ![x](https://example.com/x.png)'),
      '&lt;b>a&lt;/b> \\![x](https://example.com/x.png)',
    );
    assertTame('<details>\n<summary>\n<!-- a');
  });

  it('has no links with invisible targets', () => {
    for (const target of [
      'javascript:a()',
      'JaVaScript&colon;a()',
      'data:text/html,a',
      'vbscript\\:a',
      '<javascript:a()>',
    ]) {
      const text = `[x](${target}) [x]( ${target} "t")\n\n[x]: ${target}\n\n[x] [x][x] [x](\n${target})`;
      assertTame(text);
      assert.doesNotMatch(marked.parse(asPart(text)) as string, /<a href="(?!https?:)/);
    }
  });

  it('is harmless, whatever it contains', () => {
    const piece = fc.constantFrom(
      ...[
        '```',
        '````',
        '~~~',
        '`',
        '``',
        '\n',
        '\n\n',
        '\n',
        '    ',
        '  ',
        '\t',
        '- ',
        '1. ',
        '14. ',
        '> ',
        '# ',
        '---',
        '===',
      ],
      ...[
        '<script>',
        '<b a="`">',
        '</b>',
        '<!--',
        '-->',
        '<https://a.b>',
        '![a](b)',
        '[a](javascript:b)',
        '[a]: b',
        '[a][b]',
      ],
      ...['\\', 'word', '*', '_', '|', '<', '>', '](', '!', '[', '&lt;'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        assertTame(pieces.join(''));
      }),
      { numRuns: 5_000, seed: 4 },
    );
  }).timeout(60_000);
});
