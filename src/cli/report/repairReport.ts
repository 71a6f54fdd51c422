import type { LoadCount, RepairEdit, RepairOutcome } from '../../shared/repair';
import { countOf, formatCount, formatValue, printable, shellWord, shortenHome, wrap } from './format';
import type { Page } from './page';

export type RepairMode = 'apply' | 'dry-run' | 'undo';

export interface RepairCounts {
  /** Repaired, restored, or in a dry run repairable. */
  readonly changed: number;
  readonly healthy: number;
  readonly failed: number;
}

/** What happened, or would happen, to one session. Null for a healthy one: there is nothing to tell. */
export function outcomeReport(outcome: RepairOutcome, mode: RepairMode, page: Page): string | null {
  const { result, problem } = outcome;
  const { colors } = page;
  const path = printable(shortenHome(result.filePath, page.home));
  if (result.status === 'failed') {
    const verb = mode === 'undo' ? 'Not restored' : 'Not repaired';
    const why = printable(problem ?? `${result.reason ?? 'unknown reason'}.`);
    return [`${colors.red('✗')} ${path}`, wrap(`${verb}: ${why}`, page.width, '  ')].join('\n');
  }
  if (mode === 'undo') return result.status === 'repaired' ? restored(outcome, path, page) : null;
  if (result.edits.length === 0) return null;
  const isDone = mode === 'apply';
  return [
    `${isDone ? colors.green('✓') : colors.yellow('~')} ${path}`,
    ...editLines(result.edits, page),
    `  ${loads(result.resumeBefore, result.resumeAfter, isDone, page)}`,
    ...(isDone ? nextSteps(outcome, page) : []),
  ].join('\n');
}

function editLines(edits: readonly RepairEdit[], page: Page): string[] {
  let said = '';
  return edits.flatMap((edit) => {
    const change = `${formatValue(edit.from)} → ${formatValue(edit.to)}`;
    const line = `  line ${edit.line}  ${edit.field}  ${change}`;
    // One cause often moves many rows in the same way; it is told once.
    const why = edit.why === said ? [] : [page.colors.dim(wrap(printable(edit.why), page.width, '    '))];
    said = edit.why;
    return [line, ...why];
  });
}

function loads(before: LoadCount, after: LoadCount, isDone: boolean, page: Page): string {
  const text = `Claude ${isDone ? 'loads' : 'would load'} ${after.loads} of ${countOf(after.of, 'message')}`;
  return `${page.colors.bold(text)}; before: ${before.loads} of ${formatCount(before.of)}.`;
}

function nextSteps({ result }: RepairOutcome, page: Page): string[] {
  const undo = `${page.commandName} repair --undo ${shellWord(result.filePath)}`;
  return [
    ...(result.backupPath === undefined
      ? []
      : [`  The original is kept as ${printable(shortenHome(result.backupPath, page.home))}`]),
    `  Resume:    claude --resume ${shellWord(printable(result.sessionId))}`,
    `  Take back: ${printable(undo)}`,
  ];
}

function restored({ result }: RepairOutcome, path: string, page: Page): string {
  return [
    `${page.colors.green('✓')} ${path}`,
    `  Put back as it was before the repair. ${loads(result.resumeBefore, result.resumeAfter, true, page)}`,
  ].join('\n');
}

/**
 * The last lines: how many, and what to do next.
 *
 * @param scope the PATHs as the person gave them
 */
export function repairSummary(counts: RepairCounts, mode: RepairMode, scope: readonly string[], page: Page): string {
  const { changed, healthy, failed } = counts;
  if (changed + healthy + failed === 0) return mode === 'undo' ? 'There is no repair to undo.' : 'No sessions found.';
  const verb = { apply: 'repaired', 'dry-run': 'can be repaired', undo: 'restored' }[mode];
  const parts = [
    ...(changed > 0 ? [`${countOf(changed, 'session')} ${verb}`] : []),
    ...(healthy > 0 ? [`${countOf(healthy, 'session')} already healthy`] : []),
    ...(failed > 0 ? [`${countOf(failed, 'session')} not ${mode === 'undo' ? 'restored' : 'repaired'}`] : []),
  ];
  const line = `${parts.join(', ')}.`;
  if (mode !== 'dry-run' || changed === 0) return line;
  const command = `${page.commandName} repair ${scope.map(shellWord).join(' ')}`;
  return `${line} Nothing was changed.\nRepair: ${page.colors.bold(printable(command))}`;
}
