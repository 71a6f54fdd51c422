import type { SessionsSnapshot } from '../../protocol/channels/sessions';
import { allSessions } from '../sessions/sessionsState';

/** A session id in a line of a terminal. */
export interface SessionLink {
  /** Of its first character, from 0. */
  readonly startIndex: number;
  readonly length: number;
  /** Path of the transcript. */
  readonly filePath: string;
}

const SESSION_ID = /(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])/gi;
/** Longer lines are output of programs, which VS Code cuts for link providers as well. */
const MAX_LINE = 10_000;

/** The ids of known sessions in a line. Of several sessions with one id, the first in the tree. */
export function sessionLinks(line: string, snapshot: SessionsSnapshot): SessionLink[] {
  const links: SessionLink[] = [];
  for (const { 0: id, index } of line.slice(0, MAX_LINE).matchAll(SESSION_ID)) {
    const session = allSessions(snapshot).find((each) => each.id === id.toLowerCase());
    if (session !== undefined) links.push({ startIndex: index, length: id.length, filePath: session.path });
  }
  return links;
}
