const MCP_NAME = /^mcp__(.+?)__(.+)$/;

/** As it is shown: `server · tool` for a tool of an MCP server, which the client names `mcp__server__tool`. */
export function toolName(name: string): string {
  const parts = MCP_NAME.exec(name);
  return parts === null ? name : `${parts[1] ?? ''} · ${parts[2] ?? ''}`;
}

export function isMcpTool(name: string): boolean {
  return MCP_NAME.test(name);
}
