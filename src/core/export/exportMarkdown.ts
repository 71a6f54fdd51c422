import type { ConversationHead, ConversationItem } from '../../shared/conversation';
import { cleanText, headFields, headingOf, sectionsOf, titleOf, type Section } from './sections';

/**
 * CommonMark. All that the transcript says stands in fences, longer than any in the text, or is escaped sign by sign, so that
 * none of it is taken for markup.
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

function sectionText({ label, language, text }: Section): string {
  const heading = label === '' ? '' : `\n**${escape(label)}**\n`;
  return text === '' ? heading : `${heading}\n${fenced(cleanText(text), language)}`;
}

function fenced(text: string, language: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}\n`;
}

/** Every ASCII sign that means something in a line; a backslash before any of them is CommonMark for the sign itself. */
/** The ASCII signs that mean something within a line; a backslash before any of them is CommonMark for the sign itself. */
function escape(line: string): string {
  return line.replace(/[!#$&*.:<>@[\\\]^_`|~]/g, '\\$&');
}
