import { type BirpcReturn, createBirpc } from 'birpc';
import * as v from 'valibot';
import type { Calls, Channel, EventSenders, Schemas } from '../../protocol/channel';
import { createEvents, RpcServer } from '../../protocol/rpcServer';
import type { DisposableLike, Listen } from '../lifetime';

/** The messaging part of a webview. */
export interface PagePort {
  post(message: unknown): void;
  readonly onMessage: Listen<unknown>;
}

export interface PageChannelDeps<C extends Channel> {
  readonly channel: C;
  /** Answers the page's calls. */
  readonly calls: Calls<C>;
  readonly schemas: Schemas<C>;
  readonly port: PagePort;
  /** Text shown to the person instead of an error's own message. */
  readonly describe: (error: unknown) => string;
  /** Called when a call was refused or could not be answered. */
  readonly onFailure: (call: string, error: unknown) => void;
}

/** The only messages a page sends are calls; a call that expects an answer has an id. */
const CALL = v.object({
  t: v.literal('q'),
  m: v.pipe(v.string(), v.maxLength(40)),
  a: v.pipe(v.array(v.unknown()), v.maxLength(8)),
  i: v.optional(v.pipe(v.string(), v.maxLength(100))),
});

/** Connects a webview's page with the extension. Every incoming message is validated before it is handled. */
export class PageChannel<C extends Channel> implements DisposableLike {
  /** Sends events to the page; they are not answered, because a hidden page cannot answer. */
  readonly page: EventSenders<C>;
  readonly #rpc: BirpcReturn<object, object, false>;
  readonly #listening: DisposableLike[] = [];

  constructor({ channel, calls, schemas, port, describe, onFailure }: PageChannelDeps<C>) {
    const server = new RpcServer();
    server.serve(channel, calls, schemas);
    const failed = (method: string, error: unknown): void => {
      onFailure(method.replace(`${channel.name}.`, ''), error);
    };
    this.#rpc = createBirpc<object, object, false>(
      {},
      {
        post: (message: unknown) => {
          // Delivery is not awaited: delivery to a hidden page never completes.
          port.post(message);
        },
        on: (listener) => {
          this.#listening.push(
            port.onMessage((message) => {
              const checked = v.safeParse(CALL, message);
              if (checked.success) listener(checked.output);
            }),
          );
        },
        proxify: false,
        serialize: (message: unknown) => withoutErrors(message, describe),
        resolver: server.handler,
        onFunctionError: (error, name) => {
          failed(name, error);
        },
        onGeneralError: (error, name = '') => {
          failed(name, error);
          return true;
        },
      },
    );
    this.page = createEvents(channel, this.#rpc);
  }

  dispose(): void {
    for (const each of this.#listening.splice(0)) each.dispose();
    this.#rpc.$close();
  }
}

/** VS Code sends JSON, in which an Error would become `{}`, so the page is sent a sentence instead. */
function withoutErrors(message: unknown, describe: (error: unknown) => string): unknown {
  if (typeof message !== 'object' || message === null || !('e' in message)) return message;
  return { ...message, e: describe(message.e) };
}

export interface PanelPage {
  readonly nonce: string;
  /** Value of `webview.cspSource`. */
  readonly source: string;
  readonly script: string;
  readonly stylesheet: string;
  /** BCP 47 tag. */
  readonly language: string;
  readonly title: string;
}

/** The page of a conversation panel. It can load and run only the bundle and its stylesheet. */
export function panelHtml({ nonce, source, script, stylesheet, language, title }: PanelPage): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${source}`,
    'img-src data:',
    `font-src ${source}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${escape(language)}">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${escape(policy)}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escape(title)}</title>
    <link rel="stylesheet" href="${escape(stylesheet)}">
  </head>
  <body>
    <script nonce="${nonce}" src="${escape(script)}"></script>
  </body>
</html>
`;
}

/** A page with one sentence. */
export function messageHtml(message: string, language: string): string {
  return `<!DOCTYPE html>
<html lang="${escape(language)}">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'">
  </head>
  <body><p role="alert">${escape(message)}</p></body>
</html>
`;
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${String(character.charCodeAt(0))};`);
}
