import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ApiMessage {
  readonly role: string;
  readonly content: unknown;
}

/** One request that a client sent to `/<tag>/v1/messages`. */
export interface ApiRequest {
  readonly tag: string;
  readonly messages: readonly ApiMessage[];
  /** The system prompt, and the tools that Claude may call. */
  readonly system: unknown;
  readonly tools: unknown;
}

export interface MockApi {
  /** Base URL for a client whose requests are identified by `tag`. */
  urlFor(tag: string): string;
  /** The requests with the tag, oldest first; this call removes them. */
  take(tag: string): readonly ApiRequest[];
  close(): Promise<void>;
}

/** A block of a reply. */
export type ReplyBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | {
      readonly type: 'tool_use' | 'server_tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: object;
    }
  | { readonly type: 'web_search_tool_result'; readonly tool_use_id: string; readonly content: unknown };

/** A reply with more than its content. */
export interface Reply {
  readonly content: readonly ReplyBlock[];
  readonly stopReason?: string;
  /** Added to the counts of the request. */
  readonly usage?: Readonly<Record<string, number>>;
  /** The stream is destroyed after this number of blocks, when it need not wait any longer. */
  readonly cutAfter?: number;
  /** The last block and the end of the stream wait for it. */
  readonly until?: Promise<void>;
}

/** What the API answers instead of a reply. */
export interface Refusal {
  readonly status: number;
  readonly error: { readonly type: string; readonly message: string };
}

/** The reply of a model to a conversation. */
export type Replier = (messages: readonly ApiMessage[], request: ApiRequest) => readonly ReplyBlock[] | Reply | Refusal;

const sayOk: Replier = () => [{ type: 'text', text: 'OK.' }];

/** A Messages API on 127.0.0.1 that answers every prompt, by default with one short text, and records its requests. */
export async function startMockApi(replier: Replier = sayOk): Promise<MockApi> {
  const requests = new Map<string, ApiRequest[]>();
  const server = createServer((request, response) => {
    void readBody(request).then(
      (body) => {
        answer(request, response, body, requests, replier);
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // SAFETY: a server that listens on a TCP port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    urlFor: (tag) => `http://127.0.0.1:${port}/${tag}`,
    take: (tag) => {
      const taken = requests.get(tag) ?? [];
      requests.delete(tag);
      return taken;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
  requests: Map<string, ApiRequest[]>,
  replier: Replier,
): void {
  const path = (request.url ?? '').split('?')[0] ?? '';
  const [, tag = ''] = path.split('/');
  if (request.method === 'POST' && path.endsWith('/v1/messages/count_tokens')) {
    sendJson(response, 200, { input_tokens: Math.ceil(body.length / 4) });
  } else if (request.method === 'POST' && path.endsWith('/v1/messages')) {
    const asked = parseRequest(body);
    const { messages, system, tools } = asked;
    const recorded = { tag, messages, system, tools };
    requests.set(tag, [...(requests.get(tag) ?? []), recorded]);
    const answered = replier(asked.messages, recorded);
    if ('status' in answered) {
      sendJson(response, answered.status, { type: 'error', error: answered.error });
      return;
    }
    const reply: Reply = 'content' in answered ? answered : { content: answered };
    const message = replyTo(asked.model, body.length, reply);
    if (asked.stream) void sendStream(response, message, reply);
    else sendJson(response, 200, message);
  } else if (request.method === 'GET' && path.includes('/v1/models')) {
    sendJson(response, 200, { data: [], has_more: false, first_id: null, last_id: null });
  } else if (request.method === 'HEAD') {
    response.writeHead(200).end();
  } else {
    sendJson(response, 404, { type: 'error', error: { type: 'not_found_error', message: `no route ${path}` } });
  }
}

interface AskedRequest extends Omit<ApiRequest, 'tag'> {
  readonly model: unknown;
  readonly stream: boolean;
}

function parseRequest(body: string): AskedRequest {
  // SAFETY: the sender is the client under test; its request is checked by the judgement, not here.
  const asked = JSON.parse(body) as Partial<Record<keyof AskedRequest, unknown>> &
    Partial<Pick<ApiRequest, 'messages'>>;
  const { messages = [], system, tools, model, stream } = asked;
  return { messages, system, tools, model, stream: stream === true };
}

let replies = 0;

function replyTo(model: unknown, requestLength: number, { content, stopReason, usage: counts }: Reply) {
  replies += 1;
  const usage = {
    input_tokens: Math.ceil(requestLength / 4),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 5,
    service_tier: 'standard',
    ...counts,
  };
  return {
    id: `msg_mock${String(replies).padStart(16, '0')}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: stopReason ?? (content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn'),
    stop_sequence: null,
    usage,
  };
}

async function sendStream(
  response: ServerResponse,
  message: ReturnType<typeof replyTo>,
  { cutAfter, until }: Reply,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const send = (type: string, data: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  };
  send('message_start', { message: { ...message, content: [], stop_reason: null } });
  for (const [index, block] of message.content.entries()) {
    if (index === cutAfter) break;
    if (until !== undefined && index === message.content.length - 1) await until;
    const { start, deltas } = streamed(block);
    send('content_block_start', { index, content_block: start });
    for (const delta of deltas) send('content_block_delta', { index, delta });
    send('content_block_stop', { index });
  }
  if (cutAfter !== undefined) {
    await until;
    response.destroy();
    return;
  }
  send('message_delta', { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: message.usage });
  send('message_stop', {});
  response.end();
}

function streamed(block: ReplyBlock): { readonly start: object; readonly deltas: readonly object[] } {
  switch (block.type) {
    case 'text':
      return { start: { ...block, text: '' }, deltas: [{ type: 'text_delta', text: block.text }] };
    case 'thinking': {
      const { thinking, signature } = block;
      const start = { type: 'thinking', thinking: '', signature: '' };
      return {
        start,
        deltas: [
          { type: 'thinking_delta', thinking },
          { type: 'signature_delta', signature },
        ],
      };
    }
    case 'tool_use':
    case 'server_tool_use': {
      const delta = { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
      return { start: { ...block, input: {} }, deltas: [delta] };
    }
    case 'redacted_thinking':
    case 'web_search_tool_result':
      return { start: block, deltas: [] };
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  // SAFETY: without setEncoding, a request yields Buffers.
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
