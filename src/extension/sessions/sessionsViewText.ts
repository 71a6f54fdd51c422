import type { SessionsSnapshot, SessionSummary } from '../../protocol/channels/sessions';
import type { Translate } from '../text/translate';
import type { Formats } from '../text/formats';
import { sessionLabel } from '../text/sessionTitle';
import type { ModelProblem } from './sessionsState';

export interface SessionsViewInput {
  readonly snapshot: SessionsSnapshot;
  readonly problem: ModelProblem | null;
  readonly isScanning: boolean;
  readonly configDir: string | null;
}

export interface SessionsViewText {
  /** Shown beside the view's title if its container has several views. */
  readonly description: string;
  /** Shown above the tree; hides the welcome text if the tree is empty. */
  readonly message: string;
}

/** The texts that the view shows around its tree. */
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
  // The welcome text with its buttons explains it better.
  if (problem === 'invalid-config-dir') return '';
  if (problem === 'worker-gave-up') {
    if (snapshot.projects.length === 0) return '';
    return t('The scan keeps failing. Refresh to try again; the output channel “Rethread” says more.');
  }
  return snapshot.problem === null
    ? ''
    : t('The sessions in {0} could not be listed. {1}', configDir ?? '', snapshot.problem);
}

const MAX_NAMED_SESSIONS = 10;

export interface CorruptionText {
  readonly count: string;
  readonly summary: string;
  /** The sessions' names, at most `MAX_NAMED_SESSIONS` of them. */
  readonly lines: readonly string[];
}

/** Text of the status bar item; null if there is nothing to show. */
export function corruptionText(
  sessions: readonly SessionSummary[],
  hasOpenFolder: boolean,
  formats: Formats,
  t: Translate,
): CorruptionText | null {
  if (sessions.length === 0) return null;
  const count = formats.number(sessions.length);
  const lines = sessions.slice(0, MAX_NAMED_SESSIONS).map((session) => sessionLabel(session, t));
  const unnamed = sessions.length - lines.length;
  if (unnamed > 0) lines.push(t('and {0} more', formats.number(unnamed)));
  return { count, summary: summarise(sessions.length, count, hasOpenFolder, t), lines };
}

function summarise(number: number, count: string, hasOpenFolder: boolean, t: Translate): string {
  if (hasOpenFolder) {
    return number === 1
      ? t('1 Claude Code session of this window is corrupted')
      : t('{0} Claude Code sessions of this window are corrupted', count);
  }
  return number === 1 ? t('1 Claude Code session is corrupted') : t('{0} Claude Code sessions are corrupted', count);
}
