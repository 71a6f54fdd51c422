import type { ComponentChildren } from 'preact';
import type { PanelAction } from '../../protocol/channels/panel';
import type { ContentBlock, RowItem } from '../../protocol/conversation';

/** What a block may ask of the conversation that it stands in. */
export interface BlockHost {
  /** The transcript that the row is in: a subagent's own one for its rows. */
  readonly filePath: string;
  /** For dates and figures: a BCP 47 tag. */
  readonly locale: string;
  /** The sentence in the language of the window; `{0}`, `{1}` … stand for `args`. */
  t(english: string, ...args: readonly (string | number)[]): string;
  /** All of a text that was cut; null when it is not there any more. */
  text(line: number, path: string): Promise<string | null>;
  /** An image as a data URL; null when it is none, or too large. */
  image(line: number, path: string): Promise<string | null>;
  persisted(outputPath: string): Promise<string | null>;
  act(action: PanelAction): void;
  readonly expanded: ExpandedState;
  /**
   * The conversation of a subagent, nested; null where the panel nests no deeper. `leafLine`: of its last row, where it stands
   * in the transcript of the session.
   */
  subagent(filePath: string, leafLine: number | null): ComponentChildren;
  /**
   * What the find bar looks for, where it stands at the row of this line, or at the one that shows it; null for all others.
   * What hides a hit there is unfolded. Reading it within a component subscribes the component.
   */
  found(line: number): TextMatcher | null;
  /** Hits of that row, from the first to the furthest that was gone to: all are to be shown. 1 or more. */
  reached(): number;
}

/** Ranges of a text in UTF-16 units, ascending, none of them empty; the first `limit` of them. */
export type TextMatcher = (text: string, limit?: number) => readonly { readonly start: number; readonly end: number }[];

/**
 * What is unfolded, by line and path within the row. Outlives the rows' elements, which are thrown away when they are
 * scrolled out of sight. Reading it within a component subscribes the component.
 */
export interface ExpandedState {
  /** Null where the person has not said: the block goes by its own default. */
  get(line: number, path: string): boolean | null;
  /** What the person said since the find bar went where it is; null where nothing was. */
  getSinceFound(line: number, path: string): boolean | null;
  set(line: number, path: string, isExpanded: boolean): void;
}

export interface BlockProps<K extends ContentBlock['kind']> {
  readonly block: Extract<ContentBlock, { readonly kind: K }>;
  readonly item: RowItem;
  readonly host: BlockHost;
}
