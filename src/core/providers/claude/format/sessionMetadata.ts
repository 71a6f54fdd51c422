import { isJsonObject, type JsonObject, objectField, stringField } from '../../../util/json';

/**
 * Where a title comes from. The last row of each source counts, except for `firstPrompt`, where the first one counts.
 */
export type TitleSource = 'custom' | 'ai' | 'lastPrompt' | 'summary' | 'firstPrompt';

export interface RowTitle {
  readonly source: TitleSource;
  readonly text: string;
}

/** Longest part of a prompt that is kept, in UTF-16 units: a title is one short line. */
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

/** The text that the person typed; null for rows that answer tools or that the client itself wrote, in tags. */
function promptText(row: JsonObject): string | null {
  const content = objectField(row, 'message')?.['content'];
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [{ type: 'text', text: content }];
  for (const block of blocks) {
    const text = isJsonObject(block) ? (stringField(block, 'text')?.trim() ?? '') : '';
    if (text !== '' && !text.startsWith('<')) return text.slice(0, MAX_PROMPT_LENGTH);
  }
  return null;
}

/** The folder, client and model with which a row was written; null for missing fields. */
export interface SessionContext {
  readonly cwd: string | null;
  readonly gitBranch: string | null;
  readonly clientVersion: string | null;
  /** The model that answered; null for rows that only report an API error. */
  readonly model: string | null;
}

export function readSessionContext(row: JsonObject): SessionContext {
  const isAnswer = row['type'] === 'assistant' && !row['isApiErrorMessage'];
  return {
    cwd: stringField(row, 'cwd'),
    gitBranch: stringField(row, 'gitBranch'),
    clientVersion: stringField(row, 'version'),
    model: isAnswer ? stringField(objectField(row, 'message') ?? {}, 'model') : null,
  };
}

/** The titles of a session by source. */
export interface SessionTitles {
  custom: string | null;
  ai: string | null;
  lastPrompt: string | null;
  summary: string | null;
  firstPrompt: string | null;
}

/** Longest title, in UTF-16 units. */
const MAX_TITLE_LENGTH = 200;

/**
 * The title as Claude shows it, on one line; null if there is none. Blank titles are ignored. (docs/format.md,
 * "Titles")
 */
export function chooseTitle({ custom, ai, lastPrompt, summary, firstPrompt }: Readonly<SessionTitles>): string | null {
  for (const title of [custom, ai, lastPrompt, summary, firstPrompt]) {
    const line = title?.replace(/\s+/g, ' ').trim() ?? '';
    if (line !== '') return line.length <= MAX_TITLE_LENGTH ? line : `${line.slice(0, MAX_TITLE_LENGTH - 1)}…`;
  }
  return null;
}
