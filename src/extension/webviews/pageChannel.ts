import { type BirpcReturn, createBirpc } from 'birpc';
import * as v from 'valibot';
import type { DisposableLike, Listen } from '../lifetime';
import type { PageCall } from './guardCall';

/** A webview, as far as messages go. */
export interface PagePort {
  post(message: unknown): void;
  readonly onMessage: Listen<unknown>;
}

export interface PageChannelParts<Page extends object> {
  /** What the page may call, by name. */
  readonly calls: ReadonlyMap<string, PageCall>;
  readonly port: PagePort;
  /** What the page is told; it answers nothing, since a hidden one could not. */
  readonly events: (keyof Page)[];
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
export class PageChannel<Page extends object> implements DisposableLike {
  readonly page: BirpcReturn<Page, object>;
  readonly #listening: DisposableLike[] = [];

  constructor({ calls, port, events, describe, onFailure }: PageChannelParts<Page>) {
    this.page = createBirpc<Page, object>(
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
        serialize: (message: unknown) => withoutErrors(message, describe),
        resolver: (name) => calls.get(name),
        onFunctionError: (error, name) => {
          onFailure(name, error);
        },
        onGeneralError: (error, name = '') => {
          onFailure(name, error);
          return true;
        },
        eventNames: events,
      },
    );
  }

  dispose(): void {
    for (const each of this.#listening.splice(0)) each.dispose();
    this.page.$close();
  }
}

/** VS Code sends JSON, in which an Error would be `{}`: the page is told a sentence. */
function withoutErrors(message: unknown, describe: (error: unknown) => string): unknown {
  if (typeof message !== 'object' || message === null || !('e' in message)) return message;
  return { ...message, e: describe(message.e) };
}
