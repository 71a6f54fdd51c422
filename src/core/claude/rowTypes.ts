/**
 * Rows that form the conversation tree: they carry `uuid` and `parentUuid`. `progress` was written by clients up to
 * 2.1.50 and is still read. (docs/format.md, "Row classes")
 */
export const CHAIN_ROW_TYPES = ['user', 'assistant', 'attachment', 'system', 'progress'] as const;

export type ChainRowType = (typeof CHAIN_ROW_TYPES)[number];

/** Rows without a place in the tree that some client version is known to write. */
export const METADATA_ROW_TYPES = [
  'queue-operation',
  'last-prompt',
  'mode',
  'permission-mode',
  'atis-latch',
  'tools-used',
  'cost-state',
  'custom-title',
  'ai-title',
  'agent-name',
  'agent-color',
  'agent-setting',
  'file-history-snapshot',
  'file-history-delta',
  'summary',
  'api-request',
  'api-request-shape',
  'api-request-blob',
  'api-request-resumed',
  'tag',
  'pr-link',
  'relocated',
  'continued-in',
  'ended-by-model',
  'worktree-state',
  'content-replacement',
  'attribution-snapshot',
  'bridge-session',
  'history-suppression',
  'isolation-latch',
  'session-owner',
  'dev-mods',
  'memory-mode',
  'data-flow-records',
  'data-flow-incomplete',
  'derived-from',
  'fork-context-ref',
  'observer-ref',
  'frame-link',
  'repl-mode',
  'hybrid-organization',
  'host-row',
  'resume-head-vouch',
] as const;

const KNOWN_TYPES: ReadonlySet<string> = new Set([...CHAIN_ROW_TYPES, ...METADATA_ROW_TYPES]);

export function isKnownRowType(type: string): boolean {
  return KNOWN_TYPES.has(type) || type.startsWith('artifact-');
}

/** Subtype of the system row that a compaction writes. */
export const COMPACT_BOUNDARY = 'compact_boundary';
