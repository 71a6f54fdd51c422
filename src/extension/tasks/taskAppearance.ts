import type { Task, TaskChange, TaskStatus } from '../../protocol/task';
import type { Translate } from '../text/translate';
import type { SessionIcon } from '../sessions/sessionAppearance';
import { escapeMarkdown, type Formats } from '../text/formats';
import type { TaskNode } from './taskNode';

/** How a task is shown in the list. */
export interface TaskAppearance {
  readonly label: string;
  readonly description: string;
  readonly icon: SessionIcon;
  /** Markdown. */
  readonly tooltip: string;
  /** For screen readers; includes everything that the icon conveys. */
  readonly accessibleLabel: string;
}

const ICONS: Readonly<Record<TaskStatus, SessionIcon>> = {
  completed: { id: 'pass', color: 'testing.iconPassed' },
  in_progress: { id: 'circle-filled', color: 'progressBar.background' },
  pending: { id: 'circle-large-outline', color: null },
  failed: { id: 'error', color: 'list.errorForeground' },
  stopped: { id: 'debug-stop', color: 'list.warningForeground' },
  unknown: { id: 'question', color: 'list.warningForeground' },
};
const RUNNING: SessionIcon = { id: 'loading~spin', color: 'progressBar.background' };
const BLOCKED: SessionIcon = { id: 'lock', color: 'disabledForeground' };
const IN_CYCLE: SessionIcon = { id: 'warning', color: 'list.warningForeground' };
/** Maximum number of blocking tasks that are named. */
const MAX_NAMED = 5;

export function taskAppearance(node: TaskNode, formats: Formats, t: Translate): TaskAppearance {
  const { task } = node;
  const label =
    task.status === 'in_progress' && task.kind !== 'agent' ? (task.activeForm ?? task.subject) : task.subject;
  const state = task.statusText === null ? statusText(task.status, t) : t('status “{0}”', task.statusText);
  const blockers = blockersOf(task);
  const waiting = blockers.length === 0 ? null : t('blocked by {0}', named(blockers));
  const agentType = task.kind === 'agent' ? task.agentType : null;
  const owner = task.kind === 'task' && task.owner !== null && task.owner !== '' ? task.owner : null;
  const isOdd = task.status === 'unknown' || task.status === 'failed' || task.status === 'stopped';
  return {
    label,
    description: join([isOdd ? state : null, waiting, agentType, owner], ' · '),
    icon: iconOf(node),
    tooltip: tooltipOf(node, state, formats, t),
    accessibleLabel: join([label, state, waiting, agentType, owner], ', '),
  };
}

function statusText(status: TaskStatus, t: Translate): string {
  switch (status) {
    case 'pending':
      return t('to do');
    case 'in_progress':
      return t('in progress');
    case 'completed':
      return t('done');
    case 'failed':
      return t('failed');
    case 'stopped':
      return t('stopped');
    case 'unknown':
      return t('unknown status');
  }
}

/** Value that `when` clauses of the menu match. */
export function taskContextValue(task: Task): string {
  return task.kind === 'agent' && task.transcript !== null ? 'task.agent.transcript' : `task.${task.kind}`;
}

function iconOf({ task, isLive }: TaskNode): SessionIcon {
  if (task.status === 'in_progress' && isLive) return RUNNING;
  if (task.kind === 'task' && task.isInCycle) return IN_CYCLE;
  return task.status === 'pending' && blockersOf(task).length > 0 ? BLOCKED : ICONS[task.status];
}

function blockersOf(task: Task): readonly string[] {
  return task.kind === 'task' && task.status !== 'completed' ? task.openBlockers : [];
}

function named(ids: readonly string[]): string {
  const shown = ids.slice(0, MAX_NAMED).map((id) => `#${id}`);
  return ids.length > MAX_NAMED ? `${shown.join(', ')}, …` : shown.join(', ');
}

function tooltipOf({ task, others }: TaskNode, state: string, formats: Formats, t: Translate): string {
  const lines = [`**${escapeMarkdown(task.subject)}**`];
  if (task.kind === 'task' && task.description !== null && task.description !== task.subject) {
    lines.push(escapeMarkdown(task.description.slice(0, 500)));
  }
  lines.push(escapeMarkdown(task.kind === 'task' ? `#${task.id} · ${state}` : state));
  for (const id of blockersOf(task).slice(0, MAX_NAMED)) {
    lines.push(escapeMarkdown(t('Blocked by #{0}: {1}', id, others.get(id)?.subject ?? '')));
  }
  if (task.kind === 'task' && task.isInCycle) {
    lines.push(escapeMarkdown(t('These tasks wait for each other: none of them can begin.')));
  }
  if (task.kind === 'task' && task.blocks.length > 0) lines.push(escapeMarkdown(t('Blocks {0}', named(task.blocks))));
  const { changedAt } = task;
  if (changedAt === null) lines.push(escapeMarkdown(t('Only Claude’s task files tell of it.')));
  else {
    const time = changedAt.timeMs === null ? null : formats.dateTime(changedAt.timeMs);
    const line = formats.number(changedAt.line);
    lines.push(
      escapeMarkdown(time === null ? t('Changed at line {0}', line) : t('Changed at line {0}, {1}', line, time)),
    );
  }
  return lines.join('\n\n');
}

function join(parts: readonly (string | null)[], separator: string): string {
  return parts.filter((part) => part !== null).join(separator);
}

export interface ChangeAppearance {
  readonly label: string;
  /** Time of the change. */
  readonly description: string;
  readonly icon: SessionIcon;
  readonly accessibleLabel: string;
}

/** Shows a change of a task as one line of its history. */
export function changeAppearance(change: TaskChange, formats: Formats, t: Translate): ChangeAppearance {
  const label = textOf(change, t);
  const { timeMs, line } = change.at;
  const description = timeMs === null ? t('line {0}', formats.number(line)) : formats.dateTime(timeMs);
  return {
    label,
    description,
    icon: { id: iconOfChange(change), color: null },
    accessibleLabel: `${label}, ${description}`,
  };
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

function iconOfChange(change: TaskChange): string {
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
