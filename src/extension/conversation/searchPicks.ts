import type { SearchMatch, SearchOutcome, SearchProgress } from '../../protocol/channels/search';
import type { ItemRole } from '../../protocol/conversation';
import type { Translate } from '../text/translate';
import type { Formats } from '../text/formats';
import { sessionLabel } from '../text/sessionTitle';

export interface SearchPick {
  readonly match: SearchMatch;
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

/** Shows a match as an item of a list. */
export function searchPick(match: SearchMatch, nowMs: number, formats: Formats, t: Translate): SearchPick {
  const time = match.timeMs === null ? [] : [formats.timeAgo(match.timeMs, nowMs)];
  return {
    match,
    label: withoutIcons(sessionLabel({ title: match.title, id: match.sessionId }, t)),
    description: [match.isResult ? t('Tool result') : roleName(match.role, t), ...time].join(' · '),
    detail: withoutIcons(match.excerpt),
  };
}

/** The progress of a search, shown above its list. */
export function progressText({ sessionsDone, sessionsTotal }: SearchProgress, formats: Formats, t: Translate): string {
  return t('{0} of {1} sessions searched', formats.number(sessionsDone), formats.number(sessionsTotal));
}

/** The outcome of a search. */
export function outcomeText(outcome: SearchOutcome, shown: number, formats: Formats, t: Translate): string {
  if (outcome.problem !== null) return outcome.problem;
  const searched = formats.number(outcome.progress.sessionsDone);
  if (shown === 0) return t('Nothing found in {0} sessions', searched);
  if (outcome.isCut) return t('The first {0} places; there may be more', formats.number(shown));
  return shown === 1
    ? t('1 place in {0} sessions', searched)
    : t('{0} places in {1} sessions', formats.number(shown), searched);
}

function roleName(role: ItemRole, t: Translate): string {
  switch (role) {
    case 'user':
      return t('You');
    case 'assistant':
      return t('Claude');
    case 'system':
      return t('System');
    case 'attachment':
      return t('Attachment');
    case 'progress':
      return t('Progress');
    case 'unknown':
      return t('Other');
  }
}

/** A quick pick renders `$(name)` as an icon; this keeps such text verbatim. */
function withoutIcons(text: string): string {
  return text.replaceAll('$(', '\\$(');
}
