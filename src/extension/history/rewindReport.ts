import type { CoverageNote, PlannedFile, RewindPlan } from '../../protocol/history';
import type { Services } from '../services';
import type { Formats } from '../text/formats';
import type { Translate } from '../text/translate';
import {
  changesSentence,
  changeText,
  coverageExplanation,
  coverageHeading,
  doubtfulPaths,
  groupCoverage,
  PLACE_NOTES,
  plannedChange,
  promptName,
  sortFiles,
} from './rewindText';

/** Target of a link in the report. */
export type ReportTarget =
  { readonly kind: 'row'; readonly line: number } | { readonly kind: 'file'; readonly path: string };

export interface ReportLink {
  /** 0-based. */
  readonly line: number;
  /** UTF-16 units within the line. */
  readonly from: number;
  readonly to: number;
  readonly target: ReportTarget;
}

/** A Markdown text and its links. */
export interface Report {
  readonly text: string;
  readonly links: readonly ReportLink[];
}

export interface RewindReportDeps extends Pick<Services, 'formats' | 't'> {
  readonly plan: RewindPlan;
  /** Title of the session. */
  readonly title: string;
  /** Shortens a path for display. */
  readonly displayPath: (path: string) => string;
}

/** Longer lists of one kind are truncated: nobody reads hundreds of commands. */
const MAX_NOTES = 50;

/** Reports what a rewind would not restore, followed by what it would do. */
export function rewindReport(deps: RewindReportDeps): Report {
  const { plan, title, formats, t } = deps;
  const lines = new ReportLines();
  const { inside: chooseable, outside, sensitive, skipped } = sortFiles(plan);
  const doubted = doubtfulPaths(plan);
  const inside = chooseable.filter(({ path }) => !doubted.has(path));
  const doubtful = chooseable.filter(({ path }) => doubted.has(path));
  const when = plan.timeMs === null ? null : formats.dateTime(plan.timeMs);
  lines.add(`# ${t('Rewind to before “{0}”', promptName(plan, t))}`, '');
  lines.add([title, when, plan.kind === 'own' ? t('checkpoint of Rethread') : null].filter(Boolean).join(' · '), '');
  lines.add(`${filesSentence(inside.length, formats, t)} ${changesSentence(inside, formats, t)}`.trim());
  lines.add(t('Nothing has been touched yet.'));
  lines.add('', `## ${t('What this does not bring back')}`);
  // Lists each file only once.
  const listed = new Set([...outside, ...sensitive].map(({ path }) => path));
  const coverage = plan.coverage.filter(
    ({ kind, path }) => !PLACE_NOTES.has(kind) || path === null || !listed.has(path),
  );
  const noted = new Set(coverage.map(({ path }) => path));
  addCoverage(coverage, lines, deps);
  addFiles(t('Files that change'), inside, lines, deps);
  addFiles(t('Files whose copy may have been altered, which change only if you choose them'), doubtful, lines, deps);
  addFiles(t('Files outside the open folders, which change only if you choose them'), outside, lines, deps);
  addFiles(t('Sensitive files, which change only if you choose them'), sensitive, lines, deps);
  const unnoted = skipped.filter(({ path }) => !noted.has(path));
  addFiles(t('Files that are left alone'), unnoted, lines, deps);
  return lines.report;
}

function filesSentence(count: number, formats: Formats, t: Translate): string {
  if (count === 0) return t('No file changes.');
  return count === 1 ? t('1 file changes.') : t('{0} files change.', formats.number(count));
}

function addCoverage(coverage: readonly CoverageNote[], lines: ReportLines, deps: RewindReportDeps): void {
  const { formats, t } = deps;
  if (coverage.length === 0) lines.add('', t('Nothing is known that this would leave behind.'));
  for (const { kind, notes } of groupCoverage(coverage)) {
    const explanation = coverageExplanation(kind, t);
    lines.add('', `### ${coverageHeading(kind, t)}`, '');
    if (explanation !== null) lines.add(explanation, '');
    for (const note of notes.slice(0, MAX_NOTES)) addNote(note, lines, deps);
    if (notes.length > MAX_NOTES) lines.add(`- ${t('{0} more', formats.number(notes.length - MAX_NOTES))}`);
  }
}

/**
 * `- Line 52: sentence`, with a shortened path in the sentence; without a path, the note's command replaces the sentence.
 */
function addNote(
  { line, path, message, command }: CoverageNote,
  lines: ReportLines,
  { displayPath, formats, t }: RewindReportDeps,
): void {
  const words: (string | LinkedWords)[] = ['- '];
  if (line !== null) {
    words.push({ text: t('Line {0}', formats.number(line)), target: { kind: 'row', line } }, ': ');
  }
  if (path === null) {
    words.push(command ?? message);
  } else {
    const name = { text: displayPath(path), target: { kind: 'file', path } as const };
    const at = message.indexOf(path);
    if (at === -1) words.push(name, ': ', message);
    else words.push(message.slice(0, at), name, message.slice(at + path.length));
  }
  lines.addWords(words);
}

function addFiles(heading: string, files: readonly PlannedFile[], lines: ReportLines, deps: RewindReportDeps): void {
  if (files.length === 0) return;
  const { displayPath, formats, t } = deps;
  lines.add('', `## ${heading}`, '');
  for (const file of files) {
    const { path } = file;
    const name = file.exists ? { text: displayPath(path), target: { kind: 'file', path } as const } : displayPath(path);
    // Why it does not change by itself.
    const why = file.action === 'skipped' && plannedChange(file) !== null ? [` (${file.why ?? ''})`] : [];
    lines.addWords(['- ', name, ': ', changeText(file, formats, t), ...why]);
  }
}

interface LinkedWords {
  readonly text: string;
  readonly target: ReportTarget;
}

/** Builds a text line by line. */
class ReportLines {
  readonly #lines: string[] = [];
  readonly #links: ReportLink[] = [];

  get report(): Report {
    return { text: `${this.#lines.join('\n')}\n`, links: this.#links };
  }

  add(...lines: readonly string[]): void {
    this.#lines.push(...lines.map(oneLine));
  }

  addWords(words: readonly (string | LinkedWords)[]): void {
    let text = '';
    for (const word of words) {
      const from = text.length;
      text += oneLine(typeof word === 'string' ? word : word.text);
      if (typeof word === 'string') continue;
      this.#links.push({ line: this.#lines.length, from, to: text.length, target: word.target });
    }
    this.#lines.push(text);
  }
}

/** A file name can contain a line break. */
function oneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]+/g, ' ');
}

export type DiffedFile = Pick<PlannedFile, 'path' | 'exists' | 'contentPath'>;

/** The most diffs that one editor shows in a reasonable time. */
const MAX_DIFFS = 300;

/** Files that can be shown as diffs: text files with changed lines. */
export function diffedFiles(plan: Pick<RewindPlan, 'files'>): readonly DiffedFile[] {
  const { inside, outside, sensitive } = sortFiles(plan);
  return [...inside, ...outside, ...sensitive].filter(isShown).slice(0, MAX_DIFFS);
}

function isShown({ isBinary, isTooLarge, insertions, deletions, exists, contentPath }: PlannedFile): boolean {
  if (isBinary || isTooLarge) return false;
  // An empty file that is created or deleted has no lines.
  return insertions + deletions > 0 || !exists || contentPath === null;
}
