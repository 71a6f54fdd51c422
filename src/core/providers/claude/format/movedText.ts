import { basename, join } from 'node:path';
import { sessionFolderOf } from './paths';

/** The folder in a session's own folder in which Rethread keeps what it takes out of the transcript. */
export const REMOVED_FOLDER = 'removed';

/** What slimming leaves in the place of a long text. */
const MARKER = /^\[[\d,]+ bytes moved; all of it is in ((?!\.)[^/\\\n]+\/removed\/[0-9a-f]{16}\.[a-z]{3,4})\]$/;

/** Where content stays that Rethread takes out of a transcript. */
export function removedFolderOf(filePath: string): string {
  return join(sessionFolderOf(filePath), REMOVED_FOLDER);
}

/** The same folder relative to that of the transcript, in words for people and Claude. */
export function removedFolderName(filePath: string): string {
  return `${basename(sessionFolderOf(filePath))}/${REMOVED_FOLDER}`;
}

/** The text in the place of a text that was moved to a file of this name in the folder that `removedFolderName` returns. */
export function movedMarker(bytes: number, folder: string, name: string): string {
  return `[${bytes.toLocaleString('en')} bytes moved; all of it is in ${folder}/${name}]`;
}

/** The path that a marker names, relative to the folder of the transcript: `<session>/removed/<name>`. Null for any other value. */
export function movedPathOf(value: unknown): string | null {
  return typeof value === 'string' ? (MARKER.exec(value)?.[1] ?? null) : null;
}
