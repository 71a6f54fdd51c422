import type { RowItem } from '../../../shared/conversation';
import type { Translate } from '../../ui/createTranslate';

/** Who a row is from, in a word. */
export function authorOf(item: RowItem, t: Translate): string {
  switch (item.role) {
    case 'user':
      // The client writes it in the person's name.
      if (item.blocks.some(({ kind }) => kind === 'summary')) return t('Claude Code');
      return item.isSidechain ? t('Prompt to the subagent') : t('You');
    case 'assistant':
      return t('Claude');
    case 'system':
      return t('System');
    case 'attachment':
      return t('Attachment');
    case 'progress':
      return t('Progress');
    case 'unknown':
      return t('Unknown row');
  }
}
