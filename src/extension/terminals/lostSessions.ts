import { isForAutomaticRepair } from '../../protocol/repair';
import type { ResumeVerdict, RememberedTerminal } from '../../protocol/terminals';
import type { SessionRef } from '../../protocol/session';
import type { ResumeRepair } from '../config/settings';
import type { Services } from '../services';
import type { NamedSession } from '../sessions/sessionsState';
import { sessionLabel } from '../text/sessionTitle';

export interface LostSessionsDeps extends Pick<Services, 'dialogs' | 'formats' | 'log' | 't'> {
  readonly locate: (sessionIds: readonly string[]) => Promise<readonly SessionRef[]>;
  readonly judge: (session: SessionRef) => Promise<ResumeVerdict>;
  readonly repairMode: () => ResumeRepair;
  /** Repairs without asking, and reports nothing. Resolves to whether it did. */
  readonly repair: (session: SessionRef) => Promise<boolean>;
  readonly resume: (session: NamedSession) => Promise<void>;
  /** Nobody is asked about these terminals again. */
  readonly settle: (terminalIds: readonly string[]) => void;
}

/** At most so many names in one message. */
const MAX_NAMES = 3;

/**
 * After a crash of the window: checks the sessions that it took along, repairs them if the setting says so, and offers all of them
 * at once. Those that were never saved are not mentioned. Never rejects.
 */
export async function offerLostSessions(lost: readonly RememberedTerminal[], deps: LostSessionsDeps): Promise<void> {
  const { dialogs, formats, log, resume, settle, t } = deps;
  try {
    const sessions = await toSessions(lost, deps);
    if (sessions.length === 0) return;
    const repaired = await repairBroken(sessions, deps);
    const names = sessions.slice(0, MAX_NAMES).map((each) => `“${sessionLabel(each, t)}”`);
    const list = sessions.length > MAX_NAMES ? `${names.join(', ')}, …` : names.join(', ');
    const message =
      sessions.length === 1
        ? t('The window ended unexpectedly while Claude Code ran {0}.', list)
        : t(
            'The window ended unexpectedly while Claude Code ran {0} sessions: {1}.',
            formats.number(sessions.length),
            list,
          );
    const note = repaired === 0 ? '' : ` ${t('Repaired: {0}.', formats.number(repaired))}`;
    const again = t('Resume Again');
    if ((await dialogs.notify('warning', message + note, again)) !== again) return;
    for (const session of sessions) await resume(session);
    settle(lost.map(({ id }) => id));
  } catch (error) {
    log.warn(`Failed to offer the sessions of a window that crashed: ${String(error)}`);
  }
}

/** Lets the person choose one of the lost sessions, or all. */
export async function chooseLostSessions(
  lost: readonly RememberedTerminal[],
  { dialogs, locate, t, formats }: Pick<LostSessionsDeps, 'dialogs' | 'locate' | 't' | 'formats'>,
): Promise<readonly NamedSession[]> {
  const sessions = await toSessions(lost, { locate });
  if (sessions.length === 0) {
    void dialogs.notify('info', t('No session ended with this window.'));
    return [];
  }
  if (sessions.length === 1) return sessions;
  const all = { value: sessions, label: t('All {0} Sessions', formats.number(sessions.length)), icon: 'run-all' };
  const each = sessions.map((session) => ({
    value: [session],
    label: sessionLabel(session, t),
    icon: 'comment-discussion',
  }));
  const options = { title: t('Resume Again'), placeholder: t('Choose the sessions to resume') };
  return (await dialogs.choose<readonly NamedSession[]>([{ heading: null, choices: [all, ...each] }], options)) ?? [];
}

async function toSessions(
  lost: readonly RememberedTerminal[],
  { locate }: Pick<LostSessionsDeps, 'locate'>,
): Promise<readonly NamedSession[]> {
  const titles = new Map(lost.map(({ sessionId, title }) => [sessionId, title]));
  const found = titles.size === 0 ? [] : await locate([...titles.keys()]);
  return found.map((session) => ({ ...session, title: titles.get(session.id) ?? null }));
}

async function repairBroken(
  sessions: readonly NamedSession[],
  { judge, repair, repairMode, log }: LostSessionsDeps,
): Promise<number> {
  let repaired = 0;
  for (const session of repairMode() === 'repair' ? sessions : []) {
    try {
      const { scan, live } = await judge(session);
      const { status, findings, resume } = scan.result;
      const isMendable = findings.some(isForAutomaticRepair);
      if (status !== 'corrupted' || live !== 'not-live' || !isMendable || !resume.isExact) continue;
      if (await repair(session)) repaired++;
    } catch (error) {
      // The others are offered all the same, and this one is checked again when it is resumed.
      log.warn(`Failed to check ${session.path}: ${String(error)}`);
    }
  }
  return repaired;
}
