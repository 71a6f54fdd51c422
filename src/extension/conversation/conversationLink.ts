import type { FindQuery } from '../../protocol/conversation';

/** Path of links to conversations, within the extension's URIs. */
export const LINK_PATH = '/conversation';

export interface ConversationTarget {
  readonly filePath: string;
  /** 1-based line of the row to show; null for the last position, or the end. */
  readonly line: number | null;
  /** The query that matched the row. */
  readonly find?: FindQuery | null;
}

/** The encoded query of a link to a conversation. */
export function linkQuery({ filePath, line }: ConversationTarget): string {
  const file = `file=${encodeURIComponent(filePath)}`;
  return line === null ? file : `${file}&line=${String(line)}`;
}

/**
 * The target of a link; null if it is not a link to a conversation. `query`: as in `vscode.Uri`, decoded once, so that an
 * ampersand in a path is literal. A link can come from anywhere, so callers must check the path.
 */
export function readLink(path: string, query: string): ConversationTarget | null {
  if (path !== LINK_PATH) return null;
  const [, file, line] = /^file=(.+?)(?:&line=([1-9]\d{0,14}))?$/.exec(query) ?? [];
  if (file === undefined) return null;
  const filePath = file.startsWith('%') ? decode(file) : file;
  return filePath === null ? null : { filePath, line: line === undefined ? null : Number(line) };
}

/** An absolute path does not begin with a percent sign; if it does, it is still encoded. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
