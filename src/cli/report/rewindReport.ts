import { countOf } from '../../core/util/countOf';
import {
  COVERAGE_KINDS,
  type CoverageNote,
  type RewindAction,
  type RewindFilesResult,
  type RewindPlan,
  type RewoundFile,
} from '../../protocol/history';
import type { Page } from './page';
import { clip, clipPath, formatCount, printable, shortenHome, wrap } from './text';

const MAX_FILES = 200;
/** Limit per kind, so that a command is not lost among many files changed by hand. */
const MAX_NOTES_OF_KIND = 10;

const SIGNS: Readonly<Record<RewindAction, string>> = {
  restore: '~ restore',
  create: '+ create',
  delete: '- delete',
  skipped: '! left as it is',
  unchanged: '  unchanged',
};

export interface RewindSummary {
  readonly result: RewindFilesResult;
  /** Null for an undo. */
  readonly plan: RewindPlan | null;
  readonly mode: 'rewind' | 'dry-run' | 'undo';
  /** The command that undoes it; null if there is nothing to undo. */
  readonly undo: string | null;
  readonly warning: string | null;
}

/** What a rewind did or would do for each file, and what it does not undo. */
export function rewindReport(summary: RewindSummary, page: Page): string {
  const { result, plan, mode, undo, warning } = summary;
  const { colors } = page;
  const files = result.files ?? [];
  const changed = files.filter(({ action }) => action !== 'skipped' && action !== 'unchanged');
  const lines = [headLine(summary, changed.length, page)];
  const counts = new Map(plan?.files.map((file) => [file.path, file]));
  const shown = files.filter(({ action }) => action !== 'unchanged');
  for (const file of shown.slice(0, MAX_FILES)) lines.push(...fileLines(file, counts.get(file.path), page));
  if (shown.length > MAX_FILES)
    lines.push(colors.dim(`  … ${formatCount(shown.length - MAX_FILES)} more; --json prints all`));
  const same = files.length - shown.length;
  if (same > 0) lines.push(colors.dim(`  ${countOf(same, 'file')} unchanged`));
  lines.push(...coverageLines(notesToShow(result, plan, shown.slice(0, MAX_FILES)), page));
  if (warning !== null) lines.push('', colors.yellow(wrap(printable(warning), page.width, '')));
  if (undo !== null && changed.length > 0) lines.push('', `Undo: ${colors.bold(printable(undo))}`);
  if (mode === 'dry-run') lines.push('', 'Nothing was changed.');
  return `${lines.join('\n')}\n`;
}

/** What a rewind would do if nothing were in the way. */
export function unobstructedResult({ files, coverage, insertions, deletions }: RewindPlan): RewindFilesResult {
  return {
    canRewind: false,
    insertions,
    deletions,
    files: files.map(({ path, action, why }) => ({ path, action, ...(why === undefined ? {} : { why }) })),
    coverage: { notCovered: coverage.map(({ message }) => message) },
  };
}

function headLine({ result, plan, mode }: RewindSummary, changed: number, page: Page): string {
  const { colors } = page;
  const sums = `${colors.green(`+${formatCount(result.insertions ?? 0)}`)} ${colors.red(`−${formatCount(result.deletions ?? 0)}`)}`;
  const files = countOf(changed, 'file');
  if (mode === 'undo') return `${colors.green('✓')} The rewind was undone: ${files}, ${sums}`;
  const prompt = printable(plan?.prompt ?? '');
  const place = prompt === '' ? 'to before the prompt' : `to before “${clip(prompt, 48)}”`;
  if (!result.canRewind) {
    return `${colors.yellow('!')} Would change nothing: files are in the way. Without them, ${files} ${place}: ${sums}`;
  }
  if (changed === 0) return `${colors.green('✓')} Nothing to rewind ${place}`;
  return mode === 'dry-run'
    ? `${colors.yellow('•')} Would rewind ${files} ${place}: ${sums}`
    : `${colors.green('✓')} Rewound ${files} ${place}: ${sums}`;
}

function fileLines(file: RewoundFile, planned: RewindPlan['files'][number] | undefined, page: Page): string[] {
  const { colors } = page;
  const sign = SIGNS[file.action].padEnd(10);
  const isSkipped = file.action === 'skipped';
  const path = printable(clipPath(shortenHome(file.path, page.home), page.width - 32));
  const line = `  ${isSkipped ? colors.yellow(sign) : sign} ${path}${isSkipped || planned === undefined ? '' : figures(planned, page)}`;
  return file.why === undefined ? [line] : [line, colors.dim(wrap(printable(file.why), page.width, '      '))];
}

function figures(planned: RewindPlan['files'][number], { colors }: Page): string {
  const { insertions, deletions, isBinary, isTooLarge, modeChange } = planned;
  const parts = [
    ...(insertions > 0 ? [colors.green(`+${formatCount(insertions)}`)] : []),
    ...(deletions > 0 ? [colors.red(`−${formatCount(deletions)}`)] : []),
    ...(isBinary ? [colors.dim('no text')] : []),
    ...(isTooLarge ? [colors.dim('too large to count lines')] : []),
    ...(modeChange === null ? [] : [colors.dim(`mode ${octal(modeChange.from)} → ${octal(modeChange.to)}`)]),
  ];
  return parts.length === 0 ? '' : `  ${parts.join(' ')}`;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(3, '0');
}

/** The notes that do not repeat the list of files. */
function notesToShow(
  { coverage }: RewindFilesResult,
  plan: RewindPlan | null,
  listed: readonly RewoundFile[],
): readonly ShownNote[] {
  const kinds = new Map(plan?.coverage.map(({ message, kind }) => [message, kind]));
  const isRepeated = (message: string): boolean =>
    listed.some(({ path, why }) => why !== undefined && message.startsWith(path) && message.endsWith(why));
  return (coverage?.notCovered ?? []).flatMap((message) =>
    isRepeated(message) ? [] : [{ kind: kinds.get(message) ?? 'other', message }],
  );
}

type ShownNote = Pick<CoverageNote, 'kind' | 'message'>;

function coverageLines(notes: readonly ShownNote[], page: Page): string[] {
  if (notes.length === 0) return [];
  const lines = ['', page.colors.bold('To be known')];
  for (const kind of COVERAGE_KINDS) {
    const these = notes.filter((note) => note.kind === kind);
    const more = these.length - MAX_NOTES_OF_KIND;
    lines.push(...these.slice(0, MAX_NOTES_OF_KIND).map(({ message }) => noteLine(message, page)));
    if (more > 0) lines.push(page.colors.dim(`  … ${formatCount(more)} more like these; --json prints all`));
  }
  return lines;
}

function noteLine(note: string, page: Page): string {
  const [first = '', ...rest] = wrap(printable(shortenPaths(note, page.home)), page.width - 2, '  ').split('\n');
  return [page.colors.yellow(first.replace(/^ {2}/, '! ')), ...rest].join('\n');
}

function shortenPaths(text: string, home: string): string {
  return home === '' ? text : text.replaceAll(`${home}/`, '~/');
}
