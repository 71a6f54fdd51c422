const ASCII_PUNCTUATION = /[!-/:-@[-`{-~]/g;

/**
 * Text that shows as it is in a `MarkdownString`, `$(icons)` included. `MarkdownString.appendText` would turn its spaces
 * into ones that no line breaks at.
 */
export function escapeMarkdown(text: string): string {
  const oneLine = text.replace(/\s+/g, ' ');
  // VS Code looks for icons in what markdown leaves, so a dollar sign has to survive that as an entity.
  return oneLine.replace(ASCII_PUNCTUATION, (character) => (character === '$' ? '&#36;' : `\\${character}`));
}
