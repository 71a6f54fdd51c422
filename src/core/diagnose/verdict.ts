import type { ClientInfo } from '../../protocol/client';
import type { Finding } from '../../protocol/repair';
import type { LoadedHistory } from '../providers/claude/loader/fullContext';
import type { LoadedTranscript } from '../providers/claude/loader/loadTranscript';
import { clientFor, type LoaderRules } from '../providers/claude/loader/rules';
import type { Check } from './check';
import { bom } from './checks/bom';
import { compactMetadata } from './checks/compactMetadata';
import { concurrentWriters } from './checks/concurrentWriters';
import { contextOverflow } from './checks/contextOverflow';
import { cycle, selfParent } from './checks/cycle';
import { danglingParent } from './checks/danglingParent';
import { duplicateUuid } from './checks/duplicateUuid';
import { foreignRows } from './checks/foreignRows';
import { ghostStub } from './checks/ghostStub';
import { giantFile } from './checks/giantFile';
import { gluedLines } from './checks/gluedLines';
import { invisible } from './checks/invisible';
import { longRow } from './checks/longRow';
import { nulBytes } from './checks/nulBytes';
import { progressFork } from './checks/progressFork';
import { spreadRow } from './checks/spreadRow';
import { tornLine } from './checks/tornLine';
import { unfinishedCompaction } from './checks/unfinishedCompaction';
import { unknownRows } from './checks/unknownRows';
import { unreadRow } from './checks/unreadRow';
import { wrongLeaf } from './checks/wrongLeaf';
import { LinkDamage } from './linkDamage';

/**
 * What a diagnosis depends on: the client that loads the transcript with its rules, and the checks. Nothing in this folder
 * changes a file.
 */
export interface Diagnostics {
  /** The client that every verdict names. */
  readonly client: ClientInfo;
  readonly rules: LoaderRules;
  readonly checks: readonly Check[];
}

/**
 * All checks with the rules of one client version; by default of the newest one that was measured.
 * @param nowMs see `loaderRules`
 */
export function diagnosticsFor(clientVersion?: string, nowMs?: number): Diagnostics {
  const { rules, ...client } = clientFor(clientVersion, nowMs);
  return { client, rules, checks: CHECKS };
}

/** The worst comes first. */
export const SEVERITY_ORDER = { error: 0, warning: 1, info: 2 } as const;

/** All findings, worst first. */
export function diagnose(loaded: LoadedTranscript, checks: readonly Check[]): Finding[] {
  const damage = new LinkDamage(loaded, checks);
  return worstFirst(checks.flatMap((check) => (check.kind === 'file' ? [] : check.find(loaded, damage))));
}

/** The findings of the checks that read the file. Throws the errors of `openRegularFile`. */
export function diagnoseFile(filePath: string, loaded: LoadedTranscript, checks: readonly Check[]): Finding[] {
  return checks.flatMap((check) => (check.kind === 'file' ? check.find(filePath, loaded) : []));
}

/** Whether `diagnoseGrown` can be used: rows that only continue the leaf leave everything that the findings depend on unchanged. */
export function canDiagnoseGrowth(
  checks: readonly Check[],
  findings: readonly Finding[],
  loaded: LoadedTranscript,
): boolean {
  return checks.every((check) => {
    if (check.kind !== 'links') return check.kind !== 'load';
    if (check.mayFindMore?.(loaded) === true) return false;
    return check.weighsCost !== true || findings.every(({ code }) => code !== check.code);
  });
}

/** All findings after rows that only continue the leaf were appended; `before` holds the findings without them. */
export function diagnoseGrown(
  loaded: LoadedHistory,
  before: readonly Finding[],
  checks: readonly Check[],
): readonly Finding[] {
  const found = checks.flatMap((check) =>
    check.kind === 'index' || check.kind === 'history'
      ? check.find(loaded)
      : before.filter(({ code }) => code === check.code),
  );
  return worstFirst(found);
}

/** Sorts the list. */
export function worstFirst(findings: Finding[]): Finding[] {
  return findings.sort((a, b) => SEVERITY_ORDER[a.severity] - SEVERITY_ORDER[b.severity]);
}

/**
 * All checks, in the order in which they fix: lines before links, uuids before the links that name them, cycles before
 * missing parents.
 */
export const CHECKS: readonly Check[] = [
  bom,
  nulBytes,
  gluedLines,
  tornLine,
  spreadRow,
  longRow,
  duplicateUuid,
  selfParent,
  cycle,
  progressFork,
  danglingParent,
  unfinishedCompaction,
  compactMetadata,
  wrongLeaf,
  unreadRow,
  concurrentWriters,
  unknownRows,
  giantFile,
  contextOverflow,
  foreignRows,
  ghostStub,
  invisible,
];
