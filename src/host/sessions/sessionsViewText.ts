import type { SessionsSnapshot } from '../../shared/api/worker';
import type { Formats } from '../text/formats';
import type { Translate } from '../text/translate';
import type { ModelProblem } from './sessionsModel';

export interface SessionsViewInput {
  readonly snapshot: SessionsSnapshot;
  readonly problem: ModelProblem | null;
  readonly isScanning: boolean;
  readonly configDir: string | null;
}

export interface SessionsViewText {
  /** Beside the view's title, where it is one view of several. */
  readonly description: string;
  /** Above the tree; hides the welcome text when the tree is empty. */
  readonly message: string;
}

/** What the view says around its tree. */
export function sessionsViewText(input: SessionsViewInput, formats: Formats, t: Translate): SessionsViewText {
  const { snapshot, problem, configDir } = input;
  return {
    description: describe(input, formats, t),
    message: problem !== null ? problemText(problem, t) : listingProblem(snapshot.problem, configDir, t),
  };
}

function describe({ snapshot, isScanning }: SessionsViewInput, formats: Formats, t: Translate): string {
  const { phase } = snapshot;
  if (isScanning && phase.kind === 'scanning' && phase.total > 1) {
    return t('scanning {0} of {1}', formats.number(phase.done), formats.number(phase.total));
  }
  return '';
}

function problemText(problem: ModelProblem, t: Translate): string {
  switch (problem) {
    case 'invalid-config-dir':
      return t('The setting “rethread.claudeConfigDir” has to be an absolute path, or to begin with “~/”.');
    case 'worker-gave-up':
      return t('The scan keeps failing. Refresh to try again; the output channel “Rethread” says more.');
  }
}

function listingProblem(problem: string | null, configDir: string | null, t: Translate): string {
  return problem === null ? '' : t('The sessions in {0} could not be listed. {1}', configDir ?? '', problem);
}
