import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ApiMessage {
  readonly role: string;
  readonly content: unknown;
}

/** One request that a client sent to `/<tag>/v1/messages`. */
interface ApiRequest {
  readonly messages: readonly ApiMessage[];
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
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object };

/** The reply of a model to a conversation. */
export type Replier = (messages: readonly ApiMessage[]) => readonly ReplyBlock[];

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
    requests.set(tag, [...(requests.get(tag) ?? []), { messages: asked.messages }]);
    const message = replyTo(asked.model, body.length, replier(asked.messages));
    if (asked.stream) sendStream(response, message);
    else sendJson(response, 200, message);
  } else if (request.method === 'GET' && path.includes('/v1/models')) {
    sendJson(response, 200, { data: [], has_more: false, first_id: null, last_id: null });
  } else if (request.method === 'HEAD') {
    response.writeHead(200).end();
  } else {
    sendJson(response, 404, { type: 'error', error: { type: 'not_found_error', message: `no route ${path}` } });
  }
}

function parseRequest(body: string): { messages: readonly ApiMessage[]; model: unknown; stream: boolean } {
  // SAFETY: the sender is the client under test; its request is checked by the judgement, not here.
  const asked = JSON.parse(body) as { messages?: readonly ApiMessage[]; model?: unknown; stream?: unknown };
  return { messages: asked.messages ?? [], model: asked.model, stream: asked.stream === true };
}

let replies = 0;

function replyTo(model: unknown, requestLength: number, content: readonly ReplyBlock[]) {
  replies += 1;
  const usage = {
    input_tokens: Math.ceil(requestLength / 4),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 5,
    service_tier: 'standard',
  };
  return {
    id: `msg_mock${String(replies).padStart(16, '0')}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage,
  };
}

function sendStream(response: ServerResponse, message: ReturnType<typeof replyTo>): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const send = (type: string, data: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  };
  send('message_start', { message: { ...message, content: [], stop_reason: null } });
  for (const [index, block] of message.content.entries()) {
    if (block.type === 'text') {
      send('content_block_start', { index, content_block: { ...block, text: '' } });
      send('content_block_delta', { index, delta: { type: 'text_delta', text: block.text } });
    } else {
      send('content_block_start', { index, content_block: { ...block, input: {} } });
      const delta = { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
      send('content_block_delta', { index, delta });
    }
    send('content_block_stop', { index });
  }
  send('message_delta', { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: message.usage });
  send('message_stop', {});
  response.end();
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
