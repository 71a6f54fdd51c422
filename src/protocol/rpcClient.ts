// The caller's end of a channel. What comes in: a channel, and a way to send. What goes out: its calls as functions, each
// with the channel's limit. It must never wait without a limit, and holds nothing of Node's or a page's own.
import type { Calls, Channel, Events } from './channel';
import { CANCEL, wireName } from './channel';

/** How a call ends without an answer: after a time in milliseconds, or when its caller gives up. */
export type CallLimit = number | AbortSignal;

export interface Outgoing {
  /** On the port. */
  readonly method: string;
  readonly args: readonly unknown[];
  /** Null where there is no answer to wait for. */
  readonly limit: CallLimit | null;
}

/** Sends a message, and resolves to its answer. Keeps to the limit. */
export type Send = (outgoing: Outgoing) => Promise<unknown>;

/** A cancellation is sent for nobody who waits. */
const CANCEL_TIMEOUT_MS = 10_000;

export function createCalls<C extends Channel>(channel: C, send: Send): Calls<C> {
  let cancellableCalls = 0;
  const calls = Object.entries(channel.calls).map(([name, definition]) => {
    const method = wireName(channel, name);
    switch (definition.kind) {
      case 'timed':
        return [name, (...args: unknown[]) => send({ method, args, limit: definition.timeoutMs })];
      case 'notice':
        return [name, (...args: unknown[]) => send({ method, args, limit: null })];
      case 'cancellable':
        return [
          name,
          (...args: unknown[]) => sendCancellable(`${channel.name} ${++cancellableCalls}`, method, args, send),
        ];
    }
  });
  // SAFETY: each call of the channel by its name, with its arguments.
  return Object.fromEntries(calls) as Calls<C>;
}

/** The one who gives up does not wait for the answer; the other side is asked to stop all the same. */
async function sendCancellable(callId: string, method: string, given: unknown[], send: Send): Promise<unknown> {
  // SAFETY: the last argument of a cancellable call.
  const signal = given.at(-1) as AbortSignal;
  signal.throwIfAborted();
  const cancel = (): void => {
    // Who is gone has stopped.
    send({ method: CANCEL, args: [callId], limit: CANCEL_TIMEOUT_MS }).catch(() => undefined);
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await send({ method, args: [callId, ...given.slice(0, -1)], limit: signal });
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** What takes events, by their names on the port. */
export type EventHandlers = Record<string, (...args: never) => unknown>;

/** What takes the events of a channel, by their names on the port. */
export function eventHandlers<C extends Channel>(channel: C, events: Events<C>): EventHandlers {
  // SAFETY: functions alone.
  const entries = Object.entries(events) as [string, EventHandlers[string]][];
  return Object.fromEntries(entries.map(([name, take]) => [wireName(channel, name), take]));
}

/** The work's own end, or a rejection when the limit is reached first; the work itself continues. */
export function withLimit<T>(
  work: Promise<T>,
  limit: CallLimit | null,
  timedOut: (afterMs: number) => Error,
): Promise<T> {
  if (limit === null) return work;
  return new Promise((resolve, reject) => {
    const lift = watchLimit(limit, timedOut, reject);
    void work.then(resolve, reject).finally(lift);
  });
}

function watchLimit(
  limit: CallLimit,
  timedOut: (afterMs: number) => Error,
  reject: (reason: unknown) => void,
): () => void {
  if (typeof limit === 'number') {
    const timer = setTimeout(() => {
      reject(timedOut(limit));
    }, limit);
    return () => {
      clearTimeout(timer);
    };
  }
  const abort = (): void => {
    reject(limit.reason);
  };
  if (limit.aborted) abort();
  limit.addEventListener('abort', abort, { once: true });
  return () => {
    limit.removeEventListener('abort', abort);
  };
}
