import type { ConversationHead, ConversationItem } from '../../shared/conversation';
import { proseMarkdown } from './proseMarkdown';
import { headFields, headingOf, nameOfImage, sectionsOf, titleOf, type Section } from './sections';
import { cleanText } from './visibleText';

/**
 * CommonMark. Prompts and replies read as the Markdown that they are; everything else stands in fences, longer than any in
 * the text, or is escaped sign by sign. Images are named: no address of theirs would mean anything to a reader.
 */
export async function* exportMarkdown(
  head: ConversationHead,
  items: AsyncIterable<ConversationItem>,
): AsyncGenerator<string> {
  yield `# ${escape(titleOf(head))}\n\n`;
  yield headFields(head)
    .map(([name, value]) => `- ${name}: ${escape(value)}\n`)
    .join('');
  for await (const item of items) {
    yield `\n## ${headingOf(item)}\n`;
    for (const section of sectionsOf(item)) yield sectionText(section);
  }
}

function sectionText({ label, language, text, images }: Section): string {
  const heading = label === '' ? '' : `\n**${escape(label)}**\n`;
  const names = images.map((image) => `\n${escape(nameOfImage(image))}\n`).join('');
  return heading + (text === '' ? '' : bodyText(cleanText(text), language)) + names;
}

function bodyText(text: string, language: Section['language']): string {
  return language === 'markdown' ? `\n${proseMarkdown(text)}\n` : `\n${fenced(text, language)}`;
}

function fenced(text: string, language: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}\n`;
}

/** The ASCII signs that mean something within a line; a backslash before any of them is CommonMark for the sign itself. */
function escape(line: string): string {
  return line.replace(/[!#$&*.:<>@[\\\]^_`|~]/g, '\\$&');
}
