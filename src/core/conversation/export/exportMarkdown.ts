import type { ConversationHead, ConversationItem } from '../../../protocol/conversation';
import { headFields, headingOf, nameOfImage, type Section, sectionsOf, titleOf } from './sections';
import { cleanText } from './visibleText';

/**
 * Writes CommonMark. Prompts and replies remain Markdown; everything else is in fences that are longer than any in the
 * text, or has its special characters escaped. Images are only named, because no address of theirs would mean anything
 * to a reader.
 */
export async function* exportMarkdown(
  head: ConversationHead,
  items: AsyncIterable<ConversationItem>,
): AsyncGenerator<string> {
  yield `# ${escape(titleOf(head))}\n\n`;
  yield headFields(head)
    .map(([name, value]) => `- ${name}: ${escape(value)}\n`)
    .join('');
  let above: ConversationItem | null = null;
  for await (const item of items) {
    yield `\n## ${headingOf(item, above)}\n`;
    for (const section of sectionsOf(item, above)) yield sectionText(section);
    above = item;
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

/**
 * Escapes the ASCII characters that have a meaning within a line; CommonMark takes a backslash before any of them
 * literally.
 */
function escape(line: string): string {
  return line.replace(/[!#$&*.:<>@[\\\]^_`|~]/g, '\\$&');
}

/** Maximum depth of nested quotes; deeper ones are displayed with their markers. */
const MAX_DEPTH = 8;

interface Fence {
  readonly sign: string;
  readonly length: number;
  /** Columns before the fence. A line with fewer columns ends the block that contains it. */
  readonly indent: number;
}

/** A fence may be preceded by white space, or by the marker of a list item. */
const FENCE = /^( *(?:(?:[-*+]|\d{1,9}[.)]) +)?)(`{3,}|~{3,})(.*)$/;
const QUOTE = /^ {0,3}> ?/;
const HEADING = /^( {0,3})(#{1,6})(?=[ \t]|$)/;
const UNDERLINE = /^( {0,3})([=-])(?=[=-]*[ \t]*$)/;
/** Number of heading levels that the export itself uses. */
const HEADING_LEVELS = 2;
/** Destinations that links may have: web and mail addresses, and destinations without a scheme. */
const DESTINATION = /^(?:https?:\/\/|mailto:|[^\s():&\\<>]+[\s)]|\))/i;
/**
 * Inline syntax, and bare addresses, which most viewers turn into links, with everything that some viewers consider
 * part of them.
 */
const SIGNS = /[`\\<!\]]|(?:https?:\/\/|ftp:\/\/|www\.)\S*/gi;
/** Maximum length of a destination that is checked, in UTF-16 units. */
const MAX_DESTINATION = 2_000;

/**
 * Makes Markdown from a transcript safe to embed: it keeps its meaning but cannot affect the rest of the document.
 * Fences are closed, headings are below those of the export, and HTML elements and images are escaped. The only links
 * are bare addresses, and links with an allowed destination.
 */
export function proseMarkdown(text: string): string {
  return partOf(text.split('\n'), 0).join('\n');
}

function partOf(lines: readonly string[], depth: number): string[] {
  const out: string[] = [];
  let fence: Fence | null = null;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (fence !== null) {
      if (isClosing(line, fence)) {
        out.push(closing(fence));
        fence = null;
        continue;
      }
      if (line.trim() === '' || columnsBefore(line) >= fence.indent) {
        out.push(line);
        continue;
      }
      out.push(closing(fence));
      fence = null;
    }
    if (QUOTE.test(line) && depth < MAX_DEPTH) {
      const quoted = linesOfQuote(lines, at);
      out.push(...partOf(quoted, depth + 1).map((each) => `> ${each}`));
      at += quoted.length - 1;
      continue;
    }
    const spaced = withSpaces(line);
    fence = fenceOf(spaced);
    if (fence === null) {
      out.push(outside(spaced, out.at(-1) ?? ''));
      continue;
    }
    // After a paragraph, an indented line could be part of it.
    if (fence.indent > 0 && (out.at(-1) ?? '').trim() !== '') out.push('');
    out.push(spaced);
  }
  if (fence !== null) out.push(closing(fence));
  return out;
}

/** The lines of the quote that starts at `from`, without its markers. */
function linesOfQuote(lines: readonly string[], from: number): string[] {
  let end = from;
  while (end < lines.length && QUOTE.test(lines[end] ?? '')) end++;
  return lines.slice(from, end).map((line) => line.replace(QUOTE, ''));
}

/** Null if the line does not open a fence. */
function fenceOf(line: string): Fence | null {
  const [, before = '', signs = '', info = ''] = FENCE.exec(line) ?? [];
  if (signs === '' || (signs.startsWith('`') && info.includes('`'))) return null;
  return { sign: signs.charAt(0), length: signs.length, indent: before.length };
}

function isClosing(line: string, { sign, length, indent }: Fence): boolean {
  const signs = line.trim();
  if (signs.length < length || columnsBefore(line) > indent + 3) return false;
  return signs === sign.repeat(signs.length);
}

function closing({ sign, length, indent }: Fence): string {
  return ' '.repeat(indent) + sign.repeat(length);
}

function columnsBefore(line: string): number {
  let columns = 0;
  for (const sign of line) {
    if (sign === ' ') columns++;
    else if (sign === '\t') columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}

/** Replaces tabs at the start of a line with spaces. */
function withSpaces(line: string): string {
  const isSetIn = line.startsWith('\t') || line.startsWith(' ');
  return isSetIn ? ' '.repeat(columnsBefore(line)) + line.trimStart() : line;
}

/** Converts a line outside fences. */
function outside(line: string, before: string): string {
  const heading = HEADING.exec(line);
  if (heading !== null) {
    const [all, indent = '', signs = ''] = heading;
    return indent + '#'.repeat(Math.min(6, signs.length + HEADING_LEVELS)) + inline(line.slice(all.length));
  }
  // After a paragraph, this line would make a heading of it.
  if (before.trim() !== '' && UNDERLINE.test(line)) return line.replace(UNDERLINE, '$1\\$2');
  return inline(line);
}

function inline(line: string): string {
  let out = '';
  let at = 0;
  while (at < line.length) {
    SIGNS.lastIndex = at;
    const found = SIGNS.exec(line);
    if (found === null) break;
    const [sign] = found;
    const { taken, shown } = signAt(line, found.index, sign);
    out += line.slice(at, found.index) + shown;
    at = found.index + taken;
  }
  return out + line.slice(at);
}

/** The replacement for the syntax at `at`, and the number of characters that it replaces. */
function signAt(line: string, at: number, sign: string): { readonly taken: number; readonly shown: string } {
  const next = line.charAt(at + 1);
  switch (sign) {
    case '`': {
      const { length, isCode } = backticks(line, at);
      const span = line.slice(at, at + length);
      return { taken: length, shown: isCode ? span : '\\`'.repeat(length) };
    }
    case '\\':
      return { taken: 2, shown: next === '<' ? '&lt;' : sign + next };
    case '<':
      // Not escaped with a backslash, which would become part of a bare address before it.
      return { taken: 1, shown: /[A-Za-z/!?]/.test(next) ? '&lt;' : sign };
    case '!':
      return { taken: 1, shown: next === '[' ? '\\!' : sign };
    case ']':
      return { taken: 1, shown: isHiddenPlace(line, at + 1) ? '\\]' : sign };
    default:
      return { taken: sign.length, shown: plainAddress(sign) };
  }
}

/** Viewers differ on where an address ends, so characters that could be syntax after it are written as entities. */
function plainAddress(address: string): string {
  return address.replace(/[`<]|!(?=\[)|\](?=[(:])/g, (sign, at: number) => {
    const isPlain = sign === ']' && !isHiddenPlace(address, at + 1);
    return isPlain ? sign : `&#${sign.charCodeAt(0)};`;
  });
}

/** Whether `]` is followed by a destination that is not allowed, or by the colon of a link definition. */
function isHiddenPlace(line: string, at: number): boolean {
  if (line.charAt(at) === ':') return true;
  return line.charAt(at) === '(' && !DESTINATION.test(line.slice(at + 1, at + MAX_DESTINATION).trimStart());
}

/**
 * The length of the code span that starts with the backtick, or, if it does not end on the line, of the backticks,
 * which are then literal.
 */
function backticks(line: string, from: number): { readonly length: number; readonly isCode: boolean } {
  let end = from;
  while (line.charAt(end) === '`') end++;
  const signs = line.slice(from, end);
  for (let at = line.indexOf(signs, end); at >= 0; at = line.indexOf(signs, at)) {
    let behind = at;
    while (line.charAt(behind) === '`') behind++;
    if (behind - at === signs.length) return { length: behind - from, isCode: true };
    at = behind;
  }
  return { length: signs.length, isCode: false };
}
