import {
  COVERAGE_KINDS,
  type CoverageKind,
  type CoverageNote,
  type PlannedFile,
  type RewindFilesResult,
  type RewindPlan,
} from '../../protocol/history';
import type { Translate } from '../text/translate';
import { type Formats, shorten } from '../text/formats';

const MAX_PROMPT_CHARACTERS = 50;
const MAX_LISTED_PATHS = 10;

/** Names a prompt by its first words. */
export function promptName({ prompt }: { readonly prompt: string }, t: Translate): string {
  const words = prompt.replace(/\s+/g, ' ').trim();
  return words === '' ? t('Without words') : shorten(words, MAX_PROMPT_CHARACTERS);
}

/** Notes about files that change; they do not matter for files that stay unchanged. */
const CHANGE_NOTES: ReadonlySet<CoverageKind> = new Set<CoverageKind>(['byHand', 'doubtfulBackup', 'laterCopy']);

/** Notes about files that change if the person chooses them. */
export const PLACE_NOTES: ReadonlySet<CoverageKind> = new Set<CoverageKind>(['outside', 'sensitive']);

/** The final confirmation before files are changed. */
export function rewindQuestion(
  plan: Pick<RewindPlan, 'prompt'>,
  files: readonly PlannedFile[],
  formats: Formats,
  t: Translate,
): string {
  const name = promptName(plan, t);
  if (files.length === 1) return t('Rewind 1 file to before “{0}”?', name);
  return t('Rewind {0} files to before “{1}”?', formats.number(files.length), name);
}

/** The details of the confirmation: what changes, what does not, and how to undo it. */
export function rewindExplanation(
  { coverage, isLive }: Pick<RewindPlan, 'coverage' | 'isLive'>,
  files: readonly PlannedFile[],
  formats: Formats,
  t: Translate,
): string {
  // Chosen files have no note about their place, and files that were not chosen have no notes about changes.
  const chosen = new Set(files.map(({ path }) => path));
  const isLeft = ({ kind, path }: CoverageNote): boolean => {
    if (path === null) return true;
    return CHANGE_NOTES.has(kind) ? chosen.has(path) : !PLACE_NOTES.has(kind) || !chosen.has(path);
  };
  const lines = [
    isLive
      ? t('Claude Code is running this session: it may change the same files, and knows nothing of the rewind.')
      : null,
    changesSentence(files, formats, t),
    coverageSummary(coverage.filter(isLeft), formats, t),
    t('A safety copy of every file is made first, so that Undo Rewind can put them back.'),
  ];
  return lines.filter((line) => line !== null && line !== '').join('\n\n');
}

export function rewoundMessage(
  result: RewindFilesResult,
  plan: Pick<RewindPlan, 'prompt'>,
  formats: Formats,
  t: Translate,
): string {
  const name = promptName(plan, t);
  const count = changedCount(result);
  if (count === 1) return t('Rewound 1 file to before “{0}”.', name);
  return t('Rewound {0} files to before “{1}”.', formats.number(count), name);
}

export function undoneRewindMessage(result: RewindFilesResult, formats: Formats, t: Translate): string {
  const count = changedCount(result);
  if (count === 1) return t('The rewind was undone: 1 file is as it was before.');
  return t('The rewind was undone: {0} files are as they were before.', formats.number(count));
}

/** Includes files of which only the permissions changed. */
function changedCount({ files = [] }: RewindFilesResult): number {
  return files.filter(({ action }) => action !== 'unchanged' && action !== 'skipped').length;
}

/** One path per line, at most as many as a question can show. */
export function pathList(paths: readonly string[], displayPath: (path: string) => string, t: Translate): string {
  const listed = paths.slice(0, MAX_LISTED_PATHS).map((path) => displayPath(path));
  const more = paths.length - listed.length;
  return [...listed, ...(more > 0 ? [t('{0} more', String(more))] : [])].join('\n');
}

/**
 * What is in the way and stays as it is, because the person did not choose it or cannot; one file per line, at most as
 * many as a question can show. Null if there is nothing.
 */
export function leftOutText(
  { files }: Pick<RewindPlan, 'files'>,
  chosen: readonly PlannedFile[],
  displayPath: (path: string) => string,
  t: Translate,
): string | null {
  const left = files.filter((file) => file.action === 'skipped' && !chosen.includes(file));
  if (left.length === 0) return null;
  return [t('In the way, and left as they are:'), reasonList(left, displayPath, t)].join('\n');
}

/** One path per line with the reason, at most as many as a question can show. */
export function reasonList(
  files: readonly { readonly path: string; readonly why?: string }[],
  displayPath: (path: string) => string,
  t: Translate,
): string {
  const listed = files
    .slice(0, MAX_LISTED_PATHS)
    .map(({ path, why = '' }) => (why === '' ? displayPath(path) : `${displayPath(path)}: ${why}`));
  const more = files.length - listed.length;
  return [...listed, ...(more > 0 ? [t('{0} more', String(more))] : [])].join('\n');
}

interface LineCounts {
  readonly insertions: number;
  readonly deletions: number;
}

/** Line counts in the usual notation: +12 −5. Empty if there are none. */
export function lineCounts({ insertions, deletions }: LineCounts, formats: Formats): string {
  const added = insertions > 0 ? [`+${formats.number(insertions)}`] : [];
  const removed = deletions > 0 ? [`−${formats.number(deletions)}`] : [];
  return [...added, ...removed].join(' ');
}

/** A short description of what happens to a file. */
export function changeText(file: PlannedFile, formats: Formats, t: Translate): string {
  const change = plannedChange(file);
  if (change === null) return file.why ?? t('Stays as it is');
  const parts = [
    change === 'create' ? t('comes back') : change === 'delete' ? t('is deleted') : null,
    file.isBinary ? binaryText(file, formats, t) : null,
    file.isTooLarge ? tooLargeText(file, formats, t) : null,
    lineCounts(file, formats),
    modeText(file, t),
  ].filter((part) => part !== null && part !== '');
  return parts.join(', ');
}

/** The total of all changes, in sentences. */
export function changesSentence(files: readonly PlannedFile[], formats: Formats, t: Translate): string {
  const insertions = files.reduce((sum, file) => sum + file.insertions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  const deleted = files.filter((file) => plannedChange(file) === 'delete').length;
  const sentences = [
    insertions === 1 ? t('1 line comes back.') : null,
    insertions > 1 ? t('{0} lines come back.', formats.number(insertions)) : null,
    deletions === 1 ? t('1 line goes.') : null,
    deletions > 1 ? t('{0} lines go.', formats.number(deletions)) : null,
    deleted === 1 ? t('1 file is deleted, since it was not there then.') : null,
    deleted > 1 ? t('{0} files are deleted, since they were not there then.', formats.number(deleted)) : null,
  ];
  return sentences.filter((sentence) => sentence !== null).join(' ');
}

function binaryText({ contentPath, size }: PlannedFile, formats: Formats, t: Translate): string {
  return contentPath === null ? t('no text') : t('no text, {0}', formats.size(size));
}

function tooLargeText({ contentPath, size }: PlannedFile, formats: Formats, t: Translate): string {
  return contentPath === null ? t('too large to compare') : t('too large to compare, {0}', formats.size(size));
}

function modeText({ modeChange }: PlannedFile, t: Translate): string | null {
  if (modeChange === null) return null;
  const octal = (mode: number): string => mode.toString(8).padStart(3, '0');
  return t('permissions {0} instead of {1}', octal(modeChange.to), octal(modeChange.from));
}

export interface CoverageGroup {
  readonly kind: CoverageKind;
  readonly notes: readonly CoverageNote[];
}

/** Groups notes by kind, leaving out kinds without notes. */
export function groupCoverage(coverage: readonly CoverageNote[]): readonly CoverageGroup[] {
  return COVERAGE_KINDS.map((kind) => ({ kind, notes: coverage.filter((note) => note.kind === kind) })).filter(
    ({ notes }) => notes.length > 0,
  );
}

/** Files with backups that may have changed since they were made; they are restored only on request. */
export function doubtfulPaths({ coverage }: Pick<RewindPlan, 'coverage'>): ReadonlySet<string | null> {
  return new Set(coverage.filter(({ kind }) => kind === 'doubtfulBackup').map(({ path }) => path));
}

/** One or two lines about coverage; null if there is nothing to report. */
function coverageSummary(coverage: readonly CoverageNote[], formats: Formats, t: Translate): string | null {
  const countOf = (wanted: CoverageKind): number => coverage.filter(({ kind }) => kind === wanted).length;
  const [byHand, doubtful] = [countOf('byHand'), countOf('doubtfulBackup')];
  const others = groupCoverage(coverage)
    .filter(({ kind }) => kind !== 'byHand' && kind !== 'doubtfulBackup')
    .map(({ kind, notes }) => `${coverageHeading(kind, t)} (${formats.number(notes.length)})`);
  const sentences = [
    byHand === 1 ? t('1 file was changed by hand since: that change goes, too.') : null,
    byHand > 1 ? t('{0} files were changed by hand since: these changes go, too.', formats.number(byHand)) : null,
    doubtful === 1 ? t('1 file gets a copy that may have been altered.') : null,
    doubtful > 1 ? t('{0} files get copies that may have been altered.', formats.number(doubtful)) : null,
    others.length > 0 ? t('Not covered: {0}.', others.join(', ')) : null,
  ].filter((sentence) => sentence !== null);
  return sentences.length === 0 ? null : sentences.join('\n\n');
}

export function coverageHeading(kind: CoverageKind, t: Translate): string {
  switch (kind) {
    case 'command':
      return t('Commands that ran since');
    case 'byHand':
      return t('Changes by hand');
    case 'untracked':
      return t('Changes that nothing is known of');
    case 'missingBackup':
      return t('Backups that are gone');
    case 'alteredBackup':
      return t('Backups that were altered');
    case 'doubtfulBackup':
      return t('Backups that may have been altered');
    case 'laterCopy':
      return t('Backups that an edit came before');
    case 'snapshotCap':
      return t('Checkpoints that are gone');
    case 'sensitive':
      return t('Sensitive files');
    case 'outside':
      return t('Files outside the open folders');
    case 'symlink':
      return t('Symbolic links');
    case 'hardLink':
      return t('Hard links');
    case 'notAFile':
      return t('What is no file');
    case 'readOnly':
      return t('Files that cannot be written');
    case 'other':
      return t('Other');
  }
}

/** What a note of this kind means for the person; null if the notes say it all. */
export function coverageExplanation(kind: CoverageKind, t: Translate): string | null {
  switch (kind) {
    case 'command':
      return t('What a command did to files that Claude did not edit itself stays as it is.');
    case 'byHand':
      return t('These changes go, too. The safety copy keeps them.');
    case 'untracked':
      return t('No checkpoint holds these files, so that they stay as they are.');
    case 'missingBackup':
    case 'alteredBackup':
      return t('What these files held then cannot be told any more, so that they stay as they are.');
    case 'doubtfulBackup':
      return t('These files change only if you choose them.');
    case 'laterCopy':
      return t('These files get such a backup all the same: what the edit did stays.');
    case 'snapshotCap':
      return t('Claude Code keeps the last 100 checkpoints of a session.');
    case 'sensitive':
      return t('They can start programs, or hold keys and settings. They stay as they are unless you choose them.');
    case 'outside':
      return t('They stay as they are unless you choose them.');
    case 'symlink':
    case 'hardLink':
    case 'notAFile':
    case 'readOnly':
      return t('They stay as they are.');
    case 'other':
      return null;
  }
}

/** What happens to a file. */
export type FileChange = 'restore' | 'delete' | 'create';

/** What happens to a file if it is chosen; null if it stays unchanged. */
export function plannedChange(file: PlannedFile): FileChange | null {
  if (file.action === 'unchanged') return null;
  if (file.action !== 'skipped') return file.action;
  // Such a file is skipped until the person confirms; any other skipped file cannot be changed.
  if (!(file.isOutside || file.isSensitive) || (file.contentPath === null && !file.exists)) return null;
  if (file.contentPath === null) return 'delete';
  return file.exists ? 'restore' : 'create';
}

/** The files, grouped by what the person is asked about them. */
export interface SortedFiles {
  /** Changed unless the person deselects them. */
  readonly inside: readonly PlannedFile[];
  /** Changed only if the person selects them. Those that are also sensitive are in the next list. */
  readonly outside: readonly PlannedFile[];
  /** Changed only if the person selects them. */
  readonly sensitive: readonly PlannedFile[];
  /** Never changed; each has its reason. */
  readonly skipped: readonly PlannedFile[];
}

export function sortFiles(plan: Pick<RewindPlan, 'files'>): SortedFiles {
  const changing = plan.files.filter((file) => plannedChange(file) !== null);
  return {
    inside: changing.filter(({ isOutside, isSensitive }) => !isOutside && !isSensitive),
    outside: changing.filter(({ isOutside, isSensitive }) => isOutside && !isSensitive),
    sensitive: changing.filter(({ isSensitive }) => isSensitive),
    skipped: plan.files.filter((file) => file.action === 'skipped' && plannedChange(file) === null),
  };
}
