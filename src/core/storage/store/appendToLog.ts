import { dirname } from 'node:path';
import type { JsonObject } from '../../util/json';
import type { WriteFs } from '../writeFs';
import { appendRow } from './appendRow';
import { makePrivateFolder } from './privateFolder';

/** A log that is larger than this is renamed to `.old`, and an empty one is started. */
const MAX_LOG_BYTES = 256 * 1024;

export interface LogDeps {
  readonly fs: WriteFs;
  /** Returns a string that is unique among all processes and valid in a file name. */
  readonly random: () => string;
}

/** Appends a row to a log of the extension and limits its size. Rejects with Node's error. */
export async function appendToLog(path: string, kind: string, row: JsonObject, deps: LogDeps): Promise<void> {
  const { fs } = deps;
  await makePrivateFolder(dirname(path), fs);
  const stat = await fs.lstat(path).catch(() => null);
  if (stat !== null && stat.size > BigInt(MAX_LOG_BYTES)) await fs.rename(path, `${path}.old`).catch(() => undefined);
  await appendRow(path, kind, row, deps);
}
