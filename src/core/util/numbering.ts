/** Gives each value that it meets the next number, from 0 on. */
export class Numbering<Value> {
  readonly #values: Value[];
  readonly #numbers: Map<Value, number>;

  /** @param values  those that have a number already, each once, in the order of their numbers */
  constructor(values: readonly Value[] = []) {
    this.#values = [...values];
    this.#numbers = new Map(values.map((value, number) => [value, number]));
  }

  /** By their numbers. */
  get values(): readonly Value[] {
    return this.#values;
  }

  numberOf(value: Value): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    this.#numbers.set(value, this.#values.length);
    return this.#values.push(value) - 1;
  }
}
