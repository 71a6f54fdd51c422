/** A piece of code in one colour; `className` is empty if it has none. */
export interface CodeToken {
  readonly text: string;
  readonly className: string;
}

/** Highlights code. It is a separate bundle, because the first screen is readable without it. */
export interface CodeHighlighter {
  /** Whether there is a language with this name or file extension. */
  knows(language: string): boolean;
  /** Null if it fails. */
  highlight(code: string, language: string): readonly CodeToken[] | null;
}

/** The bundle passes the highlighter as the `detail` of this window event. */
export const HIGHLIGHTER_EVENT = 'rethread-highlighter';
