import type { ApiMessage } from '../support/mockApi';

/** A block of a request; the client may send anything. */
type Block = Readonly<Record<string, unknown>>;

/** How an API, or what is before it, differs from the Messages API of today. */
export interface ApiLimits {
  /** Roles must alternate, and the user begins. */
  readonly strictRoles?: boolean;
  /** Of all messages as JSON; the API accepts 32 MB. */
  readonly maxBytes?: number;
  /** Of all messages, at four bytes a token; the API accepts 200,000 or more. */
  readonly maxTokens?: number;
}

/**
 * The error sentence with which the Messages API refuses these messages; null if it accepts them. Written from the API's published
 * rules and from sentences that people have posted, apart from the rules of the product, which must not judge itself. Of the signatures of
 * thinking, only their presence is checked.
 *
 * @param rest the system prompt and the tools
 */
export function refusalOf(
  messages: readonly ApiMessage[],
  rest: object,
  { strictRoles, maxBytes = 32e6, maxTokens = Infinity }: ApiLimits = {},
): string | null {
  const bytes = Buffer.byteLength(JSON.stringify(messages));
  if (bytes > maxBytes) return 'Request exceeds the maximum size';
  const tokens = Math.ceil(bytes / 4);
  if (tokens > maxTokens) return `prompt is too long: ${tokens} tokens > ${maxTokens} maximum`;
  const talk = messages.flatMap(({ role, content }, at) =>
    role === 'system' ? [] : [{ role, at, blocks: listOf(content) }],
  );
  // Those of the client itself: of the system prompt, of the tools, and of system messages.
  const own = [rest, ...messages.filter(({ role }) => role === 'system')];
  let cached = JSON.stringify(own).split('"cache_control":{').length - 1;
  for (const { role, at, blocks } of talk) {
    if (blocks.length === 0 && !(role === 'assistant' && at === messages.length - 1)) {
      return `messages.${at}: all messages must have non-empty content except for the optional final assistant message`;
    }
    for (const [index, block] of blocks.entries()) {
      const problem = refusalOfBlock(block, `messages.${at}.content.${index}`);
      if (problem !== null) return problem;
      const inner = block['type'] === 'tool_result' ? listOf(block['content']) : [];
      cached += [block, ...inner].filter((each) => (each['cache_control'] ?? null) !== null).length;
    }
  }
  if (strictRoles === true) {
    const twice = talk.find(({ role }, at) => role === 'assistant' && talk[at - 1]?.role === 'assistant');
    if (talk[0]?.role !== 'user') return 'messages: first message must use the "user" role';
    if (twice !== undefined) return ROLES_ALTERNATE;
  }
  const media = refusalOfMedia(talk);
  if (media !== null) return media;
  if (cached > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${cached}.`;
  return refusalOfPairs(talk);
}

function listOf(content: unknown): readonly Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  // SAFETY: elements are only asked for fields, and anything but an object has none.
  return Array.isArray(content) ? (content as readonly Block[]) : [];
}

/** Of anything but an object, which a client may send too, there is none. */
function tagOf(block: unknown): string {
  return typeof block === 'object' && block !== null && 'type' in block ? String(block.type) : '';
}

const TAGS = new RegExp(
  '^(text|image|document|search_result|(redacted_)?thinking|tool_use|tool_result|server_tool_use|' +
    '(web_search|web_fetch|code_execution|bash_code_execution|text_editor_code_execution|tool_search|advisor|mcp)_tool_result|' +
    'mcp_tool_use|container_upload|compaction|mid_conv_system)$',
);
const ALLOWED: Readonly<Record<string, string>> = {
  text: 'type text cache_control citations',
  thinking: 'type thinking signature',
  redacted_thinking: 'type data',
  tool_use: 'type id name input cache_control caller',
  tool_result: 'type tool_use_id content is_error cache_control',
  image: 'type source cache_control',
};

function refusalOfBlock(block: Block, path: string): string | null {
  const type = tagOf(block);
  if (!TAGS.test(type)) return unknownTag(path, type);
  const allowed = ALLOWED[type]?.split(' ');
  const extra = Object.keys(block).find((key) => allowed?.includes(key) === false);
  if (extra !== undefined) return `${path}.${type}.${extra}: Extra inputs are not permitted`;
  const text = String(block['text']);
  if (type === 'text' && text === '') return 'messages: text content blocks must be non-empty';
  if (type === 'text' && /^\s*$/.test(text)) return 'messages: text content blocks must contain non-whitespace text';
  if (type === 'tool_use') {
    if (!/^[\w-]+$/.test(String(block['id']))) return misspelt(`${path}.tool_use.id`, '^[a-zA-Z0-9_-]+$');
    if (!/^[\w-]{1,128}$/.test(String(block['name'])))
      return misspelt(`${path}.tool_use.name`, '^[a-zA-Z0-9_-]{1,128}$');
    const { input } = block;
    const isDictionary = typeof input === 'object' && input !== null && !Array.isArray(input);
    return isDictionary ? null : `${path}.tool_use.input: Input should be a valid dictionary`;
  }
  if (type === 'server_tool_use' && !/^srvtoolu_\w+$/.test(String(block['id']))) {
    return misspelt(`${path}.server_tool_use.id`, '^srvtoolu_[a-zA-Z0-9_]+$');
  }
  if (type === 'thinking' && typeof block['thinking'] !== 'string') {
    return block['thinking'] === undefined
      ? `${path}.thinking.thinking: Field required`
      : `${path}.thinking.thinking: Input should be a valid string`;
  }
  if (type === 'thinking' && (block['signature'] ?? '') === '') {
    return block['signature'] === undefined
      ? `${path}.thinking.signature: Field required`
      : `${path}: Invalid \`signature\` in \`thinking\` block`;
  }
  return type === 'tool_result' ? refusalOfResult(block, path) : null;
}

const ROLES_ALTERNATE =
  'messages: roles must alternate between "user" and "assistant", but found multiple "assistant" roles in a row';

function refusalOfMedia(talk: readonly Turn[]): string | null {
  const media = talk.flatMap(({ at, blocks }) =>
    blocks.flatMap((block, index) => {
      const path = `messages.${at}.content.${index}`;
      const inner = block['type'] === 'tool_result' ? listOf(block['content']) : [];
      return [{ block, path }, ...inner.map((each, k) => ({ block: each, path: `${path}.tool_result.content.${k}` }))];
    }),
  );
  const images = media.filter(({ block }) => block['type'] === 'image');
  if (images.length > 100) return `Too much media: 0 document pages + ${images.length} images > 100`;
  for (const { block, path } of images) {
    const problem = refusalOfImage(block, `${path}.image.source.base64`, images.length > 20 ? 2000 : 8000);
    if (problem !== null) return problem;
  }
  for (const { block, path } of media) {
    if (block['type'] !== 'document') continue;
    const pdf = Buffer.from(sourceOf(block).data, 'base64').toString('latin1');
    const place = `${path}.pdf.source.base64.data`;
    if (!pdf.startsWith('%PDF-')) return `${place}: The PDF specified was not valid.`;
    if (pdf.includes('/Encrypt')) return `${place}: The PDF specified is password protected.`;
    if (pdf.split('/Type /Page').length > 101) return `${place}: A maximum of 100 PDF pages may be provided.`;
  }
  return null;
}

function sourceOf(block: Block): { readonly data: string; readonly media_type: string } {
  // SAFETY: the source of a block of media has these fields.
  return block['source'] as { readonly data: string; readonly media_type: string };
}

function refusalOfImage(block: Block, path: string, maxPixels: number): string | null {
  const { data, media_type: type } = sourceOf(block);
  if (!/^image\/(png|jpeg|gif|webp)$/.test(type))
    return `${path}.media_type: Input should be 'image/jpeg' or 'image/png'`;
  if (data === '') return `${path}: image cannot be empty`;
  if (!/^[\w+/]+=*$/.test(data)) return `${path}: invalid base64 data`;
  if (data.length > 5 * 2 ** 20) return `${path}: image exceeds 5 MB maximum: ${data.length} bytes > 5242880 bytes`;
  const bytes = Buffer.from(data, 'base64');
  const isPng = bytes.readUInt32BE(0) === 0x89504e47;
  if (!isPng && bytes.readUInt16BE(0) !== 0xffd8) return 'Could not process image';
  if (isPng !== (type === 'image/png')) {
    return `${path}: The image was specified using the ${type} media type, but the image appears to be another one`;
  }
  if (!isPng) return null;
  if (!bytes.includes('IEND')) return 'Could not process image';
  const pixels = Math.max(bytes.readUInt32BE(16), bytes.readUInt32BE(20));
  return pixels > maxPixels
    ? `${path}.data: At least one of the image dimensions exceed max allowed size: ${maxPixels} pixels`
    : null;
}

function refusalOfResult(block: Block, path: string): string | null {
  if (!/^[\w-]+$/.test(String(block['tool_use_id'])))
    return misspelt(`${path}.tool_result.tool_use_id`, '^[a-zA-Z0-9_-]+$');
  const inner = listOf(block['content']);
  if (block['is_error'] === true && inner.length === 0) {
    return `${path}.tool_result: content cannot be empty if \`is_error\` is true`;
  }
  for (const [index, each] of inner.entries()) {
    const type = tagOf(each);
    if (!/^(text|image|document|search_result|tool_reference)$/.test(type)) {
      return unknownTag(`${path}.tool_result.content.${index}`, type);
    }
    if (type !== 'text') continue;
    const path1 = `${path}.tool_result.content.${index}.text.text`;
    if (typeof each['text'] !== 'string') return `${path1}: Input should be a valid string`;
    if (/^\s*$/.test(each['text'])) return 'messages: text content blocks must be non-empty';
  }
  return null;
}

interface Turn {
  readonly role: string;
  readonly at: number;
  readonly blocks: readonly Block[];
}

function refusalOfPairs(talk: readonly Turn[]): string | null {
  const turns: Turn[] = [];
  for (const turn of talk) {
    const last = turns.at(-1);
    if (last?.role === turn.role) turns[turns.length - 1] = { ...last, blocks: [...last.blocks, ...turn.blocks] };
    else turns.push(turn);
  }
  const known = new Set<unknown>();
  for (const [index, { role, at, blocks }] of turns.entries()) {
    if (role !== 'assistant') {
      const stray = refusalOfResults(blocks, turns[index - 1]?.blocks ?? [], at);
      if (stray !== null) return stray;
      continue;
    }
    for (const { type, id } of blocks) {
      if (type !== 'tool_use') continue;
      if (known.has(id)) return `messages.${at}: \`tool_use\` ids must be unique`;
      known.add(id);
    }
    const next = turns[index + 1]?.blocks ?? [];
    const firstOther = next.findIndex(({ type }) => type !== 'tool_result');
    const answered = new Set(
      (firstOther < 0 ? next : next.slice(0, firstOther)).map((result) => result['tool_use_id']),
    );
    const open = blocks.find(({ type, id }) => type === 'tool_use' && !answered.has(id));
    if (open !== undefined) {
      return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${String(open['id'])}.`;
    }
    const calls = new Set<unknown>();
    const stray = blocks.find(({ type, id, tool_use_id: answered }) => {
      if (type === 'server_tool_use') calls.add(id);
      return /(?<!^tool)_tool_result$/.test(String(type)) && !calls.has(answered);
    });
    if (stray !== undefined) {
      const name = String(stray['type']);
      return `messages.${at}.content.${blocks.indexOf(stray)}: unexpected \`tool_use_id\` found in \`${name}\` blocks: ${String(stray['tool_use_id'])}.`;
    }
  }
  return null;
}

/** Each result belongs to a call of the message before, and is its only one. */
function refusalOfResults(blocks: readonly Block[], before: readonly Block[], at: number): string | null {
  const calls = new Set(before.filter(({ type }) => type === 'tool_use').map(({ id }) => id));
  const seen = new Set<unknown>();
  for (const [index, { type, tool_use_id: id }] of blocks.entries()) {
    if (type !== 'tool_result') continue;
    const place = `messages.${at}.content.${index}`;
    if (!calls.has(id)) return `${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(id)}.`;
    if (seen.has(id)) return `${place}: each tool_use must have a single result.`;
    seen.add(id);
  }
  return null;
}

function unknownTag(path: string, type: string): string {
  return `${path}: Input tag '${type}' found using 'type' does not match any of the expected tags: 'text', 'image'`;
}

function misspelt(path: string, pattern: string): string {
  return `${path}: String should match pattern '${pattern}'`;
}
