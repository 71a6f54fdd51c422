import { basename, join } from 'node:path';
import { NO_LIMITS, SessionTasks } from '../../../rooms/conversation';
import { createPacer } from '../../../rooms/util';
import { FIXTURES, listRecordings } from '../../../support/fixtures';
import { brief } from './taskRows';
import { plainScanner } from '../../../support/plainScanner';

const PLANNED = ['tasks', '1 Write the parser: completed', '2 Test the parser: in_progress', '3 Release it: pending'];
const TODO = ['todos', '1 first: in_progress', '2 second: pending'];
const TWO_TASKS = ['tasks', '1 First task: in_progress', '2 Second task: pending'];

/** The expected list of each recorded session: its source, and a line per task. Sessions not named here have none. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'legacy-1.0.128/77777771': TODO,
  'legacy-2.0.60/77777772': TODO,
  // Its own rows have no list: the client copied the file when it forked the session.
  'legacy-2.0.60/3d01172f': TODO,
  'legacy-2.1.50-progress/77777773': TODO,
  'legacy-2.1.50-progress/88888888': ['agents', 'toolu_00000000mwqvstr1006v Look: completed'],
  // TodoWrite was refused.
  'legacy-2.1.200/77777774': ['agents', 'toolu_00000000mwqvqsh80069 Look: completed'],
  'tui-edits-rewind-tasks-subagents-compaction-branch/33333333': TWO_TASKS,
  'tui-edits-rewind-tasks-subagents-compaction-branch/9fc6139e': TWO_TASKS,
  'tasks-and-todos/a1a1a1a1': PLANNED,
  'tasks-and-todos/b2b2b2b2': ['todos', '1 Plan: completed', '2 Build: in_progress', '3 Ship: pending'],
  'tasks-and-todos/c3c3c3c3': PLANNED,
};

export interface RecordedTasks {
  readonly name: string;
  readonly read: () => Promise<readonly string[]>;
  readonly expected: readonly string[];
}

export function fixtureRecordings(): readonly RecordedTasks[] {
  return listRecordings().map((path) => {
    const name = `${basename(join(path, '../../../..'))}/${basename(path).slice(0, 8)}`;
    return { name, read: () => read(join(FIXTURES, path)), expected: EXPECTED[name] ?? ['none'] };
  });
}

async function read(filePath: string): Promise<readonly string[]> {
  const tasks = new SessionTasks({
    filePath,
    createScanner: plainScanner,
    pacer: createPacer(10),
    isLive: () => false,
  });
  try {
    await tasks.refresh();
    const list = tasks.list(NO_LIMITS);
    return [list.source, ...brief(list)];
  } finally {
    tasks.close();
  }
}
