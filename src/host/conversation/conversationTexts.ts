import type { Translate } from '../text/translate';

/** Every sentence and word of the conversation panel, by its English text, in the language of the window. */
export function conversationTexts(_t: Translate): Readonly<Record<string, string>> {
  return {};
}
