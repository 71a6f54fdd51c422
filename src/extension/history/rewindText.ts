import type { FileChange } from '../../protocol/channels/rewindView';
import type { CoverageKind, PlannedFile, RewindFilesResult, RewindPlan } from '../../protocol/history';
import type { Translate } from '../text/translate';
import { type Formats, shorten } from '../text/formats';

const MAX_PROMPT_CHARACTERS = 50;

/** Names a prompt by its first words. */
export function promptName({ prompt }: { readonly prompt: string }, t: Translate): string {
  const words = prompt.replace(/\s+/g, ' ').trim();
  return words === '' ? t('Without words') : shorten(words, MAX_PROMPT_CHARACTERS);
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

/** What happens to a file besides its lines: it is created or deleted, cannot be compared, or gets other permissions. */
export function changeFacts(file: PlannedFile, formats: Formats, t: Translate): string {
  const change = plannedChange(file);
  const parts = [
    change === 'create' ? t('comes back') : change === 'delete' ? t('is deleted') : null,
    change !== null && file.isBinary ? binaryText(file, formats, t) : null,
    change !== null && file.isTooLarge ? tooLargeText(file, formats, t) : null,
    change === null ? null : modeText(file, t),
  ];
  return parts.filter((part) => part !== null).join(', ');
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

/** What happens to a file if it is chosen; null if it stays unchanged. */
export function plannedChange(file: PlannedFile): FileChange | null {
  if (file.action === 'unchanged') return null;
  if (file.action !== 'skipped') return file.action;
  // Such a file is skipped until the person confirms; any other skipped file cannot be changed.
  if (!(file.isOutside || file.isSensitive) || (file.contentPath === null && !file.exists)) return null;
  if (file.contentPath === null) return 'delete';
  return file.exists ? 'restore' : 'create';
}
