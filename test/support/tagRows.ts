import { joinRows, type RowText, splitRows } from './rowText';

interface TaggableRow {
  readonly type?: unknown;
  readonly isMeta?: unknown;
  readonly isApiErrorMessage?: unknown;
  message?: { content?: unknown } | null;
}

/** Text with a meaning to the client: commands and their output, and its own replies. */
const HAS_MEANING = /^\s*<|^\[Request interrupted|^No response requested\.$/;

/**
 * The transcript with the number of each row in its text, so that the request shows which of several equal messages the
 * client loaded. Calls and results have ids of their own.
 */
export function tagRows(original: Buffer): Buffer {
  return joinRows(splitRows(original).map((row, at) => tagRow(row, `[row ${at + 1}] `)));
}

function tagRow(text: RowText, tag: string): RowText {
  const json = Buffer.from(text, 'latin1').toString('utf8').trimEnd();
  const row = parse(json);
  // Other bytes would change with the tag if the row is written in a form that is not that of `JSON.stringify`.
  if (row === null || JSON.stringify(row) !== json) return text;
  if ((row.type !== 'user' && row.type !== 'assistant') || row.isMeta === true || row.isApiErrorMessage === true) {
    return text;
  }
  const { message } = row;
  if (message === null || message === undefined) return text;
  const { content } = message;
  if (typeof content === 'string') {
    if (content.trim() === '' || HAS_MEANING.test(content)) return text;
    message.content = tag + content;
  } else if (!tagFirstText(content, tag)) return text;
  return Buffer.from(`${JSON.stringify(row)}\n`).toString('latin1');
}

/** Returns whether a text was found. */
function tagFirstText(content: unknown, tag: string): boolean {
  if (!Array.isArray(content)) return false;
  for (const block of content as { type?: unknown; text?: unknown }[]) {
    if (block.type !== 'text' || typeof block.text !== 'string') continue;
    if (block.text.trim() === '' || HAS_MEANING.test(block.text)) return false;
    block.text = tag + block.text;
    return true;
  }
  return false;
}

function parse(json: string): TaggableRow | null {
  try {
    const value = JSON.parse(json) as unknown;
    // SAFETY: all fields are optional and unknown.
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
