import { Emitter } from '../../../src/extension/lifetime';
import { RewindPage } from '../../../src/extension/history/rewindPage';
import type { PlacedSession } from '../../../src/extension/sessions/sessionsState';
import type { ListedFile, RewindStage, RewindView } from '../../../src/protocol/channels/rewindView';
import { FakeDialogs } from './dialogFakes';
import { formats, RecordedLog, t } from './fakes';
import { FakeRewinds, FILE_PATH, plannedFile } from './rewindFakes';

const SESSION: PlacedSession = {
  provider: 'claude',
  path: FILE_PATH,
  id: '44444444-4444-4444-8444-444444444444',
  title: 'Draw charts',
  cwd: '/src/app',
};
export const CHART = '/src/app/chart.ts';
export const OUTSIDE = plannedFile({
  path: '/etc/chart.conf',
  action: 'skipped',
  isOutside: true,
  why: 'It is outside.',
});
export const HOOK = plannedFile({
  path: '/src/app/.git/hooks/x',
  action: 'skipped',
  isSensitive: true,
  why: 'Git runs programs.',
});
export const LINK = plannedFile({
  path: '/src/app/link.ts',
  action: 'skipped',
  contentPath: null,
  why: 'It is a link.',
});

export interface SceneOptions {
  /** Files with unsaved changes. */
  readonly dirty?: readonly string[];
  /** Folders that are open in the window. */
  readonly folders?: readonly string[];
  /** What the person chooses in the dialog for folders. */
  readonly picks?: string | null;
  readonly cwd?: string | null;
}

/** The page of a session in a window where nothing was done yet. */
export function setUp({ dirty = [], folders = ['/src/app'], picks = null, cwd = '/src/app' }: SceneOptions = {}) {
  const rewinds = new FakeRewinds();
  const log = new RecordedLog();
  const dialogs = new FakeDialogs();
  const happened: string[] = [];
  const unsaved = new Set(dirty);
  const editorsChanged = new Emitter<void>();
  const canSave = { value: true };
  const named = new Map<string, readonly string[]>();
  const page = new RewindPage(
    { ...SESSION, cwd },
    {
      rewinds,
      dialogs,
      log,
      named,
      formats,
      t,
      now: () => 0,
      describe: (error) => `Failed: ${error instanceof Error ? error.message : String(error)}`,
      displayPath: (path) => path.replace('/src/app/', ''),
      showLog: () => happened.push('showed the log'),
      editors: {
        unsaved: (paths) => Promise.resolve(paths.filter((path) => unsaved.has(path))),
        save: (paths) => {
          happened.push(`saved ${paths.join()}`);
          if (canSave.value) for (const path of paths) unsaved.delete(path);
          return Promise.resolve();
        },
        onChange: editorsChanged.event,
      },
      window: {
        folders: () => folders,
        pickFolder: (start) => {
          happened.push(`asked for a folder from ${String(start)}`);
          return Promise.resolve(picks);
        },
        showMessage: (filePath, line) => happened.push(`showed line ${line} of ${filePath}`),
        openFile: (path) => Promise.resolve(void happened.push(`opened ${path}`)),
        openDiff: ({ path }, title) => Promise.resolve(void happened.push(`compared ${path}: ${title}`)),
        showFolder: (path) => Promise.resolve(void happened.push(`showed ${path}`)),
      },
      texts: () => ({ Undo: 'Undo' }),
      locale: 'en',
      onChanged: () => happened.push('changed'),
    },
  );
  return { page, rewinds, dialogs, happened, unsaved, editorsChanged, canSave, log, named };
}

export function stageOf<K extends RewindStage['kind']>(
  { view }: RewindPage,
  kind: K,
): Extract<RewindStage, { readonly kind: K }> {
  const { stage } = view;
  if (stage.kind !== kind) throw new Error(`The page is at ${JSON.stringify(stage)}`);
  // SAFETY: checked above.
  return stage as Extract<RewindStage, { readonly kind: K }>;
}

/** The files of a plan or of an undo, each with its group. */
export function groupsOf(files: readonly ListedFile[]): readonly (readonly [path: string, group: string])[] {
  return files.map(({ path, group }) => [path, group]);
}

export function noticesOf({ notices }: RewindView): readonly string[] {
  return notices.map(({ kind, message }) => `${kind}: ${message}`);
}
