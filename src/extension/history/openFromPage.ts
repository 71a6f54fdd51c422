import type { RewindPageAction } from '../../protocol/channels/rewindView';
import type { ComparedFile } from '../../protocol/history';
import type { SessionRef } from '../../protocol/session';
import type { Services } from '../services';
import { plannedFile, type Shown } from './rewindChanges';
import { promptName } from './rewindText';

/** What the page asks of the window. */
export interface RewindWindow {
  /** Absolute paths of the folders that are open. */
  folders(): readonly string[];
  /** Lets the person choose a folder on the disk; null if they cancel. `start`: where to begin; null for anywhere. */
  pickFolder(start: string | null): Promise<string | null>;
  showMessage(filePath: string, line: number): void;
  openFile(path: string): Promise<void>;
  /** Shows a file beside its state after the rewind in an editor. */
  openDiff(file: ComparedFile, title: string): Promise<void>;
  showFolder(path: string): Promise<void>;
}

/** The page from which something is opened. */
interface PageContext {
  readonly session: Pick<SessionRef, 'path'>;
  /** What the stage shows, as the engine gave it. */
  readonly shown: Shown;
  /** Absolute path of the folder with the safety copy of the last action; null if there is none. */
  readonly safetyPath: string | null;
}

/** Opens in the window what a person asks for on the page of a session. Throws for a path that the page was not told. */
export function openFromPage(
  action: RewindPageAction,
  { session, shown, safetyPath }: PageContext,
  { window, showLog, log, t }: Pick<Services, 'showLog' | 'log' | 't'> & { readonly window: RewindWindow },
): void {
  const failed = (error: unknown): void => {
    log.warn(`Rewind ${session.path}: ${action.kind}: ${String(error)}`);
  };
  switch (action.kind) {
    case 'showMessage':
      window.showMessage(session.path, action.line);
      return;
    case 'openFile':
      window.openFile(knownPath(shown, action.path)).catch(failed);
      return;
    case 'openDiff': {
      const { plan } = shown.kind === 'plan' ? shown : { plan: null };
      const title = plan === null ? '' : t('{0}: rewind to before “{1}”', baseName(action.path), promptName(plan, t));
      window.openDiff(plannedFile(shown, action.path), title).catch(failed);
      return;
    }
    case 'showSafetyCopy':
      if (safetyPath !== null) window.showFolder(safetyPath).catch(failed);
      return;
    case 'showLog':
      showLog();
  }
}

/** The path, which the page was told. Throws for another. */
function knownPath(shown: Shown, path: string): string {
  const isInPlan =
    shown.kind === 'plan' && [...shown.plan.files, ...shown.plan.coverage].some((each) => each.path === path);
  const isInUndo = shown.kind === 'undo' && shown.state.paths.includes(path);
  if (!isInPlan && !isInUndo)
    throw new Error(`Refused: the file is not in the ${shown.kind === 'undo' ? 'rewind' : 'plan'}`);
  return path;
}

function baseName(path: string): string {
  return path.replace(/^.*[\\/]/, '');
}
