import { resumeCommand } from '../../protocol/session';
import type { SlimKind, SlimOutcome, SlimResult } from '../../protocol/slim';
import { type Column, type Page, renderTable, textWidth } from './page';
import { formatBytes, formatCount, printable, sharePhrase, shellPath, shortenHome, wrap } from './text';

export type SlimMode = 'apply' | 'dry-run' | 'undo';

/** What was, or would be, removed from one session. */
export function slimReport(outcome: SlimOutcome, mode: SlimMode, page: Page): string {
  const { result, problem } = outcome;
  const { colors } = page;
  const path = printable(shortenHome(result.filePath, page.home));
  switch (result.status) {
    case 'failed': {
      const verb = mode === 'undo' ? 'Not restored' : 'Not slimmed';
      const why = printable(problem ?? `${result.reason ?? 'unknown reason'}.`);
      const anyway = result.reason === 'maybe-live' ? [`  ${slimAnyway(result.filePath, mode, page)}`] : [];
      return textOf([`${colors.red('✗')} ${path}`, wrap(`${verb}: ${why}`, page.width, '  '), ...anyway]);
    }
    case 'already_slim':
      return textOf([`${colors.green('✓')} ${path}`, '  There is nothing to remove.']);
    case 'restored':
      return textOf([
        `${colors.green('✓')} ${path}`,
        `  Put back as it was before it was slimmed: ${formatBytes(result.bytesAfter)}. ${loads(result, 'remembers')}`,
        ...warning(outcome, page),
      ]);
    case 'slimmed': {
      const isDone = mode === 'apply';
      return textOf([
        `${isDone ? colors.green('✓') : colors.yellow('•')} ${path}`,
        kindsTable(result),
        '',
        `  ${loads(result, isDone ? 'remembers' : 'would remember')}`,
        ...moved(result, isDone, page),
        ...warning(outcome, page),
        ...(isDone ? nextSteps(result, page) : planned(result, page)),
      ]);
    }
  }
}

function textOf(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

const COLUMNS: readonly Column[] = [
  { title: '' },
  { title: 'Entries', align: 'right' },
  { title: 'Before', align: 'right' },
  { title: 'After', align: 'right' },
];

const KIND_NAMES: Readonly<Record<SlimKind, string>> = {
  progress: 'Progress of tools and hooks',
  attachments: 'Repeated system prompts',
  outputs: 'Long outputs of tools',
};

/** The bytes of each kind, of the rest, and of the file. */
function kindsTable({ kinds, bytesBefore, bytesAfter }: SlimResult): string {
  const known = kinds.reduce((sum, kind) => sum + kind.bytesBefore, 0);
  const left = kinds.reduce((sum, kind) => sum + kind.bytesAfter, 0);
  const rows = [
    ...kinds.map((kind) => [
      KIND_NAMES[kind.kind],
      formatCount(kind.rows),
      formatBytes(kind.bytesBefore),
      formatBytes(kind.bytesAfter),
    ]),
    ['Everything else', '', formatBytes(bytesBefore - known), formatBytes(bytesAfter - left)],
    ['The file', '', formatBytes(bytesBefore), formatBytes(bytesAfter)],
  ];
  const widths = COLUMNS.map(({ title }, at) => textWidth([title, ...rows.map((row) => row[at] ?? '')]));
  return renderTable(COLUMNS, rows, widths).replaceAll(/^/gmu, '  ');
}

function loads({ resumeBefore, resumeAfter }: SlimResult, verb: string): string {
  const text = `Claude ${verb} ${sharePhrase(resumeAfter)}`;
  const isSame = resumeBefore.loads === resumeAfter.loads && resumeBefore.of === resumeAfter.of;
  return `${text}${isSame ? ', as before' : ''}.`;
}

/** Where long outputs are, or would be. */
function moved({ kinds }: SlimResult, isDone: boolean, page: Page): string[] {
  if (!kinds.some(({ kind }) => kind === 'outputs')) return [];
  const where = `Long outputs ${isDone ? 'are' : 'would be'} in files beside the transcript, which the texts in their places name.`;
  return [wrap(`${where} Only Claude Code's own display reads them.`, page.width, '  ')];
}

/** A warning of a change that succeeded. */
function warning({ problem }: SlimOutcome, page: Page): string[] {
  return problem === null ? [] : [page.colors.yellow(wrap(printable(problem), page.width, '  '))];
}

function planned({ bytesBefore, filePath }: SlimResult, page: Page): string[] {
  const space = `The original (${formatBytes(bytesBefore)}) would be kept beside it: disk space is freed once you delete that.`;
  const command = `${page.commandName} slim ${shellPath(filePath, page.home)}`;
  return [wrap(space, page.width, '  '), '', 'Nothing was changed.', `Slim: ${page.colors.bold(printable(command))}`];
}

function nextSteps({ backupPath, bytesBefore, filePath, sessionId }: SlimResult, page: Page): string[] {
  const resume = resumeCommand(sessionId);
  const undo = `${page.commandName} slim --undo ${shellPath(filePath, page.home)}`;
  const kept =
    backupPath === undefined ? [] : [`  The original is kept as ${printable(shortenHome(backupPath, page.home))}`];
  const space = `It has ${formatBytes(bytesBefore)}. Disk space is freed once you delete it; after that, this cannot be undone.`;
  return [
    ...kept,
    ...(kept.length === 0 ? [] : [wrap(space, page.width, '  ')]),
    ...(resume === null ? [] : [`  Resume:    ${resume}`]),
    `  Take back: ${printable(undo)}`,
  ];
}

function slimAnyway(filePath: string, mode: SlimMode, page: Page): string {
  const undo = mode === 'undo' ? ' --undo' : '';
  return printable(`${page.commandName} slim${undo} --allow-live ${shellPath(filePath, page.home)}`);
}
