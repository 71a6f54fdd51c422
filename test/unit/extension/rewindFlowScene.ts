import { RewindEnd } from '../../../src/extension/history/rewindEnd';
import { RewindFlow } from '../../../src/extension/history/rewindFlow';
import { UnsavedFiles } from '../../../src/extension/history/unsavedFiles';
import type { PlacedSession } from '../../../src/extension/sessions/sessionsState';
import type { RewindPlan } from '../../../src/protocol/history';
import { type Answers, FakeDialogs } from './dialogFakes';
import { formats, RecordedLog, t } from './fakes';
import { FakeRewinds, FILE_PATH, plannedFile } from './rewindFakes';

export const SESSION: PlacedSession = {
  provider: 'claude',
  path: FILE_PATH,
  id: '44444444-4444-4444-8444-444444444444',
  title: 'Draw charts',
  cwd: '/src/app',
};
export const OUTSIDE = plannedFile({
  path: '/etc/chart.conf',
  action: 'skipped',
  isOutside: true,
  why: 'It is outside.',
});
export const LINK = plannedFile({
  path: '/src/app/link.ts',
  action: 'skipped',
  contentPath: null,
  why: 'It is a link.',
});
/** Confirms everything. */
export const YES: Answers = { check: [{}], ask: ['Rewind'] };

/** The flow with a person who answers as configured. `roots`: the folders that they name; null if they cancel. */
export function setUp(answers: Answers, dirty: readonly string[] = [], roots: readonly string[] | null = ['/src/app']) {
  const dialogs = new FakeDialogs(answers);
  const rewinds = new FakeRewinds();
  const log = new RecordedLog();
  const happened: string[] = [];
  const unsaved = new Set(dirty);
  const shown: RewindPlan[] = [];
  const canSave = { value: true };
  const editors = {
    unsaved: (paths: readonly string[]) => Promise.resolve(paths.filter((path) => unsaved.has(path))),
    save: (paths: readonly string[]) => {
      happened.push(`saved ${paths.join()}`);
      if (canSave.value) for (const path of paths) unsaved.delete(path);
      return Promise.resolve();
    },
  };
  const common = { dialogs, now: () => 0, formats, log, t, displayPath: (path: string) => path };
  const flow = new RewindFlow({
    ...common,
    rewinds,
    previews: {
      show: (each) => {
        shown.push(each);
        return Promise.resolve();
      },
      close: () => {
        happened.push('closed the preview');
        return Promise.resolve();
      },
    },
    unsaved: new UnsavedFiles({ ...common, editors }),
    end: new RewindEnd({
      ...common,
      undo: () => {
        happened.push('undo');
        return Promise.resolve();
      },
      showFolder: (path) => {
        happened.push(`showed ${path}`);
        return Promise.resolve();
      },
      showLog: () => happened.push('showed the log'),
    }),
    roots: () => Promise.resolve(roots),
    enableCheckpoints: () => {
      happened.push('enable checkpoints');
      return Promise.resolve();
    },
    onRewound: () => happened.push('rewound'),
  });
  return { flow, dialogs, rewinds, happened, shown, unsaved, canSave, log };
}
