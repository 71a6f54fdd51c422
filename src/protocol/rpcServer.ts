// The answering end of channels: turns typed implementations into one handler per call, by its name on the port. It must
// refuse every call that its channel does not declare, and arguments that do not match the channel's schema.
import { getDotPath, safeParse, type GenericSchema } from 'valibot';
import type { Calls, Channel, EventSenders, Schemas } from './channel';
import { CANCEL, wireName } from './channel';

/** Answers one call with unchecked arguments. */
export type Handler = (...args: unknown[]) => unknown;

/** Returns the checked arguments, or throws. */
type Check = (args: readonly unknown[]) => readonly unknown[];

/** All calls available over one port. */
export class RpcServer {
  readonly #handlers = new Map<string, Handler>([[CANCEL, (callId) => this.#running.get(callId)?.abort()]]);
  /** Running cancellable calls, by the ids that their callers chose. */
  readonly #running = new Map<unknown, AbortController>();

  /**
   * `implementation`: a function if it is to be loaded with the first call. `schemas`: required if the caller is not
   * trusted; a call whose arguments do not match rejects without reaching the implementation.
   */
  serve<C extends Channel>(
    channel: C,
    implementation: Calls<C> | (() => Promise<Calls<C>>),
    schemas?: Schemas<C>,
  ): void {
    for (const [name, { kind }] of Object.entries(channel.calls)) {
      const check = checking(schemas?.[name]);
      // SAFETY: the implementation has every call of its channel; its arguments were checked, or come from our own code.
      const invoke = (calls: Calls<C>, args: readonly unknown[]): unknown => (calls[name] as Handler)(...args);
      const run: Handler =
        typeof implementation === 'function'
          ? async (...args) => invoke(await implementation(), args)
          : (...args) => invoke(implementation, args);
      this.#handlers.set(
        wireName(channel, name),
        kind === 'cancellable' ? this.#cancellable(run, check) : (...args) => run(...check(args)),
      );
    }
  }

  /** Undefined for a method that cannot be called. */
  readonly handler = (method: string): Handler | undefined => this.#handlers.get(method);

  #cancellable(run: Handler, check: Check): Handler {
    return (callId, ...args) => {
      const checked = check(args);
      return this.#runUntilCancelled(callId, (signal) => run(...checked, signal));
    };
  }

  async #runUntilCancelled(callId: unknown, run: (signal: AbortSignal) => unknown): Promise<unknown> {
    const controller = new AbortController();
    this.#running.set(callId, controller);
    try {
      return await run(controller.signal);
    } finally {
      if (this.#running.get(callId) === controller) this.#running.delete(callId);
    }
  }
}

function checking(schema: GenericSchema<unknown, readonly unknown[]> | undefined): Check {
  if (schema === undefined) return (args) => args;
  return (args) => {
    const checked = safeParse(schema, args);
    // The issue's own message would repeat the arguments.
    if (!checked.success) throw new Error(`Refused: ${getDotPath(checked.issues[0]) ?? 'the arguments'} is not valid`);
    return checked.output;
  };
}

/**
 * A port that can send events, such as birpc's. Resolves when an answered event was received, and at once for other events.
 */
interface EventPort {
  $callRaw(message: { method: string; args: unknown[]; event: boolean }): Promise<unknown>;
}

/** Sends the events of a channel. */
export function createEvents<C extends Channel>(channel: C, port: EventPort): EventSenders<C> {
  const events = Object.entries(channel.events).map(([name, { kind }]) => [
    name,
    (...args: unknown[]) => port.$callRaw({ method: wireName(channel, name), args, event: kind === 'event' }),
  ]);
  // SAFETY: the entries are the events of the channel, by name, with their arguments.
  return Object.fromEntries(events) as EventSenders<C>;
}
