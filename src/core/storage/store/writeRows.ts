import type { JsonObject } from '../../util/json';
import { ChunkWriter } from '../fileBytes';
import { closeQuietly } from '../staleFiles';
import type { WriteFs } from '../writeFs';
import { firstRow } from './appendRow';

/** Makes a file as if the rows had been appended one by one. Rejects with Node's error, also when there is such a file. */
export async function writeRows(path: string, kind: string, rows: readonly JsonObject[], fs: WriteFs): Promise<void> {
  const file = await fs.open(path, 'create');
  try {
    const writer = new ChunkWriter(file);
    await writer.write(Buffer.from(JSON.stringify(firstRow(kind))));
    for (const row of rows) await writer.write(Buffer.from(`\n${JSON.stringify(row)}`));
    await writer.flush();
  } finally {
    await closeQuietly(file);
  }
}
