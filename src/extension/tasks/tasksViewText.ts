import type { TaskList, TaskNote } from '../../protocol/task';
import type { Translate } from '../text/translate';
import type { Formats } from '../text/formats';
import { sessionLabel } from '../text/sessionTitle';
import type { TasksState } from './tasksModel';

export interface TasksViewText {
  /** Shown beside the view's title. */
  readonly description: string;
  /** Shown above the tree; hides the welcome text if the tree is empty. */
  readonly message: string;
}

/** Selects the welcome text of an empty tree; `filled` if the tree is not empty. */
export type TasksViewState = 'noSession' | 'loading' | 'noTasks' | 'cleared' | 'failed' | 'filled';

export function tasksViewState(state: TasksState): TasksViewState {
  if (state.kind !== 'list') return state.kind;
  const { problem, tasks, history } = state.list;
  if (problem !== null) return 'failed';
  if (tasks.length > 0) return 'filled';
  return history.length > 0 ? 'cleared' : 'noTasks';
}

/** The texts that the view shows around its tree. */
export function tasksViewText(state: TasksState, formats: Formats, t: Translate): TasksViewText {
  switch (state.kind) {
    case 'noSession':
    case 'loading':
      return { description: '', message: '' };
    case 'failed':
      return { description: '', message: state.problem };
    case 'list':
      return { description: descriptionOf(state.list, formats, t), message: messageOf(state.list, formats, t) };
  }
}

function descriptionOf(list: TaskList, formats: Formats, t: Translate): string {
  const { completed, total } = list.progress;
  const label = sessionLabel({ title: list.title, id: list.sessionId }, t);
  return total === 0 ? label : `${t('{0} of {1} done', formats.number(completed), formats.number(total))} · ${label}`;
}

function messageOf(list: TaskList, formats: Formats, t: Translate): string {
  // The view is narrow and shows the session beside its title, so the path is shortened to the file name.
  if (list.problem !== null) return list.problem.replaceAll(list.filePath, list.filePath.replace(/^.*[\\/]/, ''));
  if (list.tasks.length === 0) return '';
  const lines: string[] = [];
  if (list.source === 'agents') lines.push(t('This session has no tasks; this is the work of its subagents.'));
  if (list.origin === 'files') lines.push(t('As Claude’s task files have it: they are newer than the conversation.'));
  lines.push(...list.notes.map((note) => noteText(note, formats, t)));
  return lines.join(' ');
}

function noteText(note: TaskNote, formats: Formats, t: Translate): string {
  const count = formats.number(note.count);
  switch (note.kind) {
    case 'otherBranches':
      return note.count === 1
        ? t('1 change on another branch is not counted.')
        : t('{0} changes on other branches are not counted.', count);
    case 'malformedCalls':
      return t('What Claude wrote at line {0} could not be read as a whole.', formats.lines(note.lines));
    case 'malformedFiles':
      return note.count === 1 ? t('1 task file could not be read.') : t('{0} task files could not be read.', count);
    case 'duplicateIds':
      return t('Several task files have the same id: {0} not counted.', count);
    case 'notKept':
      return t('Claude keeps no files of these tasks: when the session is resumed, its own list is empty.');
    case 'cycles':
      return t('Tasks wait for each other and cannot begin: {0}.', note.ids.map((id) => `#${id}`).join(', '));
  }
}
