import { CHUNK_BYTES, readFully } from '../../storage/fileBytes';
import { closeQuietly, type WriteFs } from '../../storage/writeFs';
import { assertRegular } from '../../util/openForeignFile';

/** Longer lines are skipped: they hold files or images, and do not begin a turn. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;
/** Room for what is appended meanwhile. */
const MIN_READ_BYTES = 4096;

type ReadingFs = Pick<WriteFs, 'lstat' | 'open'>;

/**
 * Passes the lines in the last `tailBytes` of a transcript to `onLine`, except a line that begins before them. Stops
 * early if `onLine` returns false. Resolves to whether these are all lines of the transcript. Rejects with Node's
 * error, with EISDIR for a folder, and EFTYPE for a FIFO, a socket or a device.
 */
export async function readLines(
  path: string,
  tailBytes: number,
  onLine: (line: string) => boolean,
  fs: ReadingFs,
): Promise<boolean> {
  // Checked before opening, because opening a pipe blocks until another process writes to it.
  assertRegular(await fs.lstat(path));
  const file = await fs.open(path, 'read');
  try {
    const size = Number((await file.stat()).size);
    const start = Math.max(0, size - tailBytes);
    // Start one byte earlier to see whether a line begins here.
    let at = Math.max(0, start - 1);
    let isCut = start > 0;
    let rest: Buffer = Buffer.alloc(0);
    for (;;) {
      const buffer = Buffer.allocUnsafe(rest.length + Math.min(CHUNK_BYTES, Math.max(size - at, 0) + MIN_READ_BYTES));
      rest.copy(buffer);
      const read = await readFully(file, buffer.subarray(rest.length), at);
      const bytes = buffer.subarray(0, rest.length + read);
      at += read;
      let lineStart = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, lineStart)) {
        if (!isCut && !onLine(bytes.toString('utf8', lineStart, end))) return false;
        isCut = false;
        lineStart = end + 1;
      }
      if (read === 0) {
        if (!isCut && lineStart < bytes.length) onLine(bytes.toString('utf8', lineStart));
        return start === 0;
      }
      rest = bytes.subarray(lineStart);
      if (rest.length > MAX_LINE_BYTES) {
        isCut = true;
        rest = Buffer.alloc(0);
      }
    }
  } finally {
    await closeQuietly(file);
  }
}
