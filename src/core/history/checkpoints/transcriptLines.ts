import { CHUNK_BYTES, readFully } from '../../storage/fileBytes';
import { closeQuietly } from '../../storage/staleFiles';
import type { WriteFs } from '../../storage/writeFs';

/** A line that is longer is passed over: it holds files or images, and begins no turn. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

type ReadingFs = Pick<WriteFs, 'lstat' | 'open'>;

/**
 * Gives `onLine` the lines of a transcript's last `tailBytes`; one that begins before them is left out. Resolves to whether
 * they are all lines that there are. Ends early when it returns false. Rejects with Node's error; EISDIR for what is no
 * regular file.
 */
export async function readLines(
  path: string,
  tailBytes: number,
  onLine: (line: string) => boolean,
  fs: ReadingFs,
): Promise<boolean> {
  // Before it is opened: to open a pipe would wait for whoever writes to it.
  if (!(await fs.lstat(path)).isFile()) throw Object.assign(new Error('EISDIR: no regular file'), { code: 'EISDIR' });
  const file = await fs.open(path, 'read');
  try {
    const start = Math.max(0, Number((await file.stat()).size) - tailBytes);
    // From the byte before: it tells whether a line begins here.
    let at = Math.max(0, start - 1);
    let isCut = start > 0;
    let rest: Buffer = Buffer.alloc(0);
    for (;;) {
      const buffer = Buffer.allocUnsafe(rest.length + CHUNK_BYTES);
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
