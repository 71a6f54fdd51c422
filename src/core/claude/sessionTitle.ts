import { isJsonObject, objectField, stringField, type JsonObject } from './json';

/** Where a title comes from; of one source the last row counts, of `firstPrompt` the first. */
export type TitleSource = 'custom' | 'ai' | 'lastPrompt' | 'summary' | 'firstPrompt';

export interface RowTitle {
  readonly source: TitleSource;
  readonly text: string;
}

/** Longest piece of a prompt that is kept, in UTF-16 units: a title is one short line. */
const MAX_PROMPT_LENGTH = 400;

/** The title that a row gives its session, or null. (docs/format.md, "Titles") */
export function readTitle(row: JsonObject): RowTitle | null {
  switch (stringField(row, 'type')) {
    case 'custom-title':
      return titled('custom', stringField(row, 'customTitle'));
    case 'ai-title':
      return titled('ai', stringField(row, 'aiTitle'));
    case 'last-prompt':
      return titled('lastPrompt', stringField(row, 'lastPrompt'));
    case 'summary':
      return titled('summary', stringField(row, 'summary'));
    case 'user':
      return titled('firstPrompt', row['isMeta'] || row['isSidechain'] ? null : promptText(row));
    default:
      return null;
  }
}

function titled(source: TitleSource, text: string | null): RowTitle | null {
  return text === null ? null : { source, text };
}

/** What the person typed; null for rows that answer tools or that the client wrote itself, in tags. */
function promptText(row: JsonObject): string | null {
  const content = objectField(row, 'message')?.['content'];
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [{ type: 'text', text: content }];
  for (const block of blocks) {
    const text = isJsonObject(block) ? (stringField(block, 'text')?.trim() ?? '') : '';
    if (text !== '' && !text.startsWith('<')) return text.slice(0, MAX_PROMPT_LENGTH);
  }
  return null;
}
