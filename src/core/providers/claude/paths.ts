import { basename } from 'node:path';

const MAX_ENCODED_LENGTH = 200;

/**
 * Name of the folder under `projects/` for a working directory: `realpath(cwd)` with every UTF-16 unit that is not an
 * ASCII letter or digit turned into `-`. Longer than 200 units: the first 200, `-`, and a base-36 hash of the path
 * itself. The rule loses information: it is never decoded. (docs/format.md, "Project folders")
 */
export function encodeProjectPath(cwd: string): string {
  const encoded = cwd.replace(/[^a-zA-Z0-9]/g, '-');
  if (encoded.length <= MAX_ENCODED_LENGTH) return encoded;
  let hash = 0;
  for (let at = 0; at < cwd.length; at++) hash = (Math.imul(hash, 31) + cwd.charCodeAt(at)) | 0;
  return `${encoded.slice(0, MAX_ENCODED_LENGTH)}-${Math.abs(hash).toString(36)}`;
}

/** Of a transcript, without a dot. */
const EXTENSION = 'jsonl';

/** The id of the session that a transcript's path names. */
export function sessionIdOf(filePath: string): string {
  return basename(filePath, `.${EXTENSION}`);
}

/** The name of a session's transcript. */
export function transcriptNameOf(sessionId: string): string {
  return `${sessionId}.${EXTENSION}`;
}

export function isTranscriptName(name: string): boolean {
  return name.endsWith(`.${EXTENSION}`);
}
