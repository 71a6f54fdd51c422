import { basename } from 'node:path';
import type { ListedSubagent } from '../../protocol/channels/children';
import type { SessionHealth, SessionSummary } from '../../protocol/channels/sessions';
import type { SessionStateName } from '../../protocol/sessionActivity';
import type { Translate } from '../text/translate';
import { type Formats, shorten } from '../text/formats';
import { MAX_LABEL_CHARACTERS, sessionLabel } from '../text/sessionTitle';
import type { SessionAmount } from './sessionOrder';
import { isRunning, type RunningSession } from './sessionsState';

/** A call can be a whole script; what follows it is to be seen. */
const MAX_DOING_CHARACTERS = 60;

/** A VS Code product icon and its theme colour; null for the default icon colour. */
export interface SessionIcon {
  readonly id: string;
  readonly color: string | null;
}

/** How a session is shown in a list. */
export interface SessionAppearance {
  readonly label: string;
  /** Its age or amount comes first: what follows may be cut off in a narrow view, and the icon shows most of it. */
  readonly description: string;
  /** Shorter forms of the description, the longest first, for rows with too little room. If none fits, the age alone is shown. */
  readonly shorter?: readonly string[];
  /** The beginning of the description that a narrow view shows, too: how old it is, or how large. Null if it is unknown, or nothing has one. */
  readonly age: string | null;
  readonly icon: SessionIcon;
  /** For screen readers; includes everything that the icon conveys. */
  readonly accessibleLabel: string;
}

const HEALTH_ICONS: Readonly<Record<SessionHealth, SessionIcon>> = {
  unscanned: { id: 'circle-outline', color: 'disabledForeground' },
  healthy: { id: 'comment-discussion', color: null },
  corrupted: { id: 'warning', color: 'list.warningForeground' },
  repaired: { id: 'pass', color: 'testing.iconPassed' },
  unreadable: { id: 'error', color: 'list.errorForeground' },
  empty: { id: 'circle-slash', color: 'disabledForeground' },
  missing: { id: 'diff-removed', color: 'disabledForeground' },
};

/** Null: the icon of its health. */
const STATE_ICONS: Readonly<Record<SessionStateName, SessionIcon | null>> = {
  starting: { id: 'loading~spin', color: 'disabledForeground' },
  busy: { id: 'loading~spin', color: 'progressBar.background' },
  'waiting-answer': { id: 'question', color: 'notificationsWarningIcon.foreground' },
  'waiting-approval': { id: 'bell-dot', color: 'notificationsWarningIcon.foreground' },
  shell: { id: 'terminal', color: 'progressBar.background' },
  idle: { id: 'circle-filled', color: 'testing.iconPassed' },
  ended: null,
  failed: { id: 'run-errors', color: 'list.errorForeground' },
  interrupted: { id: 'debug-pause', color: 'disabledForeground' },
  crashed: { id: 'debug-disconnect', color: 'list.warningForeground' },
  reconnecting: { id: 'sync~spin', color: 'progressBar.background' },
  missing: { id: 'diff-removed', color: 'disabledForeground' },
  unrecoverable: { id: 'stop-circle', color: 'list.errorForeground' },
};

const AGENT_ICON: SessionIcon = { id: 'hubot', color: null };

const FORK_ICON: SessionIcon = { id: 'repo-forked', color: null };

type Seen = Pick<SessionSummary, 'health' | 'activity'> & Partial<Pick<SessionSummary, 'parentSessionId'>>;

/** Problems take precedence over what the session is doing. */
export function sessionIcon(session: Seen): SessionIcon {
  const { health, activity } = session;
  const state = activity === null ? null : STATE_ICONS[activity.state];
  const hasTrouble = health === 'corrupted' || health === 'unreadable' || health === 'empty';
  const isPlain =
    state === null ||
    (hasTrouble && activity?.state !== 'unrecoverable' && !(health === 'empty' && isRunning(session)));
  if (!isPlain) return state;
  const isFork = typeof session.parentSessionId === 'string';
  return health === 'healthy' && isFork ? FORK_ICON : HEALTH_ICONS[health];
}

/** How a session is shown among those that run: what it does, since when, and where. */
export function runningAppearance(
  { project, session, activity }: RunningSession,
  nowMs: number,
  formats: Formats,
  t: Translate,
): SessionAppearance {
  const label = sessionLabel(session, t);
  const health = session.health === 'corrupted' || session.health === 'missing' ? healthText(session.health, t) : null;
  const state = stateName(activity.state, t);
  // The client's words for what it waits for say no more than the state.
  const doing =
    session.doing === null || session.doing === activity.waitingFor
      ? null
      : shorten(session.doing, MAX_DOING_CHARACTERS);
  const place = basename(project.cwd ?? project.folder);
  const { sinceMs } = activity;
  const [age, since] = sinceMs === null ? [null, null] : [formats.age(sinceMs, nowMs), formats.timeAgo(sinceMs, nowMs)];
  return {
    label,
    // The icon shows the state already where there is a call to name.
    description: join([age, health, doing ?? state, place], ' · '),
    age,
    icon: STATE_ICONS[activity.state] ?? HEALTH_ICONS[session.health],
    accessibleLabel: join([label, health, state, doing, since, place], ', '),
  };
}

/** What a list says of a session beside its state. */
export interface SessionPlace {
  /** It is pinned, and does not stand in the group that says so. */
  readonly isPinned?: boolean;
  /** The name of its project; null where the session stands below it. */
  readonly place?: string | null;
  /** By how much it is large; null where the list is sorted by time. */
  readonly amount?: SessionAmount | null;
}

export function sessionAppearance(
  session: SessionSummary,
  nowMs: number,
  formats: Formats,
  t: Translate,
  { isPinned = false, place = null, amount = null }: SessionPlace = {},
): SessionAppearance {
  const label = sessionLabel(session, t);
  const { lastMessageMs } = session;
  const [age, time] =
    lastMessageMs === null ? [null, null] : [formats.age(lastMessageMs, nowMs), formats.timeAgo(lastMessageMs, nowMs)];
  const state = stateText(session, formats, t);
  const live = activityText(session, t);
  const pin = isPinned ? t('pinned') : null;
  const health = healthText(session.health, t);
  const fork = session.parentSessionId === null ? null : t('fork');
  const more = [state, live].filter((each) => each !== health);
  const size = amount === null ? null : amountText(amount, formats, t);
  return {
    label,
    description: join([size?.long ?? age, pin, state, live, place], ' · '),
    shorter: shorterTexts(size?.long ?? age, size?.short ?? age, { pin, state, live, place }),
    age: size?.short ?? age,
    icon: sessionIcon(session),
    accessibleLabel: join([label, health, ...more, fork, pin, size?.long ?? null, time, place], ', '),
  };
}

interface Behind {
  readonly pin: string | null;
  readonly state: string | null;
  readonly live: string | null;
  readonly place: string | null;
}

/** Parts are left out one after the other, the state last: it is what a person looks for in a list. */
function shorterTexts(long: string | null, short: string | null, { pin, state, live, place }: Behind): string[] {
  const texts = [
    [long, pin, state, live, place],
    [long, pin, state, live],
    [long, pin, state],
    [long, state],
    [short, state],
  ].map((parts) => join(parts, ' · '));
  // A part that is absent makes one text the same as the one before.
  return [...new Set(texts)].slice(1).filter((text) => text !== '' && text !== short);
}

/** `short`: where there is no room for the word for what is counted. */
function amountText({ unit, count }: SessionAmount, formats: Formats, t: Translate): { long: string; short: string } {
  const short = unit === 'bytes' ? formats.size(count) : formats.compact(count);
  return { short, long: unit === 'bytes' ? short : t('{0} tokens', short) };
}

/** `isRunning`: a client runs the session that started the subagent. */
export function subagentAppearance(
  { agentId, agentType, description, isFinished }: ListedSubagent,
  isRunning: boolean,
  t: Translate,
): SessionAppearance {
  const title = description?.replace(/\s+/g, ' ').trim() ?? '';
  const label = title === '' ? t('Subagent {0}', agentId.slice(0, 8)) : shorten(title, MAX_LABEL_CHARACTERS);
  const state = isFinished ? t('finished') : isRunning ? stateName('busy', t) : null;
  return {
    label,
    description: join([agentType, state], ' · '),
    age: null,
    icon: !isFinished && isRunning ? (STATE_ICONS.busy ?? AGENT_ICON) : AGENT_ICON,
    accessibleLabel: join([label, t('subagent'), agentType, state], ', '),
  };
}

/**
 * Value that `when` clauses of the menus match: `absent.missing` or `absent.expected` for one without a transcript, else `session.<health>`, then `.repairable`, `.live`, `.rewound`, a mark such as
 * `.no-fork` for each action that is not possible, and `.backup`.
 */
export function sessionContextValue(session: SessionSummary, isRewound: boolean): string {
  const { isRepairable, lacks = [], hasBackup } = session;
  const marks = [
    isRepairable && 'repairable',
    isRunning(session) && 'live',
    isRewound && 'rewound',
    ...lacks.map((action) => `no-${action}`),
    hasBackup && !lacks.includes('repair') && 'backup',
  ];
  // There is nothing to open, to repair or to fork.
  if (session.isAbsent === true) {
    return [
      'absent',
      session.health === 'missing' ? 'missing' : 'expected',
      ...(isRunning(session) ? ['live'] : []),
    ].join('.');
  }
  return ['session', session.health, ...marks.filter((mark) => mark !== false)].join('.');
}

function stateText(session: SessionSummary, formats: Formats, t: Translate): string | null {
  switch (session.health) {
    case 'empty':
      return isRunning(session) ? null : healthText(session.health, t);
    // How much Claude remembers is in the tooltip.
    case 'corrupted':
    case 'unreadable':
      return healthText(session.health, t);
    case 'missing':
      return isRunning(session) ? healthText(session.health, t) : null;
    case 'healthy':
    case 'repaired':
      return warningText(session.warningCount, formats, t);
    case 'unscanned':
      return null;
  }
}

/** Null without a warning. */
function warningText(count: number, formats: Formats, t: Translate): string | null {
  if (count === 0) return null;
  return count === 1 ? t('1 warning') : t('{0} warnings', formats.number(count));
}

function healthText(health: SessionHealth, t: Translate): string {
  switch (health) {
    case 'unscanned':
      return t('not scanned yet');
    case 'healthy':
      return t('healthy');
    case 'corrupted':
      return t('broken');
    case 'missing':
      return t('transcript is gone');
    case 'repaired':
      return t('repaired');
    case 'unreadable':
      return t('cannot be read');
    case 'empty':
      return t('no messages');
  }
}

/** Null where there is nothing to say: it ended, as sessions do. */
function activityText({ activity }: Seen, t: Translate): string | null {
  return activity === null || activity.state === 'ended' ? null : stateName(activity.state, t);
}

/** VS Code's trees cannot strike a label through, but Unicode can. */
export function struckThrough(label: string): string {
  const segments = Array.from(new Intl.Segmenter().segment(label), ({ segment }) => segment);
  // Nothing is drawn for a format character, such as those around a title that is written from right to left.
  return segments.map((segment) => (/^\p{Cf}$/u.test(segment) ? segment : `${segment}\u0336`)).join('');
}

export function stateName(state: SessionStateName, t: Translate): string {
  switch (state) {
    case 'starting':
      return t('starting');
    case 'busy':
      return t('working');
    case 'waiting-answer':
      return t('waiting for your answer');
    case 'waiting-approval':
      return t('waiting for your approval');
    case 'shell':
      return t('a command is still running');
    case 'idle':
      return t('idle');
    case 'ended':
      return t('ended');
    case 'failed':
      return t('ended with an error');
    case 'interrupted':
      return t('interrupted');
    case 'crashed':
      return t('crashed');
    case 'reconnecting':
      return t('reconnecting…');
    case 'missing':
      return t('transcript is gone');
    case 'unrecoverable':
      return t('cannot be recovered');
  }
}

function join(parts: readonly (string | null)[], separator: string): string {
  return parts.filter((part) => part !== null).join(separator);
}

/** Says that something belongs to the config folder of another account. */
export function configDirText(configDir: string, t: Translate): string {
  return t('Config folder: {0}', configDir);
}

/** Why a session has no transcript, and what can be done. */
export function absenceText(session: Pick<SessionSummary, 'health' | 'path' | 'activity'>, t: Translate): string {
  const { health, path } = session;
  if (health !== 'missing') return t('Claude Code is running. It writes the transcript with your first prompt.');
  if (isRunning(session)) {
    return t(
      'The transcript is gone: {0}. Claude Code still runs the session and has the conversation: run /export there now, because what was deleted is never saved again.',
      path,
    );
  }
  return t(
    'The transcript is gone: {0}. Claude Code deletes transcripts that were not written to for as long as its setting “cleanupPeriodDays” says. Restore the file from a backup of yours to see the session again, or remove it from the list.',
    path,
  );
}
