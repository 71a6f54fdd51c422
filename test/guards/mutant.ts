/** A guard of the product, and the change of its source that removes it. */
export interface Mutant {
  /** What the product does without the guard: completes "Rethread …". */
  readonly name: string;
  /** Path of the source, from `src/`. */
  readonly file: string;
  /** Occurs once in the source. */
  readonly find: string;
  readonly replacement: string;
  /** Paths of the tests that must turn red, from `test/`. */
  readonly tests: readonly string[];
  /** The thread waits for ever, so that no test can even fail; the run is killed after a while. */
  readonly hangs?: true;
}
