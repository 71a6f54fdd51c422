import type { Finding } from '../../protocol/repair';
import type { LoadedTranscript } from '../providers/claude/loader/loadTranscript';
import { loaderRules, type LoaderRules } from '../providers/claude/loader/rules';
import type { TranscriptIndex } from '../transcript/transcriptIndex';
import type { Check } from './check';
import { CHECKS } from './checks';

/**
 * By what a transcript is diagnosed: the rules of the client that loads it, and the checks. Comes in: what a scanner read
 * and the loader made of it; goes out: findings and plans of repairs. Nothing here changes a file.
 */
export interface Diagnostics {
  readonly rules: LoaderRules;
  readonly checks: readonly Check[];
}

/** All checks, by the rules of one client version; of the newest one that was measured unless another is named. */
export function diagnosticsFor(clientVersion?: string): Diagnostics {
  return { rules: loaderRules(clientVersion), checks: CHECKS };
}

const SEVERITY_ORDER = { error: 0, warning: 1, info: 2 } as const;

/** All findings, the worst first. */
export function diagnose(loaded: LoadedTranscript, checks: readonly Check[]): Finding[] {
  return worstFirst(checks.flatMap((check) => check.find(loaded)));
}

/** Whether `diagnoseGrown` may be asked: no check looks at more than what rows that only continue the leaf leave as it is. */
export function canDiagnoseGrowth(checks: readonly Check[]): boolean {
  return checks.every(({ kind }) => kind !== 'load');
}

/** All findings once rows were appended that only continue the leaf; `before` is what was found without them. */
export function diagnoseGrown(
  index: TranscriptIndex,
  before: readonly Finding[],
  checks: readonly Check[],
): readonly Finding[] {
  const found = checks.flatMap((check) =>
    check.kind === 'index' ? check.find({ index }) : before.filter(({ code }) => code === check.code),
  );
  return worstFirst(found);
}

function worstFirst(findings: Finding[]): Finding[] {
  return findings.sort((a, b) => SEVERITY_ORDER[a.severity] - SEVERITY_ORDER[b.severity]);
}
