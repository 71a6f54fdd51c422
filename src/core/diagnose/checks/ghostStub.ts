import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Finding } from '../../../protocol/repair';
import { isTranscriptName, sessionIdOf } from '../../providers/claude/format/paths';
import { findContinuation, LIST_END_BYTES } from '../../providers/claude/format/sessionList';
import { readFileEnd } from '../../util/openForeignFile';
import type { FileCheck } from '../check';

/** A session of metadata alone is hardly larger. */
const MAX_STUB_BYTES = 4096;
/** So many transcripts beside it are looked at. */
const MAX_ORIGINALS = 1000;

/**
 * `ghost-stub`: the session was continued in the background under this id, and nothing was ever written there, so that it opens blank.
 * The conversation is in the transcript that names this one in its `continued-in` row. (docs/format.md, "The client's list")
 */
export const ghostStub: FileCheck = {
  kind: 'file',
  code: 'ghost-stub',
  find(filePath, { index }): Finding[] {
    if (index.fileSize > MAX_STUB_BYTES || index.rows.messages > 0) return [];
    const original = findOriginal(filePath);
    if (original === null) return [];
    const message = `This session was to continue another one, and nothing was written: open the session ${sessionIdOf(original)}, ${original}.`;
    const offer = { kind: 'open-original', filePath: original } as const;
    return [{ code: 'ghost-stub', severity: 'info', action: 'tell', lines: [], uuids: [], message, offer }];
  },
};

/** The transcript beside this one that says that it goes on here. */
function findOriginal(filePath: string): string | null {
  const [folder, id] = [dirname(filePath), sessionIdOf(filePath)];
  const names = readdirSync(folder).filter((name) => isTranscriptName(name) && name !== basename(filePath));
  for (const name of names.slice(0, MAX_ORIGINALS)) {
    const path = join(folder, name);
    const tail = tailOf(path);
    if (tail.includes(id) && findContinuation(tail) === id) return path;
  }
  return null;
}

/** Empty if the file cannot be read. */
function tailOf(path: string): string {
  try {
    return readFileEnd(path, LIST_END_BYTES).bytes.toString('utf8');
  } catch {
    return '';
  }
}
