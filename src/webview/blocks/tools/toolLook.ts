import type { ToolBlock, ToolInput } from '../../../shared/conversation';
import type { IconName } from '../parts/Icon';

const ICONS: Readonly<Record<ToolInput['kind'], IconName>> = {
  bash: 'terminal',
  read: 'file',
  diff: 'edit',
  write: 'create',
  search: 'search',
  web: 'globe',
  agent: 'agent',
  todos: 'checklist',
  json: 'braces',
};

/** What a person looks for is open: commands, changes, plans. What Claude looked up is one click away. */
const OPEN: ReadonlySet<ToolInput['kind']> = new Set(['bash', 'diff', 'write', 'agent', 'todos']);

const MCP_NAME = /^mcp__(.+?)__(.+)$/;

export function toolIcon(block: ToolBlock): IconName {
  return MCP_NAME.test(block.name) ? 'plug' : ICONS[block.input.kind];
}

/** `server · tool` for a tool of an MCP server: the client names it `mcp__server__tool`. */
export function toolName(name: string): string {
  const parts = MCP_NAME.exec(name);
  return parts === null ? name : `${parts[1] ?? ''} · ${parts[2] ?? ''}`;
}

export function isOpenAtFirst(block: ToolBlock): boolean {
  return OPEN.has(block.input.kind) || block.result?.isError === true;
}
