import type { SessionsSnapshot } from '../../shared/api/worker';
import type { Formats } from '../text/formats';
import type { Translate } from '../text/translate';
import type { ModelProblem } from './sessionsState';

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
  return {
    description: describe(input, formats, t),
    message: explainProblem(input, t),
  };
}

function describe({ snapshot, isScanning }: SessionsViewInput, formats: Formats, t: Translate): string {
  const { phase } = snapshot;
  if (isScanning && phase.kind === 'scanning' && phase.total > 1) {
    return t('scanning {0} of {1}', formats.number(phase.done), formats.number(phase.total));
  }
  return '';
}

function explainProblem({ snapshot, problem, configDir }: SessionsViewInput, t: Translate): string {
  // A welcome text with a button says it better.
  if (problem === 'invalid-config-dir') return '';
  if (problem === 'worker-gave-up') {
    return t('The scan keeps failing. Refresh to try again; the output channel “Rethread” says more.');
  }
  return snapshot.problem === null
    ? ''
    : t('The sessions in {0} could not be listed. {1}', configDir ?? '', snapshot.problem);
}
