import type { FindQuery } from '../../protocol/conversation';

/** The path of links to conversations, in the address space of the extension. */
export const LINK_PATH = '/conversation';

export interface ConversationTarget {
  readonly filePath: string;
  /** 1-based line of the row to show; null: where it was left, or at the end. */
  readonly line: number | null;
  /** What was looked for, and stands in the row. */
  readonly find?: FindQuery | null;
}

/** The query of a link to a conversation, encoded. */
export function linkQuery({ filePath, line }: ConversationTarget): string {
  const file = `file=${encodeURIComponent(filePath)}`;
  return line === null ? file : `${file}&line=${String(line)}`;
}

/**
 * What a link names; null when it is none to a conversation. `query` as `vscode.Uri` gives it: decoded once, so that a
 * path with an ampersand holds one. A link may come from anywhere: the path is to be checked.
 */
export function readLink(path: string, query: string): ConversationTarget | null {
  if (path !== LINK_PATH) return null;
  const [, file, line] = /^file=(.+?)(?:&line=([1-9]\d{0,14}))?$/.exec(query) ?? [];
  if (file === undefined) return null;
  const filePath = file.startsWith('%') ? decode(file) : file;
  return filePath === null ? null : { filePath, line: line === undefined ? null : Number(line) };
}

/** An absolute path begins with no percent sign: one that does was not decoded. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
