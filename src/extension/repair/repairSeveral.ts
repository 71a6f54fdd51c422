import type { SessionSummary } from '../../protocol/channels/sessions';
import { sessionAppearance } from '../sessions/sessionAppearance';
import type { NamedSession } from '../sessions/sessionsState';
import type { Services } from '../services';
import { sessionLabel } from '../text/sessionTitle';
import type { TickedChoice } from '../window/dialogs';

/** A session that can be repaired, with the name of its project. */
export interface RepairableSession {
  readonly session: SessionSummary;
  readonly place: string;
}

/** The work on one session. Each resolves to why nothing was done; null if it was. */
export interface OneByOne {
  repair(session: NamedSession): Promise<string | null>;
  undo(session: NamedSession): Promise<string | null>;
}

export type SeveralDeps = Pick<Services, 'dialogs' | 'formats' | 'now' | 't'>;

/** What was done with several sessions, one after the other, until the person stopped it. */
interface Run {
  readonly done: readonly NamedSession[];
  readonly failures: readonly string[];
}

/**
 * Lists the sessions, repairs those that the person chooses, and tells in one message how it went, with one Undo for all of
 * them.
 */
export async function repairSeveral(
  sessions: readonly RepairableSession[],
  work: OneByOne,
  deps: SeveralDeps,
): Promise<void> {
  const { dialogs, formats, t } = deps;
  const chosen = await dialogs.chooseSeveral(choicesOf(sessions, deps), {
    title: t('Repair Broken Sessions'),
    placeholder: t('Choose the sessions to repair. Each gets a backup first.'),
  });
  if (chosen === null || chosen.length === 0) return;
  const title =
    chosen.length === 1 ? t('Repairing 1 session') : t('Repairing {0} sessions', formats.number(chosen.length));
  const repaired = await inTurn(chosen, title, (session) => work.repair(session), deps);
  const undo = t('Undo');
  const buttons = repaired.done.length === 0 ? [] : [undo];
  const kind = repaired.failures.length === 0 ? 'info' : 'error';
  if ((await dialogs.notify(kind, repairedText(repaired, chosen.length, deps), ...buttons)) !== undo) return;
  const undoing = t('Undoing {0} repairs', formats.number(repaired.done.length));
  const undone = await inTurn(repaired.done, undoing, (session) => work.undo(session), deps);
  const text = undoneText(undone, deps);
  if (undone.failures.length === 0) dialogs.note(text);
  else void dialogs.notify('error', text);
}

/** Those that a client may be running are not chosen beforehand: their repair is refused while it runs. */
function choicesOf(
  sessions: readonly RepairableSession[],
  { formats, now, t }: SeveralDeps,
): TickedChoice<SessionSummary>[] {
  return sessions.map(({ session, place }) => {
    const { description, icon } = sessionAppearance(session, now(), formats, t, { place });
    const isTicked = session.live === 'not-live';
    return { value: session, label: sessionLabel(session, t), description, icon: icon.id, isTicked };
  });
}

/** Stops between two sessions, never within one. */
async function inTurn(
  sessions: readonly NamedSession[],
  title: string,
  work: (session: NamedSession) => Promise<string | null>,
  { dialogs, t }: SeveralDeps,
): Promise<Run> {
  const done: NamedSession[] = [];
  const failures: string[] = [];
  let working = Promise.resolve();
  await dialogs.duringUnlessSkipped(title, (signal, report) => {
    const each = async (): Promise<void> => {
      for (const [at, session] of sessions.entries()) {
        if (signal.aborted) break;
        const problem = await work(session);
        if (problem === null) done.push(session);
        else failures.push(t('“{0}”: {1}', sessionLabel(session, t), problem));
        report(((at + 1) / sessions.length) * 100);
      }
    };
    working = each();
    return working;
  });
  // The one that was being written when the person stopped counts, too.
  await working;
  return { done, failures };
}

function repairedText({ done, failures }: Run, chosen: number, { formats, t }: SeveralDeps): string {
  const count = done.length;
  const repaired = count === 1 ? t('Repaired 1 session.') : t('Repaired {0} sessions.', formats.number(count));
  const left = chosen - count - failures.length;
  const stopped = left > 0 ? [t('Stopped before the other {0}.', formats.number(left))] : [];
  const failed = failures.length === 0 ? [] : [t('Not repaired: {0}', failures.join(' '))];
  return [repaired, ...stopped, ...failed].join(' ');
}

function undoneText({ done, failures }: Run, { formats, t }: SeveralDeps): string {
  const count = done.length;
  const undone = count === 1 ? t('1 repair was undone.') : t('{0} repairs were undone.', formats.number(count));
  return failures.length === 0 ? undone : `${undone} ${t('Not undone: {0}', failures.join(' '))}`;
}
