import { dirname } from 'node:path';
import { areNextBytes, ByteCursor, writeFully } from './fileBytes';
import { linkInPlace } from './files/exchangeFile';
import { PROBLEMS, Refusal } from './refusal';
import { unfinishedPath } from './staleFiles';
import { makePrivateFolder } from './store/privateFolder';
import { closeQuietly, createHidden, isGone, removeQuietly, syncFolder, type WriteFs } from './writeFs';

/** Content that is taken out of a transcript, and the file in which it stays. */
export interface KeptFile {
  readonly path: string;
  /** The content. Called once, when the file is written, so that not all of them are in memory together. */
  readonly read: () => Uint8Array;
}

/**
 * Writes what a repair takes out or a slim moves, before the transcript is changed: each file whole and on disk under its name, or not at all. A file that
 * is there stays as it is. Throws if a name belongs to other content, and then leaves nothing behind.
 *
 * @returns what removes the files that were written, if the repair is refused after all. Never rejects.
 */
export async function keepBeside(
  filePath: string,
  files: readonly KeptFile[],
  token: string,
  fs: WriteFs,
): Promise<() => Promise<void>> {
  const written: string[] = [];
  const made: string[] = [];
  const removeAgain = async (): Promise<void> => {
    for (const path of written) await removeQuietly(path, fs);
    for (const folder of made) await fs.rmdir(folder).catch(() => undefined);
  };
  try {
    for (const { path, read } of files) {
      const bytes = contentOf(read);
      const folder = dirname(path);
      for (const each of [folder, dirname(folder)]) {
        if (await isGone(each, fs)) made.push(each);
        else await refuseLink(each, fs);
      }
      await makePrivateFolder(folder, fs);
      await refuseLink(folder, fs);
      const hidden = unfinishedPath(filePath, `${token}-kept`);
      try {
        await writeWhole(hidden, bytes, fs);
        if ((await linkInPlace(hidden, path, fs)) !== null) written.push(path);
        else if (!(await holds(path, bytes, fs))) {
          const problem = `${path} has other content than what is taken out, so nothing was changed.`;
          throw new Refusal('write-failed', problem);
        }
      } finally {
        await removeQuietly(hidden, fs);
      }
    }
    for (const folder of new Set(files.flatMap(({ path }) => [dirname(path), dirname(dirname(path))]))) {
      await syncFolder(folder, fs);
    }
    return removeAgain;
  } catch (error) {
    await removeAgain();
    throw error;
  }
}

async function refuseLink(folder: string, fs: WriteFs): Promise<void> {
  if (!(await fs.lstat(folder)).isSymbolicLink()) return;
  const problem = `${folder} is a symbolic link, so what is taken out would land elsewhere, and nothing was changed.`;
  throw new Refusal('symlink', problem);
}

function contentOf(read: KeptFile['read']): Uint8Array {
  try {
    return read();
  } catch (cause) {
    throw new Refusal('changed-while-repairing', PROBLEMS.changed, { cause });
  }
}

async function writeWhole(path: string, bytes: Uint8Array, fs: WriteFs): Promise<void> {
  const file = await createHidden(path, fs);
  try {
    await writeFully(file, bytes);
    await file.sync();
  } finally {
    await closeQuietly(file);
  }
}

async function holds(path: string, bytes: Uint8Array, fs: WriteFs): Promise<boolean> {
  const file = await fs.open(path, 'read');
  try {
    const size = Number((await file.stat()).size);
    return size === bytes.length && (await areNextBytes(new ByteCursor({ file, from: 0, to: size }), bytes));
  } finally {
    await closeQuietly(file);
  }
}
