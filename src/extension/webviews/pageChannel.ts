import { type BirpcReturn, createBirpc } from 'birpc';
import * as v from 'valibot';
import type { Calls, Channel, EventSenders, Schemas } from '../../protocol/channel';
import { createEvents, RpcServer } from '../../protocol/rpcServer';
import type { DisposableLike, Listen } from '../lifetime';

/** A webview, as far as messages go. */
export interface PagePort {
  post(message: unknown): void;
  readonly onMessage: Listen<unknown>;
}

export interface PageChannelDeps<C extends Channel> {
  readonly channel: C;
  /** Answers what the page asks. */
  readonly calls: Calls<C>;
  readonly schemas: Schemas<C>;
  readonly port: PagePort;
  /** What the person reads in place of an error's own message. */
  readonly describe: (error: unknown) => string;
  /** A call was refused, or could not be answered. */
  readonly onFailure: (call: string, error: unknown) => void;
}

/** The only messages that a page sends: calls, of which one that waits for an answer has an id. */
const CALL = v.object({
  t: v.literal('q'),
  m: v.pipe(v.string(), v.maxLength(40)),
  a: v.pipe(v.array(v.unknown()), v.maxLength(8)),
  i: v.optional(v.pipe(v.string(), v.maxLength(100))),
});

/** Between a webview's page and the extension. What comes in is checked before anything is done with it. */
export class PageChannel<C extends Channel> implements DisposableLike {
  /** What the page is sent; it answers nothing, since a hidden one could not. */
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
          // Its delivery is not waited for: that to a hidden page never comes.
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

/** VS Code sends JSON, in which an Error would be `{}`: the page is sent a sentence. */
function withoutErrors(message: unknown, describe: (error: unknown) => string): unknown {
  if (typeof message !== 'object' || message === null || !('e' in message)) return message;
  return { ...message, e: describe(message.e) };
}
