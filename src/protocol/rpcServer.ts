// The answering end of channels. What comes in: implementations, typed by their channels. What goes out: one handler for
// each call, by its name on the port. It must never let a call through that its channel does not name, or whose arguments
// are not what the channel's schema says.
import { getDotPath, safeParse, type GenericSchema } from 'valibot';
import type { Calls, Channel, EventSenders, Schemas } from './channel';
import { CANCEL, wireName } from './channel';

/** Answers one call, with whatever came in as its arguments. */
export type Handler = (...args: unknown[]) => unknown;

/** Refuses arguments by throwing. */
type Check = (args: readonly unknown[]) => readonly unknown[];

/** Everything that may be called over one port. */
export class RpcServer {
  readonly #handlers = new Map<string, Handler>([[CANCEL, (callId) => this.#running.get(callId)?.abort()]]);
  /** Cancellable calls that run, by the ids that their caller gave them. */
  readonly #running = new Map<unknown, AbortController>();

  /**
   * `implementation`: a function where it is loaded with the first call. `schemas`: where the caller is not trusted; a call
   * whose arguments do not fit rejects, and reaches nobody.
   */
  serve<C extends Channel>(
    channel: C,
    implementation: Calls<C> | (() => Promise<Calls<C>>),
    schemas?: Schemas<C>,
  ): void {
    for (const [name, { kind }] of Object.entries(channel.calls)) {
      const check = checking(schemas?.[name]);
      // SAFETY: the implementation has every call of its channel; what it is given was checked, or comes from our own code.
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

  /** Undefined for what may not be called. */
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
    // The issue's own text would repeat what came in.
    if (!checked.success) throw new Error(`Refused: ${getDotPath(checked.issues[0]) ?? 'the arguments'} is not valid`);
    return checked.output;
  };
}

/** A port that events can be sent over, such as birpc's. Resolves when an answered one was taken, at once for the others. */
interface EventPort {
  $callRaw(message: { method: string; args: unknown[]; event: boolean }): Promise<unknown>;
}

/** Sends the events of a channel. */
export function createEvents<C extends Channel>(channel: C, port: EventPort): EventSenders<C> {
  const events = Object.entries(channel.events).map(([name, { kind }]) => [
    name,
    (...args: unknown[]) => port.$callRaw({ method: wireName(channel, name), args, event: kind === 'event' }),
  ]);
  // SAFETY: each event of the channel by its name, with its arguments.
  return Object.fromEntries(events) as EventSenders<C>;
}
