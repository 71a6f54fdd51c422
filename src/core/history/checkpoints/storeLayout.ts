import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ContentFolders } from '../../storage/store/keepContent';

/** Absolute paths of Rethread's own sessions and checkpoints. (src/core/history/checkpoints/README.md) */
export interface StoreLayout {
  /** Log of the problems in hooks. */
  readonly problems: string;
  /** Log of the settings files that Rethread created. */
  readonly settings: string;
  /** Log of the sessions that `pruneSessions` removed. */
  readonly pruned: string;
  /** Contains one folder per session. */
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

/** Like `sessionPaths`, for a folder whose session id is not known. */
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

/** Names that every file system treats as the same plain file name. */
const PLAIN_NAME = /^[a-z0-9][a-z0-9_-]{0,79}$/u;
/** Device names on Windows. */
const RESERVED_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)$/u;
const HASH_MARK = '=';
const HASH_LENGTH = 40;

/**
 * The name of a session's folder: its id if that is a plain name, as the ids of Claude Code are, or else a hash of the
 * id. Thus no id from outside leads out of the store, or into the folder of a session whose id differs only in case.
 */
function sessionFolderName(id: string): string {
  if (PLAIN_NAME.test(id) && !RESERVED_NAME.test(id)) return id;
  // JSON, because it keeps lone surrogates distinct, which UTF-8 does not.
  return HASH_MARK + createHash('sha256').update(JSON.stringify(id)).digest('hex').slice(0, HASH_LENGTH);
}

/** The session id in a folder's name; null if the name is a hash or not that of a session's folder. */
export function idOfFolderName(name: string): string | null {
  return PLAIN_NAME.test(name) && !RESERVED_NAME.test(name) ? name : null;
}

/** Whether the name can be that of a session's folder. */
export function isSessionFolderName(name: string): boolean {
  return idOfFolderName(name) !== null || /^=[0-9a-f]{40}$/u.test(name);
}
