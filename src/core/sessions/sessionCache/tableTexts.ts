import { NO_TEXT, type TableHeader, type TableLayout, TEXTS_PER_ROW } from './tableLayout';

/** The texts of a table: those of each kind lie one behind the other, and are cut where they are asked for. */
export class TableTexts {
  /** For each text of each row: where it begins, and how long it is. */
  readonly #spans: Uint32Array;
  /** Makes one string of all texts of a kind, when the first of them is asked for. */
  readonly #decode: (kind: number) => string;
  readonly #blocks: string[] = [];
  /** Texts that many rows share, by kind and start. */
  readonly #shared = Array.from({ length: TEXTS_PER_ROW }, () => new Map<number, string>());

  constructor(file: Buffer, { count, blocks }: TableHeader, layout: TableLayout) {
    this.#spans = new Uint32Array(file.buffer, file.byteOffset + layout.spans, 2 * TEXTS_PER_ROW * count);
    this.#decode = (kind) => {
      const { bytes, isWide } = blocks[kind] ?? { bytes: 0, isWide: false };
      const start = layout.blocks[kind] ?? 0;
      return file.toString(isWide ? 'utf16le' : 'latin1', start, start + bytes);
    };
  }

  get(row: number, kind: number): string | null {
    const at = (row * TEXTS_PER_ROW + kind) * 2;
    const start = this.#spans[at] ?? 0;
    const length = this.#spans[at + 1] ?? NO_TEXT;
    if (length === NO_TEXT) return null;
    return (this.#blocks[kind] ??= this.#decode(kind)).slice(start, start + length);
  }

  /** As `get`, one string for all rows that share it. */
  getShared(row: number, kind: number): string | null {
    const at = (row * TEXTS_PER_ROW + kind) * 2;
    const start = this.#spans[at] ?? 0;
    const known = this.#shared[kind]?.get(start);
    if (known !== undefined && known.length === this.#spans[at + 1]) return known;
    const text = this.get(row, kind);
    if (text !== null) this.#shared[kind]?.set(start, text);
    return text;
  }
}
