import { HIDDEN_PROMPT_STARTS } from './companionRow';

/**
 * Rows that form the conversation tree: they carry `uuid` and `parentUuid`. `progress` was written by clients up to
 * 2.1.50 and is still read. (docs/format.md, "Row classes")
 */
export const CHAIN_ROW_TYPES = ['user', 'assistant', 'attachment', 'system', 'progress'] as const;

export type ChainRowType = (typeof CHAIN_ROW_TYPES)[number];

/** Types of rows that are not in the tree and that some client version is known to write. */
const METADATA_ROW_TYPES = [
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

/** The last row that the client writes when it exits, also after SIGTERM and SIGHUP. (docs/format.md, "Live processes") */
export const CLOSING_ROW_TYPE = 'cost-state';

const KNOWN_TYPES: ReadonlySet<string> = new Set([...CHAIN_ROW_TYPES, ...METADATA_ROW_TYPES]);

export function isKnownRowType(type: string): boolean {
  return KNOWN_TYPES.has(type) || type.startsWith('artifact-');
}

/** Subtype of the system row that a compaction writes. */
export const COMPACT_BOUNDARY = 'compact_boundary';

/** Subtype of the system row that keeps copies of files. */
export const FILE_SNAPSHOT = 'file_snapshot';

/** The subtype of a `system` row with a command or its output. */
export const COMMAND_OUTPUT = 'local_command';

/** Type of the attachment that names the model of the session. */
export const MODEL_ATTACHMENT = 'model';

/** Types of the attachments that the client sends even if the row has no `rendered`. (docs/format.md, "Request") */
export const SENT_ATTACHMENTS: ReadonlySet<string> = new Set([
  MODEL_ATTACHMENT,
  'agent_listing_delta',
  'agent_mention',
  'async_hook_response',
  'at_mention_reference',
  'auto_mode',
  'auto_mode_exit',
  'budget_usd',
  'compact_file_reference',
  'critical_system_reminder',
  'date',
  'date_change',
  'deferred_tools_delta',
  'diagnostics',
  'directory',
  'edited_text_file',
  'environment',
  'file',
  'hook_additional_context',
  'hook_blocking_error',
  'hook_stopped_continuation',
  'invoked_skills',
  'mcp_instructions_delta',
  'mcp_resource',
  'memory_update',
  'nested_memory',
  'opened_file_in_ide',
  'output_style',
  'pdf_reference',
  'plan_mode',
  'plan_mode_exit',
  'plan_mode_reentry',
  'queued_command',
  'relevant_memories',
  'remote_session_change',
  'selected_lines_in_ide',
  'skill_listing',
  'task_status',
  'token_usage',
  'ultrathink_effort',
]);

/** The type of them whose texts are for the user, not for the system, if the row does not say for whom they are. */
const FOR_USER = 'remote_session_change';

/** Types of the attachments that are sent only with `rendered`, and for the system unless the row says otherwise. */
const WRITTEN_ATTACHMENTS: ReadonlySet<string> = new Set([
  'already_read_file',
  'compaction_reminder',
  'dynamic_skill',
  'goal_status',
  'hook_non_blocking_error',
  'hook_success',
  'hook_system_message',
  'max_turns_reached',
  'structured_output',
  'task_reminder',
  'todo_reminder',
]);

/** Whether the texts of an attachment that is sent are for the system if its row does not say for whom they are. */
export function isUsuallyForSystem(type: string): boolean {
  return (SENT_ATTACHMENTS.has(type) && type !== FOR_USER) || WRITTEN_ATTACHMENTS.has(type);
}

/** Types of the attachments that the client does not send, whatever their rows say. (docs/format.md, "Request") */
export const UNSENT_ATTACHMENTS: ReadonlySet<string> = new Set([
  'coordinator_context',
  'message_pdf_reads',
  'project_doc_reads',
  'prompt_snapshot',
]);

/** The `message.model` of replies that the client writes itself. */
export const SYNTHETIC_MODEL = '<synthetic>';

const DATE_TIME = /^(\d{4}-\d\d-(\d\d))T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;
/** Every month has at least this many days. */
const SHORTEST_MONTH = 28;

/**
 * Milliseconds since the epoch of an ISO 8601 date and time with `Z` or an offset; NaN for anything else. `Date.parse`
 * alone reads `1` as a year and the 30th of February as a day in March, and uses the machine's time zone if none is
 * given.
 */
export function readTime(value: unknown): number {
  const match = typeof value === 'string' ? DATE_TIME.exec(value) : null;
  if (match === null) return NaN;
  const [text, date = '', day] = match;
  return Number(day) <= SHORTEST_MONTH || isInCalendar(date) ? Date.parse(text) : NaN;
}

function isInCalendar(date: string): boolean {
  const ms = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
}

/** A name and its number in the fast scanner; src/core/transcript/wasm/assembly has the same numbers. */
export type Codes = readonly (readonly [name: string, code: number])[];

const TITLE_TYPE = 13;
const LEAF_TYPE = 14;
const PLAIN_TYPE = 15;

/** Types of rows that are no part of the conversation and hold a title, besides `last-prompt`. JSON.parse reads it. */
export const TITLE_ROW_TYPES: ReadonlySet<unknown> = new Set(['custom-title', 'ai-title', 'summary']);

/** The names that the fast scanner recognizes, by table. All other names are validated and skipped. */
export const SCANNED_NAMES = {
  rowFields: [
    ['type', 1],
    ['uuid', 2],
    ['parentUuid', 3],
    ['timestamp', 4],
    ['message', 5],
    ['isSidechain', 6],
    ['isMeta', 7],
    ['isApiErrorMessage', 8],
    ['forkedFrom', 9],
    ['sourceToolAssistantUUID', 10],
    ['subtype', 11],
    ['data', 12],
    ['cwd', 13],
    ['gitBranch', 14],
    ['version', 15],
    ['leafUuid', 16],
    ['lastPrompt', 17],
    ['explicit', 18],
    ['isVirtual', 19],
    ['attachment', 20],
    ['rendered', 21],
    ['renderedRole', 22],
    ['sourceToolUseID', 23],
    ['turnCompanion', 23],
    ['isDisplayOnly', 23],
  ],
  rowTypes: [
    ['user', 1],
    ['assistant', 2],
    ['attachment', 3],
    ['system', 4],
    ['progress', 5],
    ['last-prompt', LEAF_TYPE],
    ...METADATA_ROW_TYPES.filter((type) => type !== 'last-prompt').map(
      (type) => [type, TITLE_ROW_TYPES.has(type) ? TITLE_TYPE : PLAIN_TYPE] as const,
    ),
  ],
  systemSubtypes: [
    ['compact_boundary', 1],
    ['stop_hook_summary', 1],
    [FILE_SNAPSHOT, 1],
    [COMMAND_OUTPUT, 2],
  ],
  dataFields: [['type', 1]],
  oddDataTypes: [['hook_progress', 1]],
  attachmentFields: [
    ['type', 1],
    ['identity', 2],
  ],
  attachmentTypes: [
    ...[...SENT_ATTACHMENTS].map((type) => [type, type === MODEL_ATTACHMENT ? 1 : type === FOR_USER ? 4 : 2] as const),
    ...[...UNSENT_ATTACHMENTS].map((type) => [type, 3] as const),
    ...[...WRITTEN_ATTACHMENTS].map((type) => [type, 5] as const),
  ],
  identityFields: [['modelId', 1]],
  oddPrompts: HIDDEN_PROMPT_STARTS.map((start) => [start, 1] as const),
  messageFields: [
    ['id', 1],
    ['content', 2],
    ['model', 3],
    ['usage', 4],
  ],
  blockFields: [
    ['type', 1],
    ['text', 2],
    ['id', 3],
    ['tool_use_id', 4],
  ],
  blockTypes: [
    ['text', 1],
    ['thinking', 2],
    ['tool_use', 3],
    ['tool_result', 4],
    ['server_tool_use', 5],
    ['redacted_thinking', 6],
  ],
  usageFields: [
    ['input_tokens', 1],
    ['output_tokens', 2],
    ['cache_creation_input_tokens', 3],
    ['cache_read_input_tokens', 4],
    ['iterations', 13],
    ['cache_creation', 14],
    ['server_tool_use', 15],
  ],
  usageDetails: [
    ['ephemeral_5m_input_tokens', 5],
    ['ephemeral_1h_input_tokens', 6],
    ['web_search_requests', 7],
    ['web_fetch_requests', 8],
  ],
} as const satisfies Readonly<Record<string, Codes>>;
