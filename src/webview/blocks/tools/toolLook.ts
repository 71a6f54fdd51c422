import type { ToolBlock, ToolInput } from '../../../shared/conversation';
import { isMcpTool } from '../../../shared/toolName';
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

export function toolIcon(block: ToolBlock): IconName {
  return isMcpTool(block.name) ? 'plug' : ICONS[block.input.kind];
}

export function isOpenAtFirst(block: ToolBlock): boolean {
  return OPEN.has(block.input.kind) || block.result?.isError === true;
}
