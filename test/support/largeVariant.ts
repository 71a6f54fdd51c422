import { joinRows, splitRows } from './rowText';

const PADDING_ROW_BYTES = 1024 * 1024;
const PADDING_ROW = `${JSON.stringify({
  type: 'queue-operation',
  operation: 'enqueue',
  content: 'x'.repeat(PADDING_ROW_BYTES),
})}\n`;

/** Rows of metadata, of 1 MiB each: the client reads transcripts of more than 5 MiB in another way. */
const PADDING_ROWS = { large: 6, huge: 51 } as const;
export type LargeSize = keyof typeof PADDING_ROWS;

/** Where the padding stands, as shares of the lines; a seed picks one. */
const PLACES = [[0], [0.5], [1], [0, 0.3, 0.6, 1], [0.1, 0.9]] as const;

/** The transcript with metadata rows in front of it, or elsewhere between its lines for another `seed`. */
export function largeVariant(bytes: Buffer, size: LargeSize = 'large', seed = 0): Buffer {
  const rows = splitRows(bytes);
  const places = PLACES[seed % PLACES.length] ?? PLACES[0];
  const padding = new Map<number, string>();
  for (let row = 0; row < PADDING_ROWS[size]; row++) {
    const share = places[row % places.length] ?? 0;
    const before = Math.min(Math.floor(share * (rows.length + 1)), rows.length);
    // Nothing is put behind a row without a line break.
    const at = before === rows.length && rows.at(-1)?.endsWith('\n') === false ? before - 1 : before;
    padding.set(at, (padding.get(at) ?? '') + PADDING_ROW);
  }
  const parts = rows.flatMap((row, at) => [padding.get(at) ?? '', row]);
  return joinRows([...parts, padding.get(rows.length) ?? '']);
}
