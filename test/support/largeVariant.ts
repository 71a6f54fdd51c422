const PADDING_ROWS = 6;
const PADDING_ROW_BYTES = 1024 * 1024;

/** The transcript after 6 MiB of metadata rows: the client reads transcripts of more than 5 MiB in another way. */
export function largeVariant(bytes: Buffer): Buffer {
  const content = 'x'.repeat(PADDING_ROW_BYTES);
  const row = `${JSON.stringify({ type: 'queue-operation', operation: 'enqueue', content })}\n`;
  return Buffer.concat([Buffer.from(row.repeat(PADDING_ROWS)), bytes]);
}
