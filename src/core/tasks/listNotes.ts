import type { Task, TaskNote } from '../../shared/task';
import type { FiledTasks } from './taskFiles';

/** Lines, paths and ids that a note names. */
const MAX_NAMED = 20;

export interface NoteFacts {
  readonly filed: FiledTasks;
  /** The transcript lies where the client would keep files. */
  readonly hasPlace: boolean;
  readonly otherBranches: number;
  readonly malformedLines: readonly number[];
}

/** What a person should know about a list. */
export function listNotes(
  tasks: readonly Task[],
  { filed: { tasks: files, malformed, duplicates }, hasPlace, otherBranches, malformedLines }: NoteFacts,
): readonly TaskNote[] {
  const ids = tasks.flatMap((task) => (task.kind === 'task' && task.isInCycle ? [task.id] : []));
  // A fork begins with an empty list, although its rows tell of one. (docs/tasks.md)
  const lost = hasPlace && files === null ? tasks.filter(({ kind }) => kind === 'task').length : 0;
  const notes: readonly TaskNote[] = [
    { kind: 'otherBranches', count: otherBranches },
    { kind: 'malformedCalls', count: malformedLines.length, lines: malformedLines.slice(0, MAX_NAMED) },
    { kind: 'malformedFiles', count: malformed.length, paths: malformed.slice(0, MAX_NAMED) },
    { kind: 'duplicateIds', count: duplicates.length, paths: duplicates.slice(0, MAX_NAMED) },
    { kind: 'notKept', count: lost },
    { kind: 'cycles', count: ids.length, ids: ids.slice(0, MAX_NAMED) },
  ];
  return notes.filter(({ count }) => count > 0);
}
