import type { Task, TaskNote } from '../../shared/task';
import type { FiledTasks } from './taskFiles';

/** Lines, paths and ids that a note names. */
const MAX_NAMED = 20;

export interface NoteFacts {
  readonly filed: Pick<FiledTasks, 'malformed' | 'duplicates'>;
  readonly otherBranches: number;
  readonly malformedLines: readonly number[];
}

/** What a person should know about a list. */
export function listNotes(
  tasks: readonly Task[],
  { filed: { malformed, duplicates }, otherBranches, malformedLines }: NoteFacts,
): readonly TaskNote[] {
  const ids = tasks.flatMap((task) => (task.kind === 'task' && task.isInCycle ? [task.id] : []));
  const notes: readonly TaskNote[] = [
    { kind: 'otherBranches', count: otherBranches },
    { kind: 'malformedCalls', count: malformedLines.length, lines: malformedLines.slice(0, MAX_NAMED) },
    { kind: 'malformedFiles', count: malformed.length, paths: malformed.slice(0, MAX_NAMED) },
    { kind: 'duplicateIds', count: duplicates.length, paths: duplicates.slice(0, MAX_NAMED) },
    { kind: 'cycles', count: ids.length, ids: ids.slice(0, MAX_NAMED) },
  ];
  return notes.filter(({ count }) => count > 0);
}
