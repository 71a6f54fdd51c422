const FIRST_ODD = -2;

/** Row ids that are no canonical uuids, numbered -2, -3 … */
export class OddIds {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];

  get count(): number {
    return this.#texts.length;
  }

  intern(id: string): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    const added = FIRST_ODD - this.#texts.length;
    this.#numbers.set(id, added);
    this.#texts.push(id);
    return added;
  }

  has(id: string): boolean {
    return this.#numbers.has(id);
  }

  text(id: number): string | null {
    return this.#texts[FIRST_ODD - id] ?? null;
  }
}
