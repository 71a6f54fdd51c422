import type { BirpcReturn } from 'birpc';
import { createBirpc } from 'birpc';
import * as v from 'valibot';
import type { PanelApi, PanelHostApi } from '../../shared/api/conversation';
import type { DisposableLike } from '../lifetime/disposable';
import type { Listen } from '../lifetime/emitter';
import { createPanelCalls } from './panelCalls';

/** A webview, as far as messages go. */
export interface MessagePort {
  post(message: unknown): void;
  readonly onMessage: Listen<unknown>;
}

export interface ChannelParts {
  readonly host: PanelHostApi;
  readonly port: MessagePort;
  /** What the person reads in place of an error's own message. */
  readonly describe: (error: unknown) => string;
  /** A call was refused, or could not be answered. */
  readonly onFailure: (call: string, error: unknown) => void;
}

export type PanelCalls = BirpcReturn<PanelApi, object>;

/** The only messages that a panel sends: calls, of which one that waits for an answer has an id. */
const CALL = v.object({
  t: v.literal('q'),
  m: v.pipe(v.string(), v.maxLength(40)),
  a: v.pipe(v.array(v.unknown()), v.maxLength(8)),
  i: v.optional(v.pipe(v.string(), v.maxLength(100))),
});

/** Between a conversation panel's webview and the host. What comes in is checked before anything is done with it. */
export class ConversationChannel implements DisposableLike {
  readonly panel: PanelCalls;
  readonly #listening: DisposableLike[] = [];

  constructor({ host, port, describe, onFailure }: ChannelParts) {
    const calls = createPanelCalls(host);
    this.panel = createBirpc<PanelApi, object>(
      {},
      {
        post: (message: unknown) => {
          // Its delivery is not waited for: that to a hidden panel never comes.
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
        // The page answers nothing: a hidden one could not.
        eventNames: ['changed', 'subagentChanged', 'reveal', 'openFind', 'stopped'],
      },
    );
  }

  dispose(): void {
    for (const each of this.#listening.splice(0)) each.dispose();
    this.panel.$close();
  }
}

/** VS Code sends JSON, in which an Error would be `{}`: the page is told a sentence. */
function withoutErrors(message: unknown, describe: (error: unknown) => string): unknown {
  if (typeof message !== 'object' || message === null || !('e' in message)) return message;
  return { ...message, e: describe(message.e) };
}
