import { dirname } from 'node:path';
import type {
  Alarm,
  ExpiringAlarm,
  ShortRetentionAlarm,
  TwoWritersAlarm,
  UnsavedAlarm,
} from '../../protocol/channels/alarms';
import { periodText } from '../sessions/sweepText';
import { type Formats, shorten, shortenHome } from '../text/formats';
import type { Translate } from '../text/translate';

export interface AlarmTextDeps {
  /** Title of the session in a transcript; null if it is not known. */
  readonly titleOf: (filePath: string) => string | null;
  readonly homeDir: string;
  readonly formats: Formats;
  readonly t: Translate;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const MAX_TITLE_CHARACTERS = 60;

/** What is wrong, for which session, and what can be done now. */
export function alarmText(alarm: Alarm, deps: AlarmTextDeps): string {
  switch (alarm.kind) {
    case 'unsaved':
      return unsavedText(alarm, deps);
    case 'two-writers':
      return twoWritersText(alarm, deps);
    case 'expiring':
      return expiringText(alarm, deps);
    case 'short-retention':
      return shortRetentionText(alarm, deps);
  }
}

function unsavedText({ cause, session, cwd }: UnsavedAlarm, deps: AlarmTextDeps): string {
  const { t } = deps;
  const name = nameOf(session?.path ?? null, cwd, deps);
  switch (cause) {
    case 'full-disk':
      return t(
        'Claude Code can no longer save {0}: the disk is full. Free some space, then run /export in that session: what was not saved is never saved later.',
        name,
      );
    case 'read-only':
      return t(
        'Claude Code can no longer save {0}: its transcript is read-only. Run /export in that session now: what was not saved is never saved later.',
        name,
      );
    case 'deleted':
      return t(
        'The transcript of {0} was deleted, but Claude Code still has the conversation. Run /export in that session now: what was deleted is never saved again.',
        name,
      );
    case 'inherited':
      return t(
        'Claude Code saves nothing of {0}: it was started inside another Claude Code session, and inherited CLAUDE_CODE_CHILD_SESSION. Run /export in it now, and start it again with CLAUDE_CODE_FORCE_SESSION_PERSISTENCE=1.',
        name,
      );
    case 'unknown':
      return t(
        'Claude Code is running {0}, but saves nothing of it. Run /export in that session now: what was not saved is never saved later.',
        name,
      );
  }
}

function twoWritersText({ session, pids, cwd }: TwoWritersAlarm, deps: AlarmTextDeps): string {
  return deps.t(
    'Claude Code runs {0} in several places at once (processes {1}). Each writes to the transcript without seeing what the others write, so a resume would load only one of them. End all but one, or fork the session.',
    nameOf(session.path, cwd, deps),
    pids.join(', '),
  );
}

function expiringText({ sessions, period }: ExpiringAlarm, deps: AlarmTextDeps): string {
  const { t, formats, homeDir, now } = deps;
  const [first] = sessions;
  const sweptMs = first?.sweptMs ?? 0;
  const why = periodText(period, homeDir, t);
  const when = sweptMs <= now() ? t('when it next cleans up') : t('on {0}', formats.date(sweptMs));
  const what =
    sessions.length === 1
      ? t('Claude Code will delete {0} {1} ({2}).', nameOf(first?.path ?? null, null, deps), when, why)
      : t(
          'Claude Code will delete {0} sessions of this window soon, the first {1} ({2}).',
          formats.number(sessions.length),
          when,
          why,
        );
  return t('{0} A new message in a session keeps it for another period; a larger cleanupPeriodDays keeps all.', what);
}

function shortRetentionText({ folder, period, ownDays }: ShortRetentionAlarm, deps: AlarmTextDeps): string {
  const { t, formats, homeDir } = deps;
  return t(
    'The settings of one project, {0}, make Claude Code delete the sessions of all projects ({1}); without them, it would keep them for {2} days. Remove cleanupPeriodDays there if you did not mean that.',
    shortenHome(folder, homeDir),
    periodText(period, homeDir, t),
    formats.number(ownDays),
  );
}

function nameOf(path: string | null, cwd: string | null, { titleOf, homeDir, t }: AlarmTextDeps): string {
  const title = path === null ? null : titleOf(path);
  if (title !== null) return t('“{0}”', shorten(title, MAX_TITLE_CHARACTERS));
  return t('the session in {0}', shortenHome(cwd ?? dirname(path ?? ''), homeDir));
}
