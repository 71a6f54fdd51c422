// The calling end of a channel: turns a channel and a send function into functions, one per call, each with the channel's
// time limit. It must never wait without a limit, and depends on neither Node nor a page.
import type { Calls, Channel, Events } from './channel';
import { CANCEL, wireName } from './channel';

/** What ends a call that has no answer: a time in milliseconds, or the caller's abort signal. */
export type CallLimit = number | AbortSignal;

export interface Outgoing {
  /** Name on the port. */
  readonly method: string;
  readonly args: readonly unknown[];
  /** Null if no answer is expected. */
  readonly limit: CallLimit | null;
}

/** Sends a message and resolves to its answer. Must observe the limit. */
export type Send = (outgoing: Outgoing) => Promise<unknown>;

/** Limit for a cancellation, which nobody waits for. */
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
  // SAFETY: the entries are the calls of the channel, by name, with their arguments.
  return Object.fromEntries(calls) as Calls<C>;
}

/** A caller that aborts does not wait for the answer; the other side is still asked to stop. */
async function sendCancellable(callId: string, method: string, given: unknown[], send: Send): Promise<unknown> {
  // SAFETY: the last argument of a cancellable call is its signal.
  const signal = given.at(-1) as AbortSignal;
  signal.throwIfAborted();
  const cancel = (): void => {
    // If the other side is gone, it has already stopped.
    send({ method: CANCEL, args: [callId], limit: CANCEL_TIMEOUT_MS }).catch(() => undefined);
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await send({ method, args: [callId, ...given.slice(0, -1)], limit: signal });
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Handlers of events, by their names on the port. */
export type EventHandlers = Record<string, (...args: never) => unknown>;

/** Returns the handlers of a channel's events, by their names on the port. */
export function eventHandlers<C extends Channel>(channel: C, events: Events<C>): EventHandlers {
  // SAFETY: all properties are functions.
  const entries = Object.entries(events) as [string, EventHandlers[string]][];
  return Object.fromEntries(entries.map(([name, take]) => [wireName(channel, name), take]));
}

/** Settles with the work, or rejects if the limit is reached first; the work itself continues. */
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
