// What a channel is: the calls that one side makes and the other answers, and the events that come back. A channel's file
// says each of them once, with its types, its limit and, where the caller is not trusted, the schema of its arguments.
// Both ends are derived from that: the caller's in rpcClient.ts, the answering one's in rpcServer.ts.
import type { GenericSchema } from 'valibot';

declare const signature: unique symbol;

/** Carries the type of a function; nothing at run time. */
interface Typed<F> {
  readonly [signature]?: F;
}

/** A call that rejects when its answer takes longer than `timeoutMs`. */
export interface TimedCall<F> extends Typed<F> {
  readonly kind: 'timed';
  /** 1 or more milliseconds. */
  readonly timeoutMs: number;
}

/** A call that takes as long as there is work, or as a person likes. Both ends get an AbortSignal as its last argument. */
export interface CancellableCall<F> extends Typed<F> {
  readonly kind: 'cancellable';
}

/** A call that nobody waits for: it has no answer, and its failure stays on the other side. */
export interface Notice<F> extends Typed<F> {
  readonly kind: 'notice';
}

/** An event whose sender is told when it was taken. */
export interface AnsweredEvent<F> extends Typed<F> {
  readonly kind: 'answered event';
}

/** An event whose sender never learns whether it was taken. */
export interface Event<F> extends Typed<F> {
  readonly kind: 'event';
}

// What a function of any type is assignable to.
type AnyFunction = (...args: never) => unknown;
type AnyCall = TimedCall<AnyFunction> | CancellableCall<AnyFunction> | Notice<AnyFunction>;
type AnyCalls = Readonly<Record<string, AnyCall>>;
type AnyEvents = Readonly<Record<string, AnsweredEvent<AnyFunction> | Event<AnyFunction>>>;

export interface Channel<C extends AnyCalls = AnyCalls, E extends AnyEvents = AnyEvents> {
  /** Stands before the name of each call and event, so that several channels can share one port. */
  readonly name: string;
  readonly calls: C;
  readonly events: E;
}

/** `F`: the arguments, and what the answer holds once it is there. */
export function call<F extends AnyFunction>({ timeoutMs }: { readonly timeoutMs: number }): TimedCall<F> {
  return { kind: 'timed', timeoutMs };
}

/** `F`: as of `call`, without the signal. Its implementation ends soon after the signal, unless its channel says otherwise. */
export function cancellable<F extends AnyFunction>(): CancellableCall<F> {
  return { kind: 'cancellable' };
}

export function notice<F extends AnyFunction>(): Notice<F> {
  return { kind: 'notice' };
}

/** Its sender may wait with the next one until this was taken. There is no limit: who sleeps answers on waking. */
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

/** The calls of a channel as functions, the same for who makes them and for who answers. */
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

/** The events of a channel as functions that take them. */
export type Events<C extends Channel> = {
  readonly [K in keyof C['events']]: C['events'][K] extends AnsweredEvent<AnyFunction>
    ? (...args: Arguments<C['events'][K]>) => void | Promise<void>
    : (...args: Arguments<C['events'][K]>) => void;
};

/** The events of a channel as functions that send them. */
export type EventSenders<C extends Channel> = {
  readonly [K in keyof C['events']]: (...args: Arguments<C['events'][K]>) => Promise<void>;
};

/** What the only argument of an event is, for those that have one. */
export type EventValue<T> = Arguments<T>[0];

/** Of a channel whose caller is not trusted: what the arguments of each call must be. */
export type Schemas<C extends Channel> = {
  readonly [K in keyof C['calls']]: GenericSchema<unknown, Arguments<C['calls'][K]>>;
};

/** What a call or an event is called on the port. */
export function wireName({ name }: Channel, method: string): string {
  return `${name}.${method}`;
}

/** Sent by a caller that gives up a cancellable call, with the id that was the call's first argument. */
export const CANCEL = 'cancel';
