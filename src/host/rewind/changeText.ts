import type { PlannedFile } from '../../shared/rewind';
import type { Formats } from '../text/formats';
import type { Translate } from '../text/translate';
import { plannedChange } from './plannedChange';

interface LineCounts {
  readonly insertions: number;
  readonly deletions: number;
}

/** Lines as programmers write them: +12 −5. Empty when there are none. */
export function lineCounts({ insertions, deletions }: LineCounts, formats: Formats): string {
  const added = insertions > 0 ? [`+${formats.number(insertions)}`] : [];
  const removed = deletions > 0 ? [`−${formats.number(deletions)}`] : [];
  return [...added, ...removed].join(' ');
}

/** What becomes of a file, in some words. */
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

/** What all of them add up to, in sentences. */
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
