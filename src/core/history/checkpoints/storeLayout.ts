import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ContentFolders } from '../../storage/store/keepContent';

/** Where our own sessions and checkpoints lie. (src/core/checkpoints/README.md) */
export interface StoreLayout {
  /** What went wrong in hooks. */
  readonly problems: string;
  /** Which settings files we made. */
  readonly settings: string;
  /** What was removed when nobody could rewind to it any more. */
  readonly pruned: string;
  /** One folder a session. */
  readonly sessions: string;
  /** Copies of files, by SHA-256, shared by all sessions. */
  readonly pool: string;
}

export interface SessionPaths {
  readonly folder: string;
  readonly info: string;
  readonly messages: string;
  readonly transcript: string;
  readonly checkpoints: string;
  readonly content: ContentFolders;
}

/** @param configDir absolute path of Claude Code's config folder */
export function storeLayout(configDir: string): StoreLayout {
  const root = join(configDir, 'rethread', 'checkpoints');
  return {
    problems: join(root, 'problems.jsonl'),
    settings: join(root, 'settings.jsonl'),
    pruned: join(root, 'pruned.jsonl'),
    sessions: join(root, 'sessions'),
    pool: join(root, 'content'),
  };
}

export function sessionPaths(layout: StoreLayout, id: string): SessionPaths {
  return pathsIn(join(layout.sessions, sessionFolderName(id)), layout);
}

/** As `sessionPaths`, of a folder whose session is not known by its id. */
export function pathsIn(folder: string, { pool }: StoreLayout): SessionPaths {
  return {
    folder,
    info: join(folder, 'session.json'),
    messages: join(folder, 'messages.jsonl'),
    transcript: join(folder, 'transcript.jsonl'),
    checkpoints: join(folder, 'checkpoints.jsonl'),
    content: { own: join(folder, 'files'), pool },
  };
}

/** Means the same on every file system, and nothing but a name to any. */
const PLAIN_NAME = /^[a-z0-9][a-z0-9_-]{0,79}$/u;
/** Devices on Windows. */
const RESERVED_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)$/u;
const HASH_MARK = '=';
const HASH_LENGTH = 40;

/**
 * The name of a session's folder: its id, where that is a plain name as Claude Code's are; a hash of it for any other, so
 * that no id from outside leads out of the store, or into the folder of a session whose id differs in case.
 */
function sessionFolderName(id: string): string {
  if (PLAIN_NAME.test(id) && !RESERVED_NAME.test(id)) return id;
  // As JSON, in which lone surrogates differ.
  return HASH_MARK + createHash('sha256').update(JSON.stringify(id)).digest('hex').slice(0, HASH_LENGTH);
}

/** The id that a folder's name tells; null when it is a hash, or the folder is no session's. */
export function idOfFolderName(name: string): string | null {
  return PLAIN_NAME.test(name) && !RESERVED_NAME.test(name) ? name : null;
}

/** Whether a folder of that name may be a session's. */
export function isSessionFolderName(name: string): boolean {
  return idOfFolderName(name) !== null || /^=[0-9a-f]{40}$/u.test(name);
}
