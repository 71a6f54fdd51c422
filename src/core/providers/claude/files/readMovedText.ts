import { createHash } from 'node:crypto';
import { closeSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { openRegularFile } from '../../../util/openForeignFile';
import { movedPathOf } from '../format/movedText';
import { sessionFolderOf } from '../format/paths';

/** More than a transcript could hold on a line that is read as a whole. */
const MAX_BYTES = 32n * 1024n * 1024n;

/**
 * A text of a transcript, or, for what slimming has left in the place of a long one, that text. Null if its file is not there any more,
 * or holds something else than its name says. A fork names the files of its origin, which are in the same project.
 */
export function readMovedText(filePath: string, text: string): string | null {
  const path = movedPathOf(text);
  if (path === null) return text;
  try {
    const { file, identity } = openRegularFile(join(dirname(sessionFolderOf(filePath)), path));
    try {
      if (identity.size > MAX_BYTES) return null;
      const bytes = readFileSync(file);
      const isSame = basename(path).startsWith(createHash('sha256').update(bytes).digest('hex').slice(0, 16));
      return isSame ? bytes.toString('utf8') : null;
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}
