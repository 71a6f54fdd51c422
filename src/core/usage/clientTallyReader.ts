import { closeSync, readSync } from 'node:fs';
import type { ClientTally } from '../../shared/usage';
import { COST_STATE_MARK, readCostState } from '../claude/costStateRow';
import { openRegularFile } from '../scan/openRegularFile';
import type { Pacer } from '../util/pacer';

const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 10;

/** Finds what the client itself noted last, by looking at each byte of a transcript once. */
export class ClientTallyReader {
  readonly #filePath: string;
  readonly #mark = Buffer.from(COST_STATE_MARK);
  #offset = 0;
  #tally: ClientTally | null = null;

  constructor(filePath: string) {
    this.#filePath = filePath;
  }

  /** As of the whole lines that the file holds; reads what came since the last call. Throws the file system's error. */
  async read(pacer: Pacer): Promise<ClientTally | null> {
    const { file, identity } = openRegularFile(this.#filePath);
    try {
      const size = Number(identity.size);
      if (size < this.#offset) [this.#offset, this.#tally] = [0, null];
      // One byte more than there are: what does not fill it is the end of the file.
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - this.#offset + 1));
      while (this.#offset < size) {
        const bytesRead = readSync(file, buffer, 0, buffer.length, this.#offset);
        if (bytesRead === 0) break;
        const bytes = buffer.subarray(0, bytesRead);
        const end = bytes.lastIndexOf(NEWLINE) + 1;
        this.#readLines(bytes.subarray(0, end));
        if (end === 0 && bytesRead < buffer.length) break;
        // No such row is as long as the buffer: a line that is longer is passed over.
        this.#offset += end === 0 ? bytesRead : end;
        await pacer.pause();
      }
      return this.#tally;
    } finally {
      closeSync(file);
    }
  }

  #readLines(bytes: Buffer): void {
    for (let at = bytes.lastIndexOf(this.#mark); at >= 0;) {
      const start = bytes.lastIndexOf(NEWLINE, at) + 1;
      const state = readCostState(bytes.toString('utf8', start, bytes.indexOf(NEWLINE, at)));
      if (state !== null) {
        const { usd, input, output, cacheWrites, cacheWrites1h, cacheReads, webSearches, hasUnknownCost } = state;
        this.#tally = {
          usd,
          counts: {
            input,
            output,
            cacheWrite5m: Math.max(0, cacheWrites - cacheWrites1h),
            cacheWrite1h: cacheWrites1h,
            cacheRead: cacheReads,
            webSearches,
            webFetches: 0,
          },
          isPartlyUnknown: hasUnknownCost,
        };
        return;
      }
      at = start === 0 ? -1 : bytes.lastIndexOf(this.#mark, start - 1);
    }
  }
}
