import type { SessionSummary } from '../../protocol/channels/sessions';
import type { Translate } from './translate';
import { shorten } from './formats';

/** Longer labels hide the description beside them. In characters as people count them. */
export const MAX_LABEL_CHARACTERS = 60;

/**
 * Control characters, and those that reverse what follows: a title that is cut off before their end would turn around what is
 * shown behind it.
 */
const DISORDER = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** A text on one line, without what would turn around the text behind it. */
export function plainLine(text: string): string {
  return text.replace(DISORDER, ' ').replace(/\s+/g, ' ').trim();
}

type TitledSession = Pick<SessionSummary, 'title' | 'id' | 'isProjectFolder' | 'isAbsent'>;

/** The session's whole title on one line, or the start of its id if it has no title. */
export function sessionTitle(session: TitledSession, t: Translate): string {
  if (session.isProjectFolder === true) return t('Sessions of this project');
  const title = plainLine(session.title ?? '');
  // Its first prompt will be its title.
  if (title === '' && session.isAbsent === true) return t('New session');
  return title === '' ? t('Session {0}', session.id.slice(0, 8)) : title;
}

/** The title, short enough for a list. */
export function sessionLabel(session: TitledSession, t: Translate): string {
  return shorten(sessionTitle(session, t), MAX_LABEL_CHARACTERS);
}
