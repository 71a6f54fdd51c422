import type { SessionSummary } from '../../shared/api/worker';
import type { Translate } from './translate';

/** Beyond this a label hides the description behind it. In characters as people count them. */
const MAX_LABEL_CHARACTERS = 60;

const graphemes = new Intl.Segmenter();

type TitledSession = Pick<SessionSummary, 'title' | 'sessionId' | 'filePath'>;

/** The session's whole title in one line. A session without one goes by the start of its id. */
export function sessionTitle(session: TitledSession, t: Translate): string {
  // A project folder that cannot be listed stands among the sessions.
  if (!session.filePath.endsWith('.jsonl')) return t('Sessions of this project');
  const title = session.title?.replace(/\s+/g, ' ').trim() ?? '';
  return title === '' ? t('Session {0}', session.sessionId.slice(0, 8)) : title;
}

/** The title, short enough for a list. */
export function sessionLabel(session: TitledSession, t: Translate): string {
  return shorten(sessionTitle(session, t));
}

/** Cuts between grapheme clusters, so that no emoji or accent comes apart. */
function shorten(text: string): string {
  if (text.length <= MAX_LABEL_CHARACTERS) return text;
  // A prompt of megabytes may stand in for a title: only its head is looked at.
  const head = text.slice(0, MAX_LABEL_CHARACTERS * 16);
  const characters = Array.from(graphemes.segment(head), (part) => part.segment);
  if (characters.length <= MAX_LABEL_CHARACTERS) return head;
  return `${characters
    .slice(0, MAX_LABEL_CHARACTERS - 1)
    .join('')
    .trimEnd()}…`;
}
