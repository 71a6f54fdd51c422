/** A piece of code in one colour; `className` is empty for what has none. */
export interface CodeToken {
  readonly text: string;
  readonly className: string;
}

/** What gives code its colours: a bundle of its own, since the first screen can be read without. */
export interface CodeHighlighter {
  /** Whether there is a language of this name, or of this file extension. */
  knows(language: string): boolean;
  /** Null where it fails. */
  highlight(code: string, language: string): readonly CodeToken[] | null;
}

/** The bundle brings the highlighter as the `detail` of this event of the window. */
export const HIGHLIGHTER_EVENT = 'rethread-highlighter';
