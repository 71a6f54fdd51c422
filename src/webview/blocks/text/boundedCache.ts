/** Keeps the most recently used values up to a total weight, in a unit that the owner chooses, such as UTF-16 units. */
export class BoundedCache<V> {
  readonly #entries = new Map<string, { readonly value: V; readonly weight: number }>();
  readonly #maxWeight: number;
  #weight = 0;

  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** A value heavier than the whole cache is not kept. */
  set(key: string, value: V, weight: number): void {
    this.#drop(key);
    if (weight > this.#maxWeight) return;
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#maxWeight) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#weight -= entry.weight;
  }
}

/** UTF-16 units of requested texts that are kept while their rows are scrolled out of view. */
const MAX_KEPT_CHARS = 8 * 1024 * 1024;

/** Texts that a person asked to see whole, keyed by transcript, line, path and size. */
export const wholeTexts = new BoundedCache<string>(MAX_KEPT_CHARS);
