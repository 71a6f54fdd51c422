import type { TaskChange, TaskStatus } from '../../shared/task';
import type { Formats } from '../text/formats';
import type { Translate } from '../text/translate';
import type { SessionIcon } from '../tree/sessionAppearance';

export interface ChangeAppearance {
  readonly label: string;
  /** When it was. */
  readonly description: string;
  readonly icon: SessionIcon;
  readonly accessibleLabel: string;
}

/** A change of a task as one line of its history. */
export function changeAppearance(change: TaskChange, formats: Formats, t: Translate): ChangeAppearance {
  const label = textOf(change, t);
  const { timeMs, line } = change.at;
  const description = timeMs === null ? t('line {0}', formats.number(line)) : formats.dateTime(timeMs);
  return { label, description, icon: { id: iconOf(change), color: null }, accessibleLabel: `${label}, ${description}` };
}

function textOf(change: TaskChange, t: Translate): string {
  switch (change.kind) {
    case 'added':
      return t('Added');
    case 'status':
      return statusChange(change.to, t);
    case 'subject':
      return t('Renamed from “{0}”', change.from);
    case 'blockedBy':
      return t('Waits for {0}', change.ids.map((id) => `#${id}`).join(', '));
    case 'removed':
      return t('Removed');
  }
}

function statusChange(status: TaskStatus, t: Translate): string {
  switch (status) {
    case 'pending':
      return t('To do again');
    case 'in_progress':
      return t('Begun');
    case 'completed':
      return t('Done');
    case 'failed':
      return t('Failed');
    case 'stopped':
      return t('Stopped');
    case 'unknown':
      return t('Unknown status');
  }
}

function iconOf(change: TaskChange): string {
  switch (change.kind) {
    case 'added':
      return 'add';
    case 'status':
      return change.to === 'completed' ? 'check' : change.to === 'in_progress' ? 'play' : 'circle-small';
    case 'subject':
      return 'edit';
    case 'blockedBy':
      return 'lock';
    case 'removed':
      return 'remove';
  }
}
