import type {
  ChosenFiles,
  RewindNavigation,
  RewindNotice,
  RewindPageAction,
  RewindStart,
  RewindView,
  RewindViewCalls,
} from '../../protocol/channels/rewindView';
import type { RewindCalls, RewindState } from '../../protocol/channels/history';
import type { Checkpoint, FileComparison } from '../../protocol/history';
import { Disposable, type DisposableLike, Emitter } from '../lifetime';
import type { Services } from '../services';
import type { PlacedSession } from '../sessions/sessionsState';
import { sessionLabel } from '../text/sessionTitle';
import { changeable, type ListDeps, listFiles, listUndoFiles, planStage } from './listPlan';
import { latestPrompt, listPrompts } from './listPrompts';
import { openFromPage, type RewindWindow } from './openFromPage';
import {
  changedNotice,
  type ChangeDeps,
  type Next,
  plannedFile,
  plannedPaths,
  RewindChanges,
  type Shown,
} from './rewindChanges';
import { rewindFailure } from './rewindFailure';
import { RewindRoots } from './rewindRoots';

export interface RewindPageDeps
  extends ListDeps, ChangeDeps, Pick<Services, 'dialogs' | 'describe' | 'now' | 'showLog'> {
  readonly rewinds: ChangeDeps['rewinds'] & Pick<RewindCalls, 'checkpoints' | 'compareFile'>;
  readonly window: RewindWindow;
  /** The folders that the person named in this window, by the path of the transcript. */
  readonly named: Map<string, readonly string[]>;
  readonly texts: () => RewindStart['texts'];
  readonly locale: string;
}

/**
 * What the page of a session shows, and what its person does there: chooses a prompt, looks at what would change, and
 * rewinds files or undoes that. Nothing is changed but by `rewind` and `undo`, and no question is asked elsewhere.
 */
export class RewindPage extends Disposable implements RewindViewCalls {
  readonly #deps: RewindPageDeps;
  readonly #changed = this._register(new Emitter<RewindView>());
  readonly #changes: RewindChanges;
  readonly #roots: RewindRoots;
  #view: RewindView;
  #navigation: RewindNavigation | null = null;
  /** What the stage shows, as the engine gave it. */
  #shown: Shown = { kind: 'none' };
  /** Number of the newest request for something to show; an older one is outdated. */
  #asked = 0;
  #listed = 0;
  #undoLists = 0;
  #safetyPath: string | null = null;

  readonly onChange = this.#changed.event;

  constructor(
    readonly session: PlacedSession,
    deps: RewindPageDeps,
  ) {
    super();
    this.#deps = deps;
    this.#changes = new RewindChanges(session, deps);
    this.#roots = new RewindRoots(session, deps.named, () => deps.window.folders());
    this.#view = {
      revision: 0,
      title: sessionLabel(session, deps.t),
      prompts: [],
      promptUuid: null,
      stage: { kind: 'looking' },
      busy: null,
      notices: [],
      unsaved: [],
    };
    this._register<DisposableLike>(deps.editors.onChange(() => void this.#findUnsaved()));
  }

  get view(): RewindView {
    return this.#view;
  }

  /** Shows what a rewind would do. @param promptUuid  null for the latest prompt with changes */
  async showRewind(promptUuid: string | null, checkpoints: readonly Checkpoint[] | null = null): Promise<void> {
    if (this.#view.busy !== null) return;
    const roots = this.#roots.ofRewind();
    if (roots === null) {
      this.#shown = { kind: 'none' };
      this.#asked++;
      this.#set({
        promptUuid,
        prompts: [],
        notices: [],
        stage: { kind: 'folder', suggestions: this.#roots.suggestions() },
      });
      return;
    }
    if (promptUuid !== null) {
      if (checkpoints !== null) this.#list(checkpoints);
      await this.#plan(promptUuid);
      if (checkpoints === null) await this.#listPrompts();
      return;
    }
    const asked = ++this.#asked;
    this.#shown = { kind: 'none' };
    this.#set({ stage: { kind: 'looking' }, notices: [], unsaved: [] });
    if (checkpoints !== null) this.#list(checkpoints);
    const listed = checkpoints ?? (await this.#listPrompts());
    // The person may have chosen a prompt meanwhile.
    if (listed === null || asked !== this.#asked) return;
    const latest = latestPrompt(listed);
    if (latest !== null) await this.#plan(latest);
    else
      this.#sayNothing(
        this.#deps.t('This session has no checkpoints: nothing tells what its files were before a prompt.'),
      );
  }

  /** Asks whether the newest rewind is undone. @param state  null to look for it */
  async showUndo(state: RewindState | null = null): Promise<void> {
    if (this.#view.busy !== null) return;
    const asked = ++this.#asked;
    await this.#orSay(asked, async () => {
      const found = state ?? (await this.#undoState());
      if (asked === this.#asked && !this.isDisposed) await this.#showUndoOf(found, []);
    });
    await this.#listPrompts();
  }

  /** Looks at the files once more. After the undoing of a rewind, they are those of the latest prompt. */
  lookAgain(): void {
    const { stage, promptUuid } = this.#view;
    if (stage.kind === 'undo') void this.showUndo();
    else void this.showRewind(promptUuid);
  }

  /** Like `lookAgain`, but keeps what was said of the last action. */
  refresh(): void {
    const { stage, promptUuid, notices, busy } = this.#view;
    if (busy !== null) return;
    if (stage.kind === 'plan' && promptUuid !== null) void this.#plan(promptUuid, notices);
    else if (stage.kind === 'undo' || stage.kind === 'folder') this.lookAgain();
  }

  ready(): Promise<RewindStart> {
    const { texts, locale } = this.#deps;
    const { path: filePath, cwd } = this.session;
    return Promise.resolve({
      view: this.#view,
      navigation: this.#navigation,
      texts: texts(),
      locale,
      kept: { filePath, cwd, title: this.#view.title },
    });
  }

  navigated(navigation: RewindNavigation): void {
    this.#navigation = navigation;
  }

  choosePrompt(promptUuid: string): void {
    void this.showRewind(promptUuid);
  }

  allowFolder(folder: string): void {
    // The page shows the whole path on the button: who presses it names the folder.
    if (!this.#roots.suggestions().some(({ path }) => path === folder))
      throw new Error('Refused: the folder is not suggested');
    this.#allow(folder);
  }

  async chooseFolder(): Promise<void> {
    const picked = await this.#deps.window.pickFolder(this.session.cwd);
    if (picked !== null && !this.isDisposed) this.#allow(picked);
  }

  async compare(path: string): Promise<FileComparison> {
    return this.#deps.rewinds.compareFile(plannedFile(this.#shown, path));
  }

  act(action: RewindPageAction): void {
    openFromPage(action, { session: this.session, shown: this.#shown, safetyPath: this.#safetyPath }, this.#deps);
  }

  async rewind(chosen: ChosenFiles): Promise<void> {
    if (this.#view.busy !== null || this.#shown.kind !== 'plan') return;
    const { plan, roots } = this.#shown;
    if (plan.token !== chosen.token) {
      await this.#plan(plan.promptUuid, [changedNotice(this.#deps.t)]);
      return;
    }
    const paths = plannedPaths(plan, chosen.paths);
    if (paths.length > 0) await this.#while('rewinding', () => this.#changes.rewind({ plan, roots, paths }));
  }

  async undo(chosen: ChosenFiles | null): Promise<void> {
    if (this.#view.busy !== null) return;
    const seen = this.#shown.kind === 'undo' ? this.#shown : null;
    await this.#while('undoing', () => this.#changes.undo(this.#roots.ofUndo(), seen, chosen));
  }

  /** Does what changes files, and shows what comes of it. The person gets to know of it, also if the page is closed. */
  async #while(busy: 'rewinding' | 'undoing', work: () => Promise<Next>): Promise<void> {
    this.#asked++;
    this.#set({ busy, notices: [] });
    let next: Next;
    try {
      next = await work();
    } catch (error) {
      this.#deps.log.error(`Rewind ${this.session.path}: ${busy}: ${String(error)}`);
      const message = this.#deps.describe(error);
      next = { kind: 'again', notices: [{ kind: 'error', message, buttons: ['showLog'] }] };
    }
    this.#set({ busy: null });
    await this.#go(next);
  }

  async #go(next: Next): Promise<void> {
    switch (next.kind) {
      case 'plan':
        await this.#plan(next.plan.promptUuid, next.notices);
        return;
      case 'undo':
        await this.#showUndoOf(next.state, next.notices);
        return;
      case 'done':
        this.#safetyPath = next.safetyPath;
        await this.#done(next);
        return;
      case 'again':
        if (next.safetyPath !== undefined) this.#safetyPath = next.safetyPath;
        await this.#again(next.notices);
    }
  }

  async #done({ message, canUndo, notices }: Extract<Next, { kind: 'done' }>): Promise<void> {
    if (this.isDisposed) {
      this.#sayElsewhere(notices);
      this.#deps.dialogs.note(message);
      return;
    }
    this.#shown = { kind: 'none' };
    this.#set({ stage: { kind: 'done', message, canUndo }, notices, unsaved: [] });
    await this.#listPrompts();
  }

  /** Shows what is on the disk after an action that failed. */
  async #again(notices: readonly RewindNotice[]): Promise<void> {
    if (this.isDisposed) {
      this.#sayElsewhere(notices);
      return;
    }
    const { promptUuid, stage } = this.#view;
    if (stage.kind === 'plan' && promptUuid !== null) await this.#plan(promptUuid, notices);
    else if (stage.kind !== 'undo') this.#set({ notices });
    else {
      const asked = ++this.#asked;
      await this.#orSay(asked, async () => this.#showUndoOf(await this.#undoState(), notices));
    }
  }

  #sayElsewhere(notices: readonly RewindNotice[]): void {
    for (const { kind, message } of notices) void this.#deps.dialogs.notify(kind, message);
  }

  /** Shows the plan for a prompt, or why there is none. What is shown of the same prompt stays until it is known. */
  async #plan(promptUuid: string, notices: readonly RewindNotice[] = []): Promise<void> {
    const { rewinds } = this.#deps;
    const roots = this.#roots.ofRewind() ?? [];
    const asked = ++this.#asked;
    const isSame = this.#view.promptUuid === promptUuid && this.#shown.kind === 'plan';
    if (!isSame) {
      this.#shown = { kind: 'none' };
      this.#set({ promptUuid, stage: { kind: 'looking' }, unsaved: [] });
    }
    this.#set({ notices });
    await this.#orSay(asked, async () => {
      const plan = await rewinds.planRewind({ session: this.session, promptUuid, roots });
      const files = listFiles(plan, this.#deps);
      const unsaved = await this.#deps.editors.unsaved(changeable(files));
      if (asked !== this.#asked || this.isDisposed) return;
      this.#shown = plan.problem === null ? { kind: 'plan', plan, roots } : { kind: 'none' };
      this.#set({ stage: planStage(plan, files, this.#deps), unsaved });
    });
  }

  async #showUndoOf(state: RewindState, notices: readonly RewindNotice[]): Promise<void> {
    const { editors, formats, now, t } = this.#deps;
    if (this.isDisposed) {
      this.#sayElsewhere(notices);
      return;
    }
    const { undoableMs, isLive } = state;
    if (undoableMs === null) {
      this.#sayNothing(rewindFailure('nothing-to-undo', t));
      return;
    }
    const files = listUndoFiles(state, this.#deps);
    const unsaved = await editors.unsaved(changeable(files));
    const token = `undo ${++this.#undoLists}`;
    this.#shown = { kind: 'undo', state, token };
    const undo = { token, rewoundAgo: formats.timeAgo(undoableMs, now()), files, isLive };
    this.#set({ stage: { kind: 'undo', undo }, promptUuid: null, notices, unsaved });
  }

  #sayNothing(message: string): void {
    this.#shown = { kind: 'none' };
    this.#set({ stage: { kind: 'nothing', message, notRestored: [] }, unsaved: [] });
  }

  /** Shows why something could not be found out, if it was the newest request. */
  async #orSay(asked: number, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.isDisposed) return;
      this.#deps.log.error(`Rewind ${this.session.path}: ${String(error)}`);
      if (asked === this.#asked) this.#sayNothing(this.#deps.describe(error));
    }
  }

  #list(checkpoints: readonly Checkpoint[]): void {
    this.#set({ prompts: listPrompts(checkpoints, this.#deps) });
  }

  /** Null if they could not be listed, or are outdated by now. */
  async #listPrompts(): Promise<readonly Checkpoint[] | null> {
    const listed = ++this.#listed;
    try {
      const checkpoints = await this.#deps.rewinds.checkpoints(this.session, this.#roots.ofRewind() ?? []);
      if (this.isDisposed || listed !== this.#listed) return null;
      this.#list(checkpoints);
      return checkpoints;
    } catch (error) {
      if (this.isDisposed) return null;
      this.#deps.log.error(`Rewind ${this.session.path}: ${String(error)}`);
      if (this.#view.stage.kind === 'looking') this.#sayNothing(this.#deps.describe(error));
      return null;
    }
  }

  async #findUnsaved(): Promise<void> {
    const { stage } = this.#view;
    const files = stage.kind === 'plan' ? stage.plan.files : stage.kind === 'undo' ? stage.undo.files : [];
    if (files.length === 0) return;
    const unsaved = await this.#deps.editors.unsaved(changeable(files));
    if (!this.isDisposed && this.#view.stage === stage) this.#set({ unsaved });
  }

  #undoState(): Promise<RewindState> {
    return this.#deps.rewinds.rewindState(this.session, this.#roots.ofUndo());
  }

  #allow(folder: string): void {
    this.#roots.name(folder);
    void this.showRewind(this.#view.promptUuid);
  }

  #set(change: Partial<Omit<RewindView, 'revision'>>): void {
    if (this.isDisposed) return;
    this.#view = { ...this.#view, ...change, revision: this.#view.revision + 1 };
    this.#changed.fire(this.#view);
  }
}
