// A channel is a set of calls that one side makes and the other answers, and of events in the opposite direction. A
// channel's file declares each of them once, with its types, its limit and, if the caller is not trusted, the schema of its
// arguments. Both ends are derived from that: the caller in rpcClient.ts, the answering end in rpcServer.ts.
import type { GenericSchema } from 'valibot';

declare const signature: unique symbol;

/** Carries the type of a function; has no effect at run time. */
interface Typed<F> {
  readonly [signature]?: F;
}

/** A call that rejects if its answer takes longer than `timeoutMs`. */
export interface TimedCall<F> extends Typed<F> {
  readonly kind: 'timed';
  /** Milliseconds; 1 or more. */
  readonly timeoutMs: number;
}

/**
 * A call without a time limit, because it depends on the amount of work or on a person. Both ends get an AbortSignal as its
 * last argument.
 */
export interface CancellableCall<F> extends Typed<F> {
  readonly kind: 'cancellable';
}

/** A call without an answer; its failure stays on the other side. */
export interface Notice<F> extends Typed<F> {
  readonly kind: 'notice';
}

/** An event whose sender is notified when it was received. */
export interface AnsweredEvent<F> extends Typed<F> {
  readonly kind: 'answered event';
}

/** An event whose sender never learns whether it was received. */
export interface Event<F> extends Typed<F> {
  readonly kind: 'event';
}

// Functions of every type are assignable to this.
type AnyFunction = (...args: never) => unknown;
type AnyCall = TimedCall<AnyFunction> | CancellableCall<AnyFunction> | Notice<AnyFunction>;
type AnyCalls = Readonly<Record<string, AnyCall>>;
type AnyEvents = Readonly<Record<string, AnsweredEvent<AnyFunction> | Event<AnyFunction>>>;

export interface Channel<C extends AnyCalls = AnyCalls, E extends AnyEvents = AnyEvents> {
  /** Prefix of the name of each call and event, so that several channels can share one port. */
  readonly name: string;
  readonly calls: C;
  readonly events: E;
}

/** `F`: the arguments, and the value of the answer. */
export function call<F extends AnyFunction>({ timeoutMs }: { readonly timeoutMs: number }): TimedCall<F> {
  return { kind: 'timed', timeoutMs };
}

/**
 * `F`: as in `call`, without the signal. The implementation ends soon after the signal, unless its channel says otherwise.
 */
export function cancellable<F extends AnyFunction>(): CancellableCall<F> {
  return { kind: 'cancellable' };
}

export function notice<F extends AnyFunction>(): Notice<F> {
  return { kind: 'notice' };
}

/**
 * Its sender can delay the next event until this one was received. There is no limit: a sleeping receiver answers when it
 * wakes.
 */
export function answeredEvent<F extends AnyFunction>(): AnsweredEvent<F> {
  return { kind: 'answered event' };
}

export function event<F extends AnyFunction>(): Event<F> {
  return { kind: 'event' };
}

export function defineChannel<C extends AnyCalls, E extends AnyEvents>(
  name: string,
  calls: C,
  events: E,
): Channel<C, E> {
  return { name, calls, events };
}

/** The calls of a channel as functions, with the same signature for the caller and the implementation. */
export type CallsOf<C extends AnyCalls> = {
  readonly [K in keyof C]: C[K] extends TimedCall<infer F extends AnyFunction>
    ? (...args: Parameters<F>) => Promise<ReturnType<F>>
    : C[K] extends CancellableCall<infer F extends AnyFunction>
      ? (...args: [...Parameters<F>, signal: AbortSignal]) => Promise<ReturnType<F>>
      : C[K] extends Notice<infer F extends AnyFunction>
        ? (...args: Parameters<F>) => void | Promise<void>
        : never;
};

export type Calls<C extends Channel> = CallsOf<C['calls']>;

type Arguments<T> = T extends Typed<infer F extends AnyFunction> ? Parameters<F> : never;

/** The events of a channel as functions that handle them. */
export type Events<C extends Channel> = {
  readonly [K in keyof C['events']]: C['events'][K] extends AnsweredEvent<AnyFunction>
    ? (...args: Arguments<C['events'][K]>) => void | Promise<void>
    : (...args: Arguments<C['events'][K]>) => void;
};

/** The events of a channel as functions that send them. */
export type EventSenders<C extends Channel> = {
  readonly [K in keyof C['events']]: (...args: Arguments<C['events'][K]>) => Promise<void>;
};

/** The type of an event's only argument. */
export type EventValue<T> = Arguments<T>[0];

/** Schemas for the arguments of each call of a channel whose caller is not trusted. */
export type Schemas<C extends Channel> = {
  readonly [K in keyof C['calls']]: GenericSchema<unknown, Arguments<C['calls'][K]>>;
};

/** Name of a call or event on the port. */
export function wireName({ name }: Channel, method: string): string {
  return `${name}.${method}`;
}

/** Sent by a caller to cancel a cancellable call, with the id that was the call's first argument. */
export const CANCEL = 'cancel';
