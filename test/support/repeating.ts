/** The numbers in order, repeated without end. */
export function* repeating(...numbers: readonly number[]): Generator<number> {
  for (;;) yield* numbers;
}
