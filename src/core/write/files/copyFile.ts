import { createHidden } from '../createBackup';
import { giveAttributes, type GivenAttributes } from '../fileAttributes';
import { writeFully } from '../fileBytes';
import { closeQuietly, removeQuietly } from '../leftovers';
import type { FileStat, WriteFs } from '../writeFs';
import { FilesRefusal } from './filesRefusal';
import { digestOf, type Digest } from './sha256Of';

export interface FileCopy extends Digest {
  /** Of the copy, closed. */
  readonly stat: FileStat;
}

/**
 * Copies a file's bytes to a path where nothing is, in bounded memory, and proves the copy by reading it back. The copy is on
 * the disk when this resolves; nothing is left behind when it rejects.
 */
export async function copyFile(from: string, to: string, given: GivenAttributes, fs: WriteFs): Promise<FileCopy> {
  const source = await fs.open(from, 'read');
  try {
    const copy = await createHidden(to, fs);
    try {
      const meant = await digestOf(source, (bytes) => writeFully(copy, bytes));
      await giveAttributes(copy, given);
      await copy.sync();
      const written = await digestOf(copy);
      if (written.sha256 !== meant.sha256 || written.size !== meant.size) {
        throw new FilesRefusal('write-failed', `What was written to ${to} does not read back, so nothing was changed.`);
      }
      return { ...meant, stat: await copy.stat() };
    } catch (error) {
      await removeQuietly(to, fs);
      throw error;
    } finally {
      await closeQuietly(copy);
    }
  } finally {
    await closeQuietly(source);
  }
}
