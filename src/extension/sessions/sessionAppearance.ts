import type { SessionHealth, SessionSummary } from '../../protocol/channels/sessions';
import type { LiveStatus } from '../../protocol/session';
import type { Translate } from '../text/translate';
import type { Formats } from '../text/formats';
import { sessionLabel } from '../text/sessionTitle';

/** A VS Code product icon and its theme colour; null for the default icon colour. */
export interface SessionIcon {
  readonly id: string;
  readonly color: string | null;
}

/** How a session is shown in a list. */
export interface SessionAppearance {
  readonly label: string;
  readonly description: string;
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
};

const LIVE_ICONS: Readonly<Record<LiveStatus, SessionIcon>> = {
  busy: { id: 'loading~spin', color: 'progressBar.background' },
  waiting: { id: 'bell-dot', color: 'progressBar.background' },
  idle: { id: 'circle-filled', color: 'testing.iconPassed' },
};

/** Problems take precedence over the running state. */
export function sessionIcon(session: Pick<SessionSummary, 'health' | 'live'>): SessionIcon {
  const hasTrouble = session.health === 'corrupted' || session.health === 'unreadable';
  return session.live === null || hasTrouble ? HEALTH_ICONS[session.health] : LIVE_ICONS[session.live];
}

export function sessionAppearance(
  session: SessionSummary,
  nowMs: number,
  formats: Formats,
  t: Translate,
): SessionAppearance {
  const label = sessionLabel(session, t);
  const time = session.lastMessageMs === null ? null : formats.timeAgo(session.lastMessageMs, nowMs);
  const state = stateText(session, formats, t);
  const live = session.live === null ? null : liveText(session.live, t);
  const health = healthText(session.health, t);
  const fork = session.parentSessionId === null ? null : t('fork');
  return {
    label,
    description: join([state, live, fork, time], ' · '),
    icon: sessionIcon(session),
    accessibleLabel: join([label, health, state === health ? null : state, live, fork, time], ', '),
  };
}

/**
 * Value that `when` clauses of the menus match: `session.<health>`, then `.repairable`, `.live`, `.rewound`, a mark such as
 * `.no-fork` for each action that is not possible, and `.backup`.
 */
export function sessionContextValue(session: SessionSummary, isRewound: boolean): string {
  const { isRepairable, live, lacks = [], hasBackup } = session;
  const marks = [
    isRepairable && 'repairable',
    live !== null && 'live',
    isRewound && 'rewound',
    ...lacks.map((action) => `no-${action}`),
    hasBackup && !lacks.includes('repair') && 'backup',
  ];
  return ['session', session.health, ...marks.filter((mark) => mark !== false)].join('.');
}

function stateText(session: SessionSummary, formats: Formats, t: Translate): string | null {
  switch (session.health) {
    case 'corrupted':
      if (session.loads !== null && session.of !== null && session.loads < session.of) {
        return t('loads {0} of {1}', formats.number(session.loads), formats.number(session.of));
      }
      return session.errorCount === 1 ? t('1 problem') : t('{0} problems', formats.number(session.errorCount));
    case 'unreadable':
    case 'empty':
      return healthText(session.health, t);
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
      return t('corrupted');
    case 'repaired':
      return t('repaired');
    case 'unreadable':
      return t('cannot be read');
    case 'empty':
      return t('no messages');
  }
}

function liveText(live: LiveStatus, t: Translate): string {
  switch (live) {
    case 'busy':
      return t('working');
    case 'waiting':
      return t('waiting for you');
    case 'idle':
      return t('running');
  }
}

function join(parts: readonly (string | null)[], separator: string): string {
  return parts.filter((part) => part !== null).join(separator);
}
