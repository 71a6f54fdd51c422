import { METADATA_ROW_TYPES } from './rowTypes';

/** A name, and the number that the fast scanner knows it by; src/core/scan/wasm/assembly has the same numbers. */
export type Codes = readonly (readonly [name: string, code: number])[];

const PLAIN_TYPE = 15;

/** Types of rows that carry a title: JSON.parse reads them. The last one the scanner reads itself. */
const TELLING_TYPES: ReadonlySet<string> = new Set(['custom-title', 'ai-title', 'summary', 'last-prompt']);

/** The names that the fast scanner looks for, table by table. What is in none of them is checked and passed over. */
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
  ],
  rowTypes: [
    ['user', 1],
    ['assistant', 2],
    ['attachment', 3],
    ['system', 4],
    ['progress', 5],
    ['last-prompt', 14],
    ...METADATA_ROW_TYPES.filter((type) => !TELLING_TYPES.has(type)).map((type) => [type, PLAIN_TYPE] as const),
  ],
  oddSubtypes: [
    ['compact_boundary', 1],
    ['stop_hook_summary', 1],
  ],
  dataFields: [['type', 1]],
  oddDataTypes: [['hook_progress', 1]],
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
  ],
  usageFields: [
    ['input_tokens', 1],
    ['output_tokens', 2],
    ['cache_creation_input_tokens', 3],
    ['cache_read_input_tokens', 4],
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
