import type { Translate } from '../../ui/createTranslate';

/** What a branch is called by: its first words, where it has any. */
export function branchName(label: string, t: Translate): string {
  return label === '' ? t('Without words') : label;
}
