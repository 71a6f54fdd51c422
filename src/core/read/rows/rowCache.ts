import type { JsonObject } from '../../claude/json';

/** Bytes of the rows that are kept parsed. */
const MAX_BYTES = 4 * 1024 * 1024;
/** A longer row is parsed again. */
const MAX_ROW_BYTES = 128 * 1024;

/** Rows that were parsed last, by their offset. Good as long as the file only grows. */
export class RowCache {
  readonly #rows = new Map<number, { readonly object: JsonObject; readonly bytes: number }>();
  #bytes = 0;

  get(offset: number): JsonObject | null {
    const kept = this.#rows.get(offset);
    if (kept === undefined) return null;
    this.#rows.delete(offset);
    this.#rows.set(offset, kept);
    return kept.object;
  }

  add(offset: number, object: JsonObject, bytes: number): void {
    if (bytes > MAX_ROW_BYTES || this.#rows.has(offset)) return;
    this.#rows.set(offset, { object, bytes });
    this.#bytes += bytes;
    for (const [oldest, kept] of this.#rows) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#rows.delete(oldest);
      this.#bytes -= kept.bytes;
    }
  }

  clear(): void {
    this.#rows.clear();
    this.#bytes = 0;
  }
}
