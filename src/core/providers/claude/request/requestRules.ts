/** A place in a row: the row, its line, and the keys that lead from the row to the value. */
export interface Origin {
  readonly row: number;
  /** 1-based. */
  readonly line: number;
  readonly path: JsonPath;
}

export type JsonPath = readonly (string | number)[];

/**
 * What becomes of a fault. `before-sending`: the client leaves it out or mends it in each request, and nobody sees an error.
 * `after-refusal`: the client reads the API's error and sends the prompt again without more than the fault.
 * `by-client-refusal`: the client refuses one prompt itself and leaves the fault out afterwards. `never`: every further prompt is
 * refused. (docs/format.md, "Refused requests")
 */
export type Heals = 'before-sending' | 'after-refusal' | 'by-client-refusal' | 'never';

/** One thing in a request that the API does not accept, or that the client does not send as it is in the transcript. */
export interface Fault {
  readonly rule: RuleName;
  readonly origin: Origin;
  /** Further places that the fault is about. */
  readonly also?: readonly Origin[];
}

interface RequestRule {
  /** Code of the findings about it. */
  readonly code: FaultCode;
  readonly heals: Heals;
  /** Matches the sentence of the API's error; null if the client heals it before a request is sent, or the API has no sentence of its own. */
  readonly sentence: RegExp | null;
  /** Where the rule is published: issues of anthropics/claude-code by number, other repositories, or the documentation of the API. */
  readonly source: string;
}

export type FaultCode =
  | 'block-type'
  | 'cache-control'
  | 'document'
  | 'empty-content'
  | 'empty-text'
  | 'extra-field'
  | 'image'
  | 'lone-surrogate'
  | 'mcp-type'
  | 'request-size'
  | 'role'
  | 'server-tool'
  | 'thinking'
  | 'tool-input'
  | 'tool-names'
  | 'tool-pairing'
  | 'tool-result';

/**
 * The rules by which a request is judged. What heals was measured with Claude Code 2.1.330; the sentences are those that people
 * have posted. "Assumed": no public sentence is known, and the rule follows from the schema.
 */
export const REQUEST_RULES = {
  'tool-input': rule('tool-input', 'never', /tool_use\.input: Input should be a valid dictionary/, '6695 6696 6697'),
  'tool-id': rule(
    'tool-names',
    'never',
    /\.(?:tool_use\.id|tool_use_id): String should match pattern '\^\[a-zA-Z0-9_-\]\+\$'/,
    'tailcallhq/forgecode#1142 maximhq/bifrost#5097',
  ),
  'tool-name': rule(
    'tool-names',
    'never',
    /tool_use\.name: String should (?:match pattern|have at)/,
    'cyanheads/atlas-mcp-server#14, for the names of tools; assumed for messages',
  ),
  'result-behind-text': rule(
    'tool-pairing',
    'never',
    /`tool_use` ids were found without `tool_result` blocks|tool use concurrency issues/,
    'documentation; 473 1577 1894 5662 8286',
  ),
  'call-alone': rule('tool-pairing', 'before-sending', null, 'documentation; 473 1577 1894 5662 8286'),
  'result-alone': rule(
    'tool-pairing',
    'before-sending',
    /unexpected `tool_use_id` found in `tool_result` blocks/,
    '13460 18947',
  ),
  'result-twice': rule('tool-pairing', 'before-sending', /each tool_use must have a single result/, '14110'),
  'result-misplaced': rule('tool-pairing', 'before-sending', null, 'documentation'),
  'call-id-twice': rule(
    'tool-pairing',
    'before-sending',
    /`tool_use` ids must be unique/,
    '20573 20901 21083 21317 28515',
  ),
  'error-empty': rule(
    'tool-result',
    'never',
    /content cannot be empty if `is_error` is true/,
    'jlevy/markform#153 bytedance/trae-agent#231',
  ),
  'error-null': rule('tool-result', 'never', /null is not an object/, 'the client fails before it sends a request'),
  'error-with-others': rule(
    'tool-result',
    'before-sending',
    /all content must be type `text` if `is_error` is true/,
    'vellum-ai/vellum-assistant#18387',
  ),
  'result-object': rule('tool-result', 'before-sending', null, 'assumed'),
  'inner-type': rule(
    'mcp-type',
    'never',
    /\.tool_result\.content\.\d+: Input tag '[^']*' found using 'type' does not match/,
    'AstrBotDevs/AstrBot#4444',
  ),
  'block-type': rule(
    'block-type',
    'never',
    /: Input tag '[^']*' found using 'type' does not match/,
    'AstrBotDevs/AstrBot#4444',
  ),
  'stray-entry': rule('block-type', 'before-sending', null, 'assumed'),
  'thinking-text': rule(
    'thinking',
    'never',
    /thinking\.thinking: (?:Field required|Input should be a valid string)/,
    'assumed',
  ),
  'thinking-field': rule(
    'thinking',
    'never',
    /\.(?:redacted_)?thinking\.\w+: Extra inputs are not permitted/,
    '4378 router-for-me/CLIProxyAPI#512',
  ),
  'extra-field': rule('extra-field', 'never', /: Extra inputs are not permitted/, '4378 router-for-me/CLIProxyAPI#512'),
  'inner-text-empty': rule(
    'empty-text',
    'never',
    /text content blocks must (?:be non-empty|contain non-whitespace text)/,
    '54988 59812 23440',
  ),
  'prompt-blank': rule('empty-text', 'never', null, '23440'),
  'prompt-empty': rule('empty-content', 'never', /all messages must have non-empty content/, '6774 3196 6458'),
  'text-empty': rule('empty-text', 'before-sending', null, '54988 59812 49171'),
  'text-empty-cached': rule(
    'cache-control',
    'before-sending',
    /cache_control cannot be set for empty text blocks/,
    '55302 50082',
  ),
  'no-blocks': rule('empty-content', 'before-sending', null, '6774 3196 6458'),
  'cache-count': rule(
    'cache-control',
    'never',
    /A maximum of 4 blocks with cache_control may be provided/,
    'documentation; ObservedObserver/async-code#34',
  ),
  'server-id': rule('server-tool', 'never', /'\^srvtoolu_\[a-zA-Z0-9_\]\+\$'/, 'ding113/claude-code-hub#470'),
  'server-result-alone': rule(
    'server-tool',
    'never',
    /unexpected `tool_use_id` found in `\w+_tool_result` blocks/,
    '63507 63553 63626 64383',
  ),
  'server-call-alone': rule(
    'server-tool',
    'before-sending',
    /tool use with id `[^`]*` was found without a corresponding/,
    'AnswerDotAI/lisette#108',
  ),
  'thinking-hollow': rule(
    'thinking',
    'never',
    /each thinking block must contain thinking/,
    'Compresr-ai/Context-Gateway#31',
  ),
  'thinking-unsigned': rule(
    'thinking',
    'after-refusal',
    /Invalid `signature` in `thinking` block|thinking\.signature: Field required|Invalid `data` in `redacted_thinking` block/,
    '10627 71111; documentation (preserved thinking)',
  ),
  'thinking-modified': rule(
    'thinking',
    'after-refusal',
    /`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified/,
    'documentation; 10199 12743 63147 63475',
  ),
  'thinking-alone': rule('thinking', 'before-sending', null, 'tailcallhq/forgecode#2107'),
  'image-type': rule('image', 'after-refusal', /image\.source\.base64\.media_type/, '2438; documentation'),
  'image-mismatch': rule(
    'image',
    'after-refusal',
    /image was specified using the .* media type|does not match the provided media type/,
    '35234 988 13131 15746',
  ),
  'image-data': rule(
    'image',
    'after-refusal',
    /image cannot be empty|image\.source\.base64: invalid base64 data/,
    '36712 12750 anthropics/anthropic-sdk-typescript#603',
  ),
  'image-unreadable': rule('image', 'after-refusal', /Could not process image/, '1747 15478 44542 47391 66167'),
  'image-pixels': rule(
    'image',
    'after-refusal',
    /image dimensions exceed max allowed size/,
    'documentation; 5147 27090 2752 13480',
  ),
  'image-bytes': rule(
    'image',
    'by-client-refusal',
    /image exceeds 5 MB maximum|exceeds API limit \(5MB\)/,
    '2104 2939 20021 47526',
  ),
  'image-count': rule('image', 'after-refusal', /Too much media/, 'documentation; 3397 19822 24541'),
  document: rule(
    'document',
    'after-refusal',
    /\.pdf\.source|The PDF specified|PDF pages may be provided/,
    '5707 6197 6231 16136',
  ),
  'lone-surrogate': rule(
    'lone-surrogate',
    'before-sending',
    /request body is not valid JSON: (?:no low surrogate|invalid high surrogate|unexpected end of data)/,
    '3277 1939 6234 60394 68325',
  ),
  'first-role': rule('role', 'never', /first message must use the "user" role/, 'lobehub/lobehub#1601'),
  'same-roles': rule(
    'role',
    'never',
    /roles must alternate between "user" and "assistant"/,
    'lobehub/lobehub#1496; documentation',
  ),
  'request-size': rule(
    'request-size',
    'never',
    /Request exceeds the maximum size|Request too large/,
    'documentation; 8092 17510 74048',
  ),
} as const satisfies Readonly<Record<string, RequestRule>>;

export type RuleName = keyof typeof REQUEST_RULES;

function rule(code: FaultCode, heals: Heals, sentence: RegExp | null, source: string): RequestRule {
  return { code, heals, sentence, source };
}

/** The names of the rules, in the order in which a sentence is compared with them: the more exact pattern is first. */
export const RULE_NAMES: readonly RuleName[] = Object.keys(REQUEST_RULES).filter(isRuleName);

function isRuleName(name: string): name is RuleName {
  return name in REQUEST_RULES;
}
