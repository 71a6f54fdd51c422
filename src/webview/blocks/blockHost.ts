import type { ComponentChildren } from 'preact';
import type { PanelAction } from '../../protocol/channels/panel';
import type { ContentBlock, RowItem } from '../../protocol/conversation';

/** What a block can request from the conversation that contains it. */
export interface BlockHost {
  /** The transcript that contains the row; for a subagent's rows, the subagent's own transcript. */
  readonly filePath: string;
  /** The session's folder, to which paths are relative; null if it is unknown. */
  readonly folder: string | null;
  /** For formatting dates and numbers: a BCP 47 tag. */
  readonly locale: string;
  /** Translates a sentence into the window's language; `{0}`, `{1}` … are replaced by `args`. */
  t(english: string, ...args: readonly (string | number)[]): string;
  /** The whole of a text that was cut; null if it no longer exists. */
  text(line: number, path: string): Promise<string | null>;
  /** An image as a data URL; null if it is not an image, or too large. */
  image(line: number, path: string): Promise<string | null>;
  persisted(outputPath: string): Promise<string | null>;
  act(action: PanelAction): void;
  readonly expanded: ExpandedState;
  /**
   * The nested conversation of a subagent; null at the panel's nesting limit. `leafLine`: the line of its last row, if it is
   * in the session's transcript; null if it has its own transcript.
   */
  subagent(filePath: string, leafLine: number | null): ComponentChildren;
  /**
   * The find bar's matcher, if the find bar is at the row of this line or at the row that shows it; otherwise null. Content
   * that hides a hit there is unfolded. Reading it within a component subscribes the component.
   */
  found(line: number): TextMatcher | null;
  /** Number of hits of that row to show: from the first to the furthest that was visited. At least 1. */
  reached(): number;
}

/** Non-empty ranges of a text in UTF-16 units, ascending; at most the first `limit` of them. */
export type TextMatcher = (text: string, limit?: number) => readonly { readonly start: number; readonly end: number }[];

/**
 * Which parts are unfolded, by line and path within the row. Outlives the rows' elements, which are removed when they are
 * scrolled out of view. Reading it within a component subscribes the component.
 */
export interface ExpandedState {
  /** Null if the person has not chosen: the block uses its own default. */
  get(line: number, path: string): boolean | null;
  /** What the person has chosen since the find bar moved to its current hit; null if nothing. */
  getSinceFound(line: number, path: string): boolean | null;
  set(line: number, path: string, isExpanded: boolean): void;
}

export interface BlockProps<K extends ContentBlock['kind']> {
  readonly block: Extract<ContentBlock, { readonly kind: K }>;
  readonly item: RowItem;
  readonly host: BlockHost;
}
