import { areNextBytesEqual, ByteCursor } from '../write/byteCursor';
import { readFully } from '../write/fileBytes';
import { closeQuietly } from '../write/leftovers';
import type { WriteFs } from '../write/writeFs';

/** Larger files are told to be changed, without their lines. */
export const MAX_TEXT_BYTES = 16 * 1024 * 1024;
/** A NUL within this makes a file a binary one, as for git. */
const BINARY_BYTES = 8_000;

export type FileText =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'binary' } | { readonly kind: 'tooLarge' };

/** What a file says, with U+FFFD for what is no UTF-8, as the client reads it. Rejects with the file system's error. */
export async function readFileText(path: string, fs: Pick<WriteFs, 'open'>): Promise<FileText> {
  const file = await fs.open(path, 'read');
  try {
    const size = Number((await file.stat()).size);
    if (size > MAX_TEXT_BYTES) return { kind: 'tooLarge' };
    const bytes = Buffer.alloc(size);
    const filled = bytes.subarray(0, await readFully(file, bytes, 0));
    if (filled.subarray(0, BINARY_BYTES).includes(0)) return { kind: 'binary' };
    return { kind: 'text', text: filled.toString('utf8') };
  } finally {
    await closeQuietly(file);
  }
}

/** Compares two files of the same size in bounded memory. Rejects with the file system's error. */
export async function haveSameBytes(
  one: string,
  other: string,
  size: number,
  fs: Pick<WriteFs, 'open'>,
): Promise<boolean> {
  const first = await fs.open(one, 'read');
  try {
    const second = await fs.open(other, 'read');
    try {
      return await areNextBytesEqual(
        new ByteCursor({ file: first, from: 0, to: size }),
        new ByteCursor({ file: second, from: 0, to: size }),
        size,
      );
    } finally {
      await closeQuietly(second);
    }
  } finally {
    await closeQuietly(first);
  }
}
