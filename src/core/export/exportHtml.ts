import { createHash } from 'node:crypto';
import type { ConversationHead, ConversationItem } from '../../shared/conversation';
import { cleanText, headFields, headingOf, sectionsOf, titleOf, type Section } from './sections';

const STYLE = `
:root { color-scheme: light dark; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 0 0 .5rem; font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; }
dt { opacity: .75; }
dd { margin: 0; overflow-wrap: anywhere; }
article { margin: 1.5rem 0; padding: .75rem 1rem; border-left: .25rem solid #8888; }
article.user { border-color: #2f81f7; }
article.assistant { border-color: #d97757; }
article.break, article.fault { border-color: #d1242f; }
h3, summary { margin: .5rem 0 .25rem; font-size: .9rem; font-weight: 600; overflow-wrap: anywhere; }
pre { margin: .25rem 0; padding: .5rem; background: #8881; overflow-wrap: anywhere; white-space: pre-wrap; }
pre.markdown { padding: 0; background: none; font: inherit; }
`;

/** The hash lets this style in and no other, should a reader's program ever take text for an element. */
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * One page that loads nothing and runs nothing. All that the transcript says is escaped text: no element, attribute or
 * address comes from it.
 */
export async function* exportHtml(
  head: ConversationHead,
  items: AsyncIterable<ConversationItem>,
): AsyncGenerator<string> {
  const title = escape(titleOf(head));
  yield `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${STYLE_HASH}'">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1 dir="auto">${title}</h1>
<dl>
`;
  for (const [name, value] of headFields(head)) yield `<dt>${name}</dt><dd dir="auto">${escape(value)}</dd>\n`;
  yield '</dl>\n<main>\n';
  for await (const item of items) {
    yield `<article class="${item.kind === 'row' ? item.role : item.kind}">\n<h2>${escape(headingOf(item))}</h2>\n`;
    for (const section of sectionsOf(item)) yield sectionHtml(section);
    yield '</article>\n';
  }
  yield '</main>\n</body>\n</html>\n';
}

function sectionHtml({ label, language, text, isFolded }: Section): string {
  // A line break at the start of a `pre` is not shown, so that one of ours goes before the text.
  const body = text === '' ? '' : `<pre class="${language}" dir="auto">\n${escape(cleanText(text))}</pre>\n`;
  if (label === '') return body;
  if (isFolded && body !== '') return `<details>\n<summary dir="auto">${escape(label)}</summary>\n${body}</details>\n`;
  return `<h3 dir="auto">${escape(label)}</h3>\n${body}`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');
}
