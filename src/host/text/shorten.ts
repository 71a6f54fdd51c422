const graphemes = new Intl.Segmenter();

/** At most so many characters as people count them: cut between grapheme clusters, so that no emoji or accent comes apart. */
export function shorten(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  // A prompt of megabytes may stand in for a title: only its head is looked at.
  const head = text.slice(0, maxCharacters * 16);
  const characters = Array.from(graphemes.segment(head), (part) => part.segment);
  if (characters.length <= maxCharacters) return head;
  return `${characters
    .slice(0, maxCharacters - 1)
    .join('')
    .trimEnd()}…`;
}
