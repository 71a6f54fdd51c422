import type { RewindCalls, RewindState } from '../../protocol/channels/history';
import type { ChosenFiles, RewindNotice } from '../../protocol/channels/rewindView';
import type { ComparedFile, RewindOutcome, RewindPlan } from '../../protocol/history';
import type { SessionRef } from '../../protocol/session';
import type { Listen } from '../lifetime';
import { unlessInterrupted } from '../rpc/workerError';
import type { Services } from '../services';
import { type ListDeps, listUndoFiles } from './listPlan';
import { failureNotice, interruptedNotice, rewindFailure } from './rewindFailure';
import { plannedChange, rewoundMessage, undoneRewindMessage } from './rewindText';

/** Editors with unsaved changes. */
export interface Editors {
  /** Those of the given files with unsaved changes, by the paths given. */
  unsaved(paths: readonly string[]): Promise<readonly string[]>;
  /** Saves as many as possible. */
  save(paths: readonly string[]): Promise<void>;
  /** Fires when a file has unsaved changes that had none, or the other way round. */
  readonly onChange: Listen<void>;
}

export interface ChangeDeps extends ListDeps, Pick<Services, 'log'> {
  readonly rewinds: Pick<RewindCalls, 'planRewind' | 'rewind' | 'rewindState' | 'undoRewind'>;
  readonly editors: Editors;
  /** Called after files were changed, or may have been. */
  readonly onChanged: () => void;
}

/** What the person agrees to. */
export interface AgreedRewind {
  readonly plan: RewindPlan;
  readonly roots: readonly string[];
  /** Of the files of the plan that change; none of them twice. */
  readonly paths: readonly string[];
}

/** The list of files that the person saw before they agreed to an undo. */
export interface SeenUndo {
  readonly state: RewindState;
  readonly token: string;
}

/**
 * What the page shows after an action. `plan`, `undo`: what is asked now, before anything was changed. `again`: what is on the disk
 * after an action that failed.
 */
export type Next =
  | { readonly kind: 'plan'; readonly plan: RewindPlan; readonly notices: readonly RewindNotice[] }
  | { readonly kind: 'undo'; readonly state: RewindState; readonly notices: readonly RewindNotice[] }
  | {
      readonly kind: 'done';
      readonly message: string;
      readonly canUndo: boolean;
      readonly safetyPath: string | null;
      readonly notices: readonly RewindNotice[];
    }
  | { readonly kind: 'again'; readonly safetyPath?: string | null; readonly notices: readonly RewindNotice[] };

/** Rewinds the files of a session and undoes that, once what the person has seen is still so. Rejects with the worker's errors. */
export class RewindChanges {
  readonly #session: SessionRef;
  readonly #deps: ChangeDeps;

  constructor(session: SessionRef, deps: ChangeDeps) {
    this.#session = session;
    this.#deps = deps;
  }

  async rewind({ plan, roots, paths }: AgreedRewind): Promise<Next> {
    const { rewinds, t } = this.#deps;
    const saved = await this.#save(paths);
    const request = { session: this.#session, promptUuid: plan.promptUuid, roots };
    if (saved === 'failed') return this.#notSaved();
    if (saved === 'saved') {
      const now = await rewinds.planRewind(request);
      // The person has not seen what the rewind does to what was saved just now.
      if (now.token !== plan.token) {
        const message = t('The files were saved, which changes what the rewind does. Look at them again.');
        return { kind: 'plan', plan, notices: [{ kind: 'warning', message, buttons: [] }] };
      }
    }
    const chosen = new Set(paths);
    const outcome = await unlessInterrupted(
      rewinds.rewind({
        ...request,
        paths,
        mayLeaveRoots: plan.files.some(({ path, isOutside }) => isOutside && chosen.has(path)),
        // Every file is named, so that those in the way have been left out.
        skipObstacles: false,
        mayBeLive: plan.isLive,
        token: plan.token,
      }),
    );
    return this.#rewound(plan, outcome);
  }

  /**
   * @param seen  null if the person has not seen the files
   * @param chosen  null for all files, if nothing speaks against one of them
   */
  async undo(roots: readonly string[], seen: SeenUndo | null, chosen: ChosenFiles | null): Promise<Next> {
    const { editors, rewinds, t } = this.#deps;
    const state = await rewinds.rewindState(this.#session, roots);
    const { paths, obstacles, isLive } = state;
    if (state.undoableMs === null) return { kind: 'undo', state, notices: [] };
    const isSeen = seen !== null && seen.token === chosen?.token && isSameState(seen.state, state);
    if (chosen !== null && !isSeen) return { kind: 'undo', state, notices: [changedNotice(t)] };
    // The person has not agreed to these yet, so ask even right after the rewind.
    const mustAsk = isLive || obstacles.length > 0 || (await editors.unsaved(paths)).length > 0;
    if (chosen === null && mustAsk) return { kind: 'undo', state, notices: [] };
    const wanted = new Set(chosen?.paths ?? paths);
    const allowed = listUndoFiles(state, this.#deps).filter(({ path, group }) => wanted.has(path) && group !== 'left');
    if (allowed.length !== wanted.size) throw new Error('Refused: a file is not in the rewind, or cannot be changed');
    if (allowed.length === 0) return { kind: 'undo', state, notices: [] };
    // A file edited since the rewind keeps its saved content: the undo skips files that have changed.
    if ((await this.#save([...wanted])) === 'failed') return this.#notSaved();
    const isAll = obstacles.length === 0 && allowed.length === paths.length;
    const outcome = await unlessInterrupted(
      rewinds.undoRewind(this.#session, {
        roots,
        paths: isAll ? null : allowed.map(({ path }) => path),
        mayLeaveRoots: obstacles.some(({ path, isOutside }) => isOutside && wanted.has(path)),
        skipObstacles: false,
        mayBeLive: isLive,
      }),
    );
    return this.#undone(outcome);
  }

  #rewound(plan: RewindPlan, outcome: RewindOutcome | null): Next {
    const { onChanged, formats, log, t } = this.#deps;
    const { path } = this.#session;
    if (outcome === null) {
      onChanged();
      log.warn(`${path}: the rewind of files was interrupted`);
      return { kind: 'again', notices: [interruptedNotice('rewind', t)] };
    }
    const { reason, result, safetyPath } = outcome;
    const notices = this.#warnings(outcome);
    if (reason === null) {
      onChanged();
      log.info(`Rewound files of ${path}; safety copy: ${safetyPath ?? 'none'}`);
      return { kind: 'done', message: rewoundMessage(result, plan, formats, t), canUndo: true, safetyPath, notices };
    }
    log.warn(`No files of ${path} were changed: ${reason}: ${result.error ?? ''}`);
    // In all of these cases, files were restored.
    if (reason === 'half-done' || reason === 'put-back-first' || outcome.warning !== null) onChanged();
    return { kind: 'again', safetyPath, notices: [failureNotice(outcome, t), ...notices] };
  }

  #undone(outcome: RewindOutcome | null): Next {
    const { onChanged, formats, log, t } = this.#deps;
    const { path } = this.#session;
    onChanged();
    if (outcome === null) {
      log.warn(`${path}: the undo of files was interrupted`);
      return { kind: 'again', notices: [interruptedNotice('undo', t)] };
    }
    const { reason, result, safetyPath } = outcome;
    const notices = this.#warnings(outcome);
    if (reason !== null) {
      log.warn(`No files of ${path} were changed: ${reason}: ${result.error ?? ''}`);
      return { kind: 'again', safetyPath, notices: [failureNotice(outcome, t), ...notices] };
    }
    log.info(`Undid the rewind of files of ${path}`);
    return { kind: 'done', message: undoneRewindMessage(result, formats, t), canUndo: false, safetyPath, notices };
  }

  /** The engine's sentence about files for which the action did not succeed. */
  #warnings({ warning }: RewindOutcome): readonly RewindNotice[] {
    if (warning === null) return [];
    this.#deps.log.warn(`${this.#session.path}: ${warning}`);
    return [{ kind: 'warning', message: warning, buttons: [] }];
  }

  async #save(paths: readonly string[]): Promise<'clean' | 'saved' | 'failed'> {
    const { editors } = this.#deps;
    const unsaved = await editors.unsaved(paths);
    if (unsaved.length === 0) return 'clean';
    await editors.save(unsaved);
    return (await editors.unsaved(unsaved)).length === 0 ? 'saved' : 'failed';
  }

  #notSaved(): Next {
    const message = this.#deps.t('Not every file could be saved, so that none was changed.');
    return { kind: 'again', notices: [{ kind: 'error', message, buttons: [] }] };
  }
}

/** The files that the page shows, as the engine gave them. */
export type Shown =
  | { readonly kind: 'none' }
  | { readonly kind: 'plan'; readonly plan: RewindPlan; readonly roots: readonly string[] }
  | ({ readonly kind: 'undo' } & SeenUndo);

/** Throws if the path is not that of a file in the plan. */
export function plannedFile(shown: Shown, path: string): ComparedFile {
  const file = shown.kind === 'plan' ? shown.plan.files.find((each) => each.path === path) : undefined;
  if (file === undefined) throw new Error('Refused: the file is not in the plan');
  const { exists, contentPath } = file;
  return { path, exists, contentPath };
}

/** The chosen files, once each, in the order of the plan. Throws if one of them is not in it or cannot be changed. */
export function plannedPaths({ files }: RewindPlan, chosen: readonly string[]): readonly string[] {
  const wanted = new Set(chosen);
  const planned = files.filter((file) => wanted.has(file.path) && plannedChange(file) !== null);
  if (planned.length !== wanted.size) throw new Error('Refused: a file is not in the plan, or cannot be changed');
  return planned.map(({ path }) => path);
}

export function changedNotice(t: Services['t']): RewindNotice {
  return { kind: 'warning', message: rewindFailure('changed-since-preview', t), buttons: [] };
}

function isSameState(one: RewindState, other: RewindState): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
