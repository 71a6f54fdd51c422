import type { RewindCalls } from '../../protocol/channels/history';
import type { Checkpoint, PlannedFile, RewindOutcome, RewindPlan, RewindRequest } from '../../protocol/history';
import { unlessInterrupted } from '../rpc/workerError';
import type { Translate } from '../text/translate';
import type { PlacedSession } from '../sessions/sessionsState';
import type { Formats } from '../text/formats';
import { sessionLabel } from '../text/sessionTitle';
import type { CheckedChoice, CheckedGroup, Choice, ChoiceGroup } from '../window/dialogs';
import type { RewindEnd } from './rewindEnd';
import {
  changeText,
  doubtfulPaths,
  leftOutText,
  lineCounts,
  plannedChange,
  promptName,
  reasonList,
  rewindExplanation,
  rewindQuestion,
  rewoundMessage,
  sortFiles,
} from './rewindText';
import type { UnsavedFiles } from './unsavedFiles';
import type { Services } from '../services';

export interface RewindFlowDeps extends Pick<Services, 'dialogs' | 'now' | 'formats' | 'log' | 't'> {
  readonly rewinds: Pick<RewindCalls, 'checkpoints' | 'planRewind' | 'rewind'>;
  /** Editors that show what a rewind would do. */
  readonly previews: {
    show(plan: RewindPlan, title: string): Promise<void>;
    close(filePath: string): Promise<void>;
  };
  readonly unsaved: Pick<UnsavedFiles, 'settle'>;
  readonly end: Pick<RewindEnd, 'sayFailed' | 'sayInterrupted' | 'warn' | 'offerUndo'>;
  /** Folders that the person names for a session, absolute; null if they cancel. */
  readonly roots: (session: PlacedSession) => Promise<readonly string[] | null>;
  readonly displayPath: (path: string) => string;
  readonly enableCheckpoints: () => Promise<void>;
  /** Called after files were changed. */
  readonly onRewound: () => void;
}

/** `again`: the preview is no longer valid. */
type Step = 'over' | 'again';

/** Rewinds files: asks for a prompt, shows what would and would not change, asks which files, and asks for confirmation. */
export class RewindFlow {
  readonly #deps: RewindFlowDeps;

  constructor(deps: RewindFlowDeps) {
    this.#deps = deps;
  }

  /** @param promptUuid  null to let the person choose */
  async rewind(session: PlacedSession, promptUuid: string | null): Promise<void> {
    const roots = await this.#deps.roots(session);
    if (roots === null) return;
    const chosen = promptUuid ?? (await this.#choosePrompt(session, roots));
    if (chosen === null) return;
    const request = { session, promptUuid: chosen, roots };
    while ((await this.#runOnce(session, request)) === 'again');
  }

  async #choosePrompt(session: PlacedSession, roots: readonly string[]): Promise<string | null> {
    const { rewinds, dialogs, now, formats, t } = this.#deps;
    const title = sessionLabel(session, t);
    const checkpoints = await dialogs.during(t('Looking for the checkpoints of “{0}”', title), () =>
      rewinds.checkpoints(session, roots),
    );
    if (checkpoints.length === 0) {
      void this.#offerCheckpoints();
      return null;
    }
    const checkpoint = await dialogs.choose(checkpointChoices(checkpoints, now(), formats, t), {
      title: t('Rewind files of “{0}”', title),
      placeholder: t('Files go back to what they were before the prompt that you choose'),
    });
    if (checkpoint === null) return null;
    if (checkpoint.problem === null) return checkpoint.promptUuid;
    void dialogs.notify('error', checkpoint.problem);
    return null;
  }

  async #offerCheckpoints(): Promise<void> {
    const { dialogs, enableCheckpoints, t } = this.#deps;
    const enable = t('Enable Checkpoints…');
    const message = t('This session has no checkpoints: nothing tells what its files were before a prompt.');
    if ((await dialogs.notify('info', message, enable)) === enable) await enableCheckpoints();
  }

  async #runOnce(session: PlacedSession, request: RewindRequest): Promise<Step> {
    const { rewinds, previews, unsaved, dialogs, t } = this.#deps;
    const title = sessionLabel(session, t);
    const plan = await dialogs.during(t('Comparing the files of “{0}”', title), () => rewinds.planRewind(request));
    if (plan.problem !== null) {
      void dialogs.notify('error', plan.problem);
      return 'over';
    }
    const { inside, outside, sensitive, skipped } = sortFiles(plan);
    const changing = [...inside, ...outside, ...sensitive];
    if (changing.length === 0) {
      // The report still has something to say.
      if (skipped.length + plan.coverage.length > 0) await previews.show(plan, title);
      void dialogs.notify('info', this.#nothingToDo(plan, skipped));
      return 'over';
    }
    const editors = await unsaved.settle(changing.map(({ path }) => path));
    if (editors !== 'clean') return editors === 'saved' ? 'again' : 'over';
    await previews.show(plan, title);
    const files = await this.#chooseFiles(plan);
    if (files === null || !(await this.#confirm(plan, files))) return 'over';
    // The files may have been edited since the preview.
    const settled = await unsaved.settle(files.map(({ path }) => path));
    if (settled !== 'clean') return settled === 'saved' ? 'again' : 'over';
    return this.#apply(session, plan, request, files);
  }

  #nothingToDo(plan: RewindPlan, skipped: readonly PlannedFile[]): string {
    const { t } = this.#deps;
    const name = promptName(plan, t);
    return skipped.length === 0
      ? t('Every file is what it was before “{0}”.', name)
      : t('No file can be rewound to before “{0}”: the report says why.', name);
  }

  /**
   * null if the person cancels. Files outside the roots and sensitive files each have a question of their own, because
   * one click in the list selects everything.
   */
  async #chooseFiles(plan: RewindPlan): Promise<readonly PlannedFile[] | null> {
    const { dialogs, displayPath, formats, t } = this.#deps;
    const chosen = await dialogs.chooseMany(fileChoices(plan, displayPath, formats, t), {
      title: t('Rewind to before “{0}”', promptName(plan, t)),
      placeholder: t('Which files go back? The editors show what would change.'),
    });
    if (chosen === null) return null;
    const outside = chosen.filter(({ isOutside, isSensitive }) => isOutside && !isSensitive);
    const near = await this.#askAbout(
      outside,
      chosen,
      outside.length === 1
        ? t('1 file is outside the open folders. Change it, too?')
        : t('{0} files are outside the open folders. Change them, too?', formats.number(outside.length)),
    );
    if (near === null) return null;
    const sensitive = near.filter(({ isSensitive }) => isSensitive);
    const files = await this.#askAbout(
      sensitive,
      near,
      sensitive.length === 1
        ? t('1 file is sensitive. Change it, too?')
        : t('{0} files are sensitive. Change them, too?', formats.number(sensitive.length)),
    );
    if (files?.length === 0) dialogs.note(t('No file was chosen, so that none was changed.'));
    return files === null || files.length === 0 ? null : files;
  }

  /** Asks about some of the chosen files, if there are any. @returns those that remain; null if the person cancels */
  async #askAbout(
    files: readonly PlannedFile[],
    chosen: readonly PlannedFile[],
    message: string,
  ): Promise<readonly PlannedFile[] | null> {
    const { dialogs, displayPath, t } = this.#deps;
    if (files.length === 0) return chosen;
    const [change, leave] = [t('Change Them, Too'), t('Leave Them Alone')];
    const answer = await dialogs.ask({
      kind: 'warning',
      message,
      detail: reasonList(files, displayPath, t),
      buttons: [change, leave],
    });
    if (answer === change) return chosen;
    return answer === leave ? chosen.filter((file) => !files.includes(file)) : null;
  }

  async #confirm(plan: RewindPlan, files: readonly PlannedFile[]): Promise<boolean> {
    const { dialogs, displayPath, formats, t } = this.#deps;
    const leftOut = leftOutText(plan, files, displayPath, t);
    const rewind = plan.isLive ? t('Rewind Anyway') : t('Rewind');
    const answer = await dialogs.ask({
      kind: plan.isLive ? 'warning' : 'info',
      message: rewindQuestion(plan, files, formats, t),
      detail: [rewindExplanation(plan, files, formats, t), leftOut].filter((part) => part !== null).join('\n\n'),
      buttons: [rewind],
    });
    return answer === rewind;
  }

  async #apply(
    session: PlacedSession,
    plan: RewindPlan,
    request: RewindRequest,
    files: readonly PlannedFile[],
  ): Promise<Step> {
    const { rewinds, previews, end, onRewound, dialogs, formats, t } = this.#deps;
    const outcome = await dialogs.during(t('Rewinding the files of “{0}”', sessionLabel(session, t)), () =>
      unlessInterrupted(
        rewinds.rewind({
          ...request,
          paths: files.map(({ path }) => path),
          mayLeaveRoots: files.some(({ isOutside }) => isOutside),
          // Every file is named, so that those in the way have been left out.
          skipObstacles: false,
          mayBeLive: plan.isLive,
          token: plan.token,
        }),
      ),
    );
    if (outcome === null) {
      onRewound();
      await end.sayInterrupted(session, 'rewind');
      return 'over';
    }
    if (outcome.reason !== null) return this.#failed(session, outcome);
    onRewound();
    await previews.close(session.path);
    this.#deps.log.info(`Rewound files of ${session.path}; safety copy: ${outcome.safetyPath ?? 'none'}`);
    end.warn(session, outcome);
    // The rewind is done; the message can stay open, so it is not awaited.
    end.offerUndo(session, rewoundMessage(outcome.result, plan, formats, t));
    return 'over';
  }

  async #failed(session: PlacedSession, outcome: RewindOutcome): Promise<Step> {
    const { end, onRewound, t } = this.#deps;
    const { reason, warning } = outcome;
    // In all of these cases, files were restored.
    if (reason === 'half-done' || reason === 'put-back-first' || warning !== null) onRewound();
    end.warn(session, outcome);
    const lookAgain = t('Look Again');
    const canLook = reason === 'changed-since-preview' || reason === 'put-back-first';
    const answer = await end.sayFailed(session, outcome, ...(canLook ? [lookAgain] : []));
    return answer === lookAgain ? 'again' : 'over';
  }
}

/** Prompts that files can be rewound to, latest first. Impossible ones come last, with the reason. */
function checkpointChoices(
  checkpoints: readonly Checkpoint[],
  nowMs: number,
  formats: Formats,
  t: Translate,
): readonly ChoiceGroup<Checkpoint>[] {
  const newestFirst = [...checkpoints].reverse();
  const toChoice = (checkpoint: Checkpoint): Choice<Checkpoint> => {
    const { prompt, timeMs, line, kind, problem, filesChanged } = checkpoint;
    const facts = [
      problem,
      timeMs === null ? null : formats.timeAgo(timeMs, nowMs),
      line === null ? t('not in the transcript any more') : t('line {0}', formats.number(line)),
      kind === 'own' ? t('checkpoint of Rethread') : null,
    ];
    return {
      value: checkpoint,
      label: prompt === '' ? t('Without words') : prompt,
      description: problem === null ? changed(filesChanged.length, checkpoint, formats, t) : '',
      detail: facts.filter((fact) => fact !== null).join(' · '),
      icon: problem !== null ? 'circle-slash' : filesChanged.length === 0 ? 'pass' : 'history',
    };
  };
  return [
    { heading: null, choices: newestFirst.filter(({ problem }) => problem === null).map(toChoice) },
    { heading: t('Not possible'), choices: newestFirst.filter(({ problem }) => problem !== null).map(toChoice) },
  ];
}

function changed(files: number, checkpoint: Checkpoint, formats: Formats, t: Translate): string {
  if (files === 0) return t('nothing would change');
  // Binary files and permission changes have no lines to count.
  const lines = lineCounts(checkpoint, formats);
  if (lines === '') return files === 1 ? t('1 file') : t('{0} files', formats.number(files));
  return files === 1 ? t('{0} in 1 file', lines) : t('{0} in {1} files', lines, formats.number(files));
}

/**
 * The files of a rewind for selection: initially all that it can change, except sensitive files, files outside the roots
 * and those with doubtful backups.
 */
export function fileChoices(
  plan: Pick<RewindPlan, 'files' | 'coverage'>,
  displayPath: (path: string) => string,
  formats: Formats,
  t: Translate,
): readonly CheckedGroup<PlannedFile>[] {
  const { inside, outside, sensitive, skipped } = sortFiles(plan);
  const doubted = doubtfulPaths(plan);
  const isDoubtful = ({ path }: PlannedFile): boolean => doubted.has(path);
  const toChoice =
    (isChecked: boolean, isFixed: boolean) =>
    (file: PlannedFile): CheckedChoice<PlannedFile> => ({
      value: file,
      label: displayPath(file.path),
      description: changeText(file, formats, t),
      ...(isFixed || file.why === undefined ? {} : { detail: file.why }),
      icon: isFixed ? 'circle-slash' : iconOf(file),
      isChecked,
      isFixed,
    });
  return [
    { heading: null, choices: inside.filter((file) => !isDoubtful(file)).map(toChoice(true, false)) },
    {
      heading: t('With a copy that may have been altered'),
      choices: inside.filter(isDoubtful).map(toChoice(false, false)),
    },
    { heading: t('Outside the open folders'), choices: outside.map(toChoice(false, false)) },
    { heading: t('Sensitive'), choices: sensitive.map(toChoice(false, false)) },
    { heading: t('Left alone'), choices: skipped.map(toChoice(false, true)) },
  ];
}

function iconOf(file: PlannedFile): string {
  switch (plannedChange(file)) {
    case 'create':
      return 'diff-added';
    case 'delete':
      return 'diff-removed';
    case 'restore':
    case null:
      return 'diff-modified';
  }
}
