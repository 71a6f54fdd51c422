import type { SessionSummary } from '../../shared/api/worker';
import type { Formats } from '../text/formats';
import { sessionLabel } from '../text/sessionTitle';
import type { Translate } from '../text/translate';

const MAX_NAMED_SESSIONS = 10;

export interface CorruptionText {
  readonly count: string;
  readonly summary: string;
  /** Names the sessions, at most `MAX_NAMED_SESSIONS` of them. */
  readonly lines: readonly string[];
}

/** What the status bar says; null when there is nothing to say. */
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
