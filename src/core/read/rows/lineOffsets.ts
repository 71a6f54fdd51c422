import type { RowTable } from '../../scan/rowTable';
import { firstRowFrom } from '../order/rowAtLine';
import type { RowSource } from './rowSource';

/** Places that are remembered. */
const MAX_KNOWN = 4_096;

/**
 * Where lines begin of which no row is stored: found from the row before them. Good as long as the file only grows.
 */
export class LineOffsets {
  readonly #known = new Map<number, number>();

  /** Offset of the 1-based line; the end of the known bytes when there is none. */
  of(line: number, rows: RowTable, source: RowSource): number {
    const known = this.#known.get(line);
    if (known !== undefined) return known;
    const before = firstRowFrom(rows, line) - 1;
    let from = before < 0 ? 1 : rows.line(before);
    let offset = before < 0 ? 0 : rows.offset(before);
    const neighbour = this.#known.get(line - 1);
    if (neighbour !== undefined) [from, offset] = [line - 1, neighbour];
    const found = source.skipLines(offset, line - from);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(line, found);
    return found;
  }

  clear(): void {
    this.#known.clear();
  }
}
