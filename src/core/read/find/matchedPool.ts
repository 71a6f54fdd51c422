import type { MatchedText, MatchedTexts } from '../../../shared/conversation';

/** Of all items together: texts that differ, their UTF-16 units, and places in them. */
const MAX_TEXTS = 5000;
const MAX_UNITS = 500_000;
const MAX_PLACES = 100_000;

/** What was matched in which item, each text once. Bounded: what is too much is left out. */
export class MatchedPool {
  readonly #texts = new Map<string, { readonly place: number; readonly matched: MatchedText }>();
  readonly #ofItems = new Map<number, Set<number>>();
  #units = 0;
  #places = 0;

  add(item: number, texts: readonly MatchedText[]): void {
    const places = this.#ofItems.get(item) ?? new Set();
    this.#ofItems.set(item, places);
    for (const matched of texts) {
      const place = this.#placeOf(matched);
      if (place === null || places.has(place) || this.#places >= MAX_PLACES) continue;
      places.add(place);
      this.#places++;
    }
  }

  of(items: readonly number[]): MatchedTexts {
    return {
      texts: [...this.#texts.values()].map(({ matched }) => matched),
      ofItems: items.map((item) => [...(this.#ofItems.get(item) ?? [])]),
    };
  }

  #placeOf(matched: MatchedText): number | null {
    const key = keyOf(matched);
    const known = this.#texts.get(key);
    if (known !== undefined) return known.place;
    if (this.#texts.size >= MAX_TEXTS || this.#units + matched.text.length > MAX_UNITS) return null;
    this.#units += matched.text.length;
    const place = this.#texts.size;
    this.#texts.set(key, { place, matched });
    return place;
  }
}

/** The same for the same text with the same edges. */
export function keyOf({ text, before, after }: MatchedText): string {
  return `${before} ${after} ${text}`;
}
