const MCP_NAME = /^mcp__(.+?)__(.+)$/;

/** Display name of a tool: `server · tool` for an MCP tool, which the client names `mcp__server__tool`. */
export function toolName(name: string): string {
  const parts = MCP_NAME.exec(name);
  return parts === null ? name : `${parts[1] ?? ''} · ${parts[2] ?? ''}`;
}

export function isMcpTool(name: string): boolean {
  return MCP_NAME.test(name);
}

const PLAIN_WORD = /^[\w@%+=:,./-]+$/u;

/**
 * Builds a command line from arbitrary words for the shell that runs Claude Code's hooks: `sh`, or on Windows a bash, which
 * accepts slashes in paths.
 */
export function shellCommand(words: readonly string[], isWindows: boolean): string {
  return words.map((word) => (isWindows ? windowsWord(word) : posixWord(word))).join(' ');
}

function posixWord(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function windowsWord(word: string): string {
  const path = word.replaceAll('\\', '/');
  return PLAIN_WORD.test(path) ? path : `"${path.replace(/["$`]/gu, String.raw`\$&`)}"`;
}
