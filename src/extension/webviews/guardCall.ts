import * as v from 'valibot';

/** A call of a webview’s page, with whatever came in as its arguments. */
export type PageCall = (...args: unknown[]) => unknown;

/** Refuses the call unless all of its arguments are what the schema says. */
export function guardCall<A extends readonly unknown[]>(
  schema: v.GenericSchema<unknown, A>,
  call: (...args: A) => unknown,
): PageCall {
  return (...args) => {
    const checked = v.safeParse(schema, args);
    // The issue's own text would repeat what came in.
    if (!checked.success)
      throw new Error(`Refused: ${v.getDotPath(checked.issues[0]) ?? 'the arguments'} is not valid`);
    return call(...checked.output);
  };
}
