import { memoryPhrase } from '../../core/conversation/memoryPhrase';
import { countOf } from '../../core/util/countOf';
import type { MemoryCounts } from '../../protocol/conversation';
import type { RepairEdit, RepairOutcome } from '../../protocol/repair';
import { resumeCommand } from '../../protocol/session';
import type { Page } from './page';
import { formatCount, formatValue, printable, sharePhrase, shellPath, shortenHome, wrap } from './text';
import { clientNote, clientOption, readerOf, type VerdictClient } from './verdictClient';

export type RepairMode = 'apply' | 'dry-run' | 'undo';

export interface RepairCounts {
  /** Number of sessions repaired or restored; in a dry run, repairable. */
  readonly changed: number;
  readonly healthy: number;
  /** Number of sessions that stay as they are although Claude loads nothing of them; some can be repaired by name. */
  readonly unloaded: number;
  readonly refused: number;
  /** Number of inputs that could not be read; stderr says why. */
  readonly unusable: number;
}

/** A repair, or its plan, with what Claude remembers before and after it: null where that cannot be counted. */
export interface RepairReport extends RepairOutcome {
  readonly memory?: { readonly before: MemoryCounts | null; readonly after: MemoryCounts | null };
}

/** What happened, or would happen, to one session. Null for a healthy session. */
export function outcomeReport(report: RepairReport, mode: RepairMode, page: Page): string | null {
  const { result, problem } = report;
  const { colors } = page;
  const path = printable(shortenHome(result.filePath, page.home));
  if (result.status === 'failed') {
    const verb = mode === 'undo' ? 'Not restored' : 'Not repaired';
    const why = printable(problem ?? `${result.reason ?? 'unknown reason'}.`);
    const anyway = result.reason === 'maybe-live' ? [`  ${changeAnyway(result.filePath, mode, page)}`] : [];
    return [`${colors.red('✗')} ${path}`, wrap(`${verb}: ${why}`, page.width, '  '), ...anyway].join('\n');
  }
  if (mode === 'undo') return result.status === 'repaired' ? restored(report, path, page) : null;
  if (result.edits.length === 0) return null;
  const isDone = mode === 'apply';
  return [
    `${isDone ? colors.green('✓') : colors.yellow('•')} ${path}`,
    ...editLines(result.edits, page),
    `  ${memoryLine(report, isDone, page)}`,
    ...unloads(result.unloads ?? [], isDone, page),
    ...warning(report, page),
    ...(isDone ? nextSteps(report, page) : []),
  ].join('\n');
}

function changeAnyway(filePath: string, mode: RepairMode, page: Page): string {
  const undo = mode === 'undo' ? ' --undo' : '';
  return printable(`${page.commandName} repair${undo} --allow-live ${shellPath(filePath, page.home)}`);
}

/** The edits, grouped below the sentence that explains them: one cause often affects many rows. */
function editLines(edits: readonly RepairEdit[], page: Page): string[] {
  const causes = new Map<string, RepairEdit[]>();
  for (const edit of edits) causes.set(edit.why, [...(causes.get(edit.why) ?? []), edit]);
  const lineWidth = String(edits.at(-1)?.line ?? '').length;
  return [...causes].flatMap(([why, group]) => [
    wrap(printable(why), page.width, '  '),
    ...group.map((edit) => {
      // A change to the bytes around a row has no field name; its values say what it is.
      const field = edit.field === 'line' ? '' : `${edit.field}  `;
      const place = page.colors.dim(`line ${String(edit.line).padStart(lineWidth)}`);
      return `    ${place}  ${field}${changeText(edit)}`;
    }),
  ]);
}

/** Values of a content can be long and differ at their ends, or in their types alone: then the difference is shown. */
function changeText({ field, from, to }: RepairEdit): string {
  if (!field.includes('.')) return `${formatValue(from)} → ${formatValue(to)}`;
  const [before, after] = [from, to].map((value) => (value === '' ? '""' : formatValue(value)));
  // Nothing in a content becomes `null`.
  if (to === null) return `${before} → (removed)`;
  if (before !== after) return `${before} → ${after}`;
  const [was, is] = [JSON.stringify(from), JSON.stringify(to)] as const;
  let at = 0;
  while (at < was.length && was[at] === is[at]) at++;
  return `${around(was, at)} → ${around(is, at)}`;
}

/** Characters of JSON that are shown before a difference, and from there on. */
const SHOWN_BEFORE = 10;
const SHOWN_BEHIND = 30;

function around(json: string, at: number): string {
  const from = Math.max(0, at - SHOWN_BEFORE);
  const to = at + SHOWN_BEHIND;
  return printable(`${from > 0 ? '…' : ''}${json.slice(from, to)}${to < json.length ? '…' : ''}`);
}

/** What Claude remembers before and after a repair. A repair can bring back messages that did not even count before. */
function memoryLine({ result, memory }: RepairReport, isDone: boolean, page: Page): string {
  const claude = `Claude ${isDone ? 'remembers' : 'would remember'}`;
  const { resumeBefore, resumeAfter } = result;
  const after = memory?.after ?? null;
  if (memory === undefined || after === null) {
    const share = sharePhrase(resumeAfter);
    const before = sharePhrase({ loads: resumeBefore.loads, of: Math.max(resumeBefore.of, resumeAfter.of) });
    return `${page.colors.bold(`${claude} ${share}`)}${before === share ? ', as before' : `; before: ${before}`}.`;
  }
  const is = countsPhrase(after);
  const text = page.colors.bold(`${claude} ${is}`);
  if (memory.before === null) return `${text}.`;
  const was = countsPhrase(memory.before);
  // The number of messages is often the same: what the repair brings is the summary of the others.
  const without = after.hasSummary && !memory.before.hasSummary ? ', without the summary' : '';
  return `${text}${was === is ? ', as before' : `; before: ${was}${without}`}.`;
}

/** In numbers: of a plan, nobody knows whether what Claude would not remember is on other branches. */
function countsPhrase(counts: MemoryCounts): string {
  return memoryPhrase({ ...counts, losesMessages: true });
}

/** Which messages the repair takes away. */
function unloads(lines: readonly number[], isDone: boolean, page: Page): string[] {
  if (lines.length === 0) return [];
  const which = lines.length === 1 ? 'the message on line' : 'the messages on lines';
  const text = `Claude ${isDone ? 'no longer remembers' : 'would no longer remember'} ${which} ${lines.map(formatCount).join(', ')}.`;
  return [page.colors.yellow(wrap(text, page.width, '  '))];
}

/** A warning of a repair that succeeded. */
function warning({ problem }: RepairOutcome, page: Page): string[] {
  return problem === null ? [] : [page.colors.yellow(wrap(printable(problem), page.width, '  '))];
}

function nextSteps({ result }: RepairOutcome, page: Page): string[] {
  // Claude resumes only by id, and the file name may be something else.
  const resume = resumeCommand(result.sessionId);
  const undo = `${page.commandName} repair --undo ${shellPath(result.filePath, page.home)}`;
  return [
    ...(result.backupPath === undefined
      ? []
      : [`  The original is kept as ${printable(shortenHome(result.backupPath, page.home))}`]),
    ...(resume === null ? [] : [`  Resume:    ${resume}`]),
    `  Take back: ${printable(undo)}`,
  ];
}

function restored(report: RepairReport, path: string, page: Page): string {
  return [
    `${page.colors.green('✓')} ${path}`,
    `  Put back the original. ${memoryLine(report, true, page)}`,
    ...warning(report, page),
  ].join('\n');
}

/** What a repair was asked for. */
interface RepairScope {
  /** The PATHs as the person entered them. */
  readonly scope: readonly string[];
  readonly client: VerdictClient;
  /** Of the only findings to repair; null for all. */
  readonly code: string | null;
}

/** The last lines: the counts, and what to do next. Empty if stderr already says everything. */
export function repairSummary(
  counts: RepairCounts,
  mode: RepairMode,
  { scope, client, code }: RepairScope,
  page: Page,
): string {
  const { changed, healthy, unloaded, refused, unusable } = counts;
  if (changed + healthy + unloaded + refused === 0) {
    if (unusable > 0) return '';
    return mode === 'undo' ? 'There is no repair to undo.\n' : 'No sessions found.\n';
  }
  const verb = { apply: 'repaired', 'dry-run': 'can be repaired', undo: 'restored' }[mode];
  const parts = [
    ...(changed > 0 ? [`${countOf(changed, 'session')} ${verb}`] : []),
    ...(healthy > 0 ? [untouched(healthy, changed, code)] : []),
    ...(unloaded > 0 ? [`${countOf(unloaded, 'session')} unchanged, of which Claude loads nothing`] : []),
    ...(refused > 0 ? [`${countOf(refused, 'session')} not ${mode === 'undo' ? 'restored' : 'repaired'}`] : []),
  ];
  if (mode === 'undo') return `${parts.join(', ')}.\n`;
  const line = `${parts.join(', ')}${readerOf(client)}.`;
  const note = clientNote(client, page).map((each) => `${each}\n`);
  if (mode === 'apply' || changed === 0) return [`${line}\n`, ...note].join('');
  const only = code === null ? '' : ` --class ${code}`;
  const command = `${page.commandName} repair${only}${clientOption(client)} ${scope.map((path) => shellPath(path, page.home)).join(' ')}`;
  return [`${line} Nothing was changed.\n`, ...note, `Repair: ${page.colors.bold(printable(command))}\n`].join('');
}

/** Of a session with nothing of one kind to repair, it is not known whether it has something else. */
function untouched(count: number, changed: number, code: string | null): string {
  const sessions = countOf(count, 'session');
  if (code !== null) return `${sessions} with nothing of ${code} to repair`;
  return `${sessions} ${changed > 0 ? '' : 'already '}healthy`;
}
