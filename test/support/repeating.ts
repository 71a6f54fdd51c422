/** The numbers in their order, again and again, without end. */
export function* repeating(...numbers: readonly number[]): Generator<number> {
  for (;;) yield* numbers;
}
