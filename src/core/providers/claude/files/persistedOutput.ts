import { realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { openRegularHandle } from '../../../util/openForeignFile';
import { REMOVED_FOLDER } from '../format/movedText';
import { persistedOutputsFolderOf, sessionFolderOf } from '../format/paths';

/** Limit for one output. */
const MAX_BYTES = 10 * 1024 * 1024;

/**
 * Reads an output that is beside the transcript: the client stored it in `tool-results` of the session's folder, or slimming moved it
 * to `removed`. It may also be in the folder of the session in `outputPath`, in the same project, because rows of a fork refer to the
 * outputs of its origin. Null if it does not exist. No other folder is read, whatever path a transcript contains. Only the beginning
 * of a file over 10 MiB is read.
 */
export async function readPersistedOutput(filePath: string, outputPath: string): Promise<string | null> {
  // The session may have been moved from another machine, possibly with another path separator.
  const [name = '', kind = '', origin = ''] = outputPath.split(/[\\/]/).reverse();
  const own = sessionFolderOf(filePath);
  for (const folder of [own, ...(isName(origin) ? [join(dirname(own), origin)] : [])]) {
    const outputs = kind === REMOVED_FOLDER ? join(folder, REMOVED_FOLDER) : persistedOutputsFolderOf(folder);
    const text = isName(name) ? await readWithin(outputs, name) : null;
    if (text !== null) return text;
  }
  return null;
}

function isName(part: string): boolean {
  return part !== '' && part !== '.' && part !== '..' && !part.includes('\0');
}

async function readWithin(named: string, name: string): Promise<string | null> {
  try {
    const folder = await realpath(named);
    const path = await realpath(join(folder, name));
    return path.startsWith(folder + sep) ? await readBeginning(path) : null;
  } catch {
    return null;
  }
}

async function readBeginning(path: string): Promise<string | null> {
  const { file, size } = await openRegularHandle(path);
  try {
    const bytes = Buffer.alloc(Math.min(size, MAX_BYTES));
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.toString('utf8', 0, length);
  } finally {
    await file.close();
  }
}
