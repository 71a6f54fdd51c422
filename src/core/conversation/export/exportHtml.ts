import { createHash } from 'node:crypto';
import type { ConversationHead, ConversationItem } from '../../../protocol/conversation';
import { headFields, headingOf, nameOfImage, type Section, type SectionImage, sectionsOf, titleOf } from './sections';
import { cleanText } from './visibleText';

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
img { display: block; max-width: 100%; margin: .25rem 0; }
`;

/** The policy allows only the style with this hash, in case a reader's program ever parses text as an element. */
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** In bytes. Larger images are only named, because a page of hundreds of megabytes cannot be opened. */
const MAX_EMBEDDED_BYTES = 8 * 1024 * 1024;
const DATA_URL = /^data:image\/[a-z]{3,4};base64,[A-Za-z0-9+/]*={0,2}$/;

/**
 * Writes one page without scripts or external resources. Everything from the transcript is escaped text: no element,
 * attribute or address comes from it, except for the bytes of images, which are embedded in the page.
 */
export async function* exportHtml(
  head: ConversationHead,
  items: AsyncIterable<ConversationItem>,
  readImage: ReadImage,
): AsyncGenerator<string> {
  const title = escape(titleOf(head));
  yield `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'sha256-${STYLE_HASH}'">
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
  let above: ConversationItem | null = null;
  for await (const item of items) {
    yield `<article class="${item.kind === 'row' ? item.role : item.kind}">\n<h2>${escape(headingOf(item, above))}</h2>\n`;
    for (const section of sectionsOf(item, above)) yield* sectionHtml(section, readImage);
    yield '</article>\n';
    above = item;
  }
  yield '</main>\n</body>\n</html>\n';
}

async function* sectionHtml(section: Section, readImage: ReadImage): AsyncGenerator<string> {
  const { label, language, text, isFolded, images } = section;
  const isEmpty = text === '' && images.length === 0;
  const isDisclosed = isFolded && label !== '' && !isEmpty;
  if (isDisclosed) yield `<details>\n<summary dir="auto">${escape(label)}</summary>\n`;
  else if (label !== '') yield `<h3 dir="auto">${escape(label)}</h3>\n`;
  // Browsers ignore a line break at the start of a `pre`, so one is added before the text.
  if (text !== '') yield `<pre class="${language}" dir="auto">\n${escape(cleanText(text))}</pre>\n`;
  for (const image of images) yield await imageHtml(image, readImage);
  if (isDisclosed) yield '</details>\n';
}

async function imageHtml(image: SectionImage, readImage: ReadImage): Promise<string> {
  const name = escape(nameOfImage(image));
  const url = image.bytes > MAX_EMBEDDED_BYTES ? null : await readImage(image.line, image.path);
  if (url === null || !DATA_URL.test(url)) return `<p>${name}</p>\n`;
  return `<img src="${url}" alt="${name}">\n`;
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

/**
 * Reads an image of the transcript as a data URL, by the line and the path of its value; null if it is not an image, or
 * too large.
 */
export type ReadImage = (line: number, path: string) => Promise<string | null>;
