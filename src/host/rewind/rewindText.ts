import type { CoverageKind, CoverageNote, PlannedFile, RewindFilesResult, RewindPlan } from '../../shared/rewind';
import type { Formats } from '../text/formats';
import { shorten } from '../text/shorten';
import type { Translate } from '../text/translate';
import { changesSentence } from './changeText';
import { coverageSummary } from './coverageText';

const MAX_PROMPT_CHARACTERS = 50;
const MAX_LISTED_PATHS = 10;

/** A prompt by its first words. */
export function promptName({ prompt }: { readonly prompt: string }, t: Translate): string {
  const words = prompt.replace(/\s+/g, ' ').trim();
  return words === '' ? t('Without words') : shorten(words, MAX_PROMPT_CHARACTERS);
}

/** What is said of files that change: of no interest for those that stay. */
const OF_CHANGES: ReadonlySet<CoverageKind> = new Set<CoverageKind>(['byHand', 'doubtfulBackup', 'laterCopy']);

/** The last question before files are changed. */
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

/** What the question explains: what changes, what does not, and how it is taken back. */
export function rewindExplanation(
  { coverage, isLive }: Pick<RewindPlan, 'coverage' | 'isLive'>,
  files: readonly PlannedFile[],
  formats: Formats,
  t: Translate,
): string {
  // What was chosen is not left outside, and what was not loses nothing.
  const chosen = new Set(files.map(({ path }) => path));
  const isLeft = ({ kind, path }: CoverageNote): boolean => {
    if (path === null) return true;
    return OF_CHANGES.has(kind) ? chosen.has(path) : kind !== 'outside' || !chosen.has(path);
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

/** With those of which only the permissions changed. */
function changedCount({ files = [] }: RewindFilesResult): number {
  return files.filter(({ action }) => action !== 'unchanged' && action !== 'skipped').length;
}

/** One path on each line, as many as a question can hold. */
export function pathList(paths: readonly string[], displayPath: (path: string) => string, t: Translate): string {
  const listed = paths.slice(0, MAX_LISTED_PATHS).map((path) => displayPath(path));
  const more = paths.length - listed.length;
  return [...listed, ...(more > 0 ? [t('{0} more', String(more))] : [])].join('\n');
}
