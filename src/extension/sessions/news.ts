import type { SessionsSnapshot, SessionSummary } from '../../protocol/channels/sessions';
import { isWaitingState, type SessionStateName } from '../../protocol/sessionActivity';
import { sessionLabel } from '../text/sessionTitle';
import type { Formats } from '../text/formats';
import type { Translate } from '../text/translate';
import { allSessions } from './sessionsState';

/** Something that happened to a session while the window knew it. */
export interface SessionNews {
  readonly kind: 'waits' | 'finished' | 'gone';
  readonly session: SessionSummary;
  /** The same for all windows. */
  readonly key: string;
}

/** States of a turn that is going on. */
const AT_WORK: ReadonlySet<SessionStateName> = new Set(['busy', 'waiting-answer', 'waiting-approval']);
/** States in which a turn is over. */
const FINISHED: ReadonlySet<SessionStateName> = new Set(['idle', 'shell', 'ended', 'failed', 'crashed']);

/** Notices what happens to the sessions of the window between two snapshots. */
export class NewsWatch {
  #before = new Map<string, SessionSummary>();

  /** @param hasOpenFolder otherwise, every session counts as one of the window */
  update({ projects }: SessionsSnapshot, hasOpenFolder: boolean): readonly SessionNews[] {
    const before = this.#before;
    this.#before = new Map();
    const news: SessionNews[] = [];
    for (const { sessions, inWorkspace } of projects) {
      if (hasOpenFolder && !inWorkspace) continue;
      for (const session of sessions) {
        this.#before.set(session.path, session);
        const known = before.get(session.path);
        if (known === undefined || known === session) continue;
        const kind = newsOf(known, session);
        const sinceMs = session.activity?.sinceMs ?? session.lastMessageMs ?? 0;
        if (kind !== null) news.push({ kind, session, key: `${kind} ${session.id} ${sinceMs}` });
      }
    }
    return news;
  }
}

function newsOf(before: SessionSummary, after: SessionSummary): SessionNews['kind'] | null {
  if (after.health === 'missing') return before.health === 'missing' ? null : 'gone';
  const [was, is] = [before.activity?.state ?? null, after.activity?.state ?? null];
  if (was === null || is === null || was === is) return null;
  if (isWaitingState(is)) return isWaitingState(was) ? null : 'waits';
  return AT_WORK.has(was) && FINISHED.has(is) ? 'finished' : null;
}

/** Those of the news of transcripts that are gone whose session is not at another place now, as after its folder was renamed. */
export function withoutMoved(gone: readonly SessionNews[], snapshot: SessionsSnapshot): readonly SessionNews[] {
  const present = allSessions(snapshot).filter(({ health }) => health !== 'missing');
  const ids = new Set(present.map(({ id }) => id));
  return gone.filter(({ session }) => !ids.has(session.id));
}

/** One sentence for all transcripts that are gone at once: Claude Code deletes what has expired when it starts. There is at least one. */
export function goneText(gone: readonly SessionNews[], formats: Formats, t: Translate): string {
  const [first, ...others] = gone;
  if (first !== undefined && others.length === 0) {
    return t(
      'The transcript of “{0}” is gone. Claude Code may have deleted it, by its setting “cleanupPeriodDays”, or moved it.',
      sessionLabel(first.session, t),
    );
  }
  return t(
    'The transcripts of {0} sessions are gone. Claude Code may have deleted them, by its setting “cleanupPeriodDays”, or moved them.',
    formats.number(gone.length),
  );
}
