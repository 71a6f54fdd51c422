/** Where the reader is in the list. Pixels are counted from an item, because what is above it may still grow. */
export type Position =
  /** At the end, where new items come. */
  | { readonly kind: 'end' }
  /** So many pixels of the item are above the top edge; negative: the item begins below it. */
  | { readonly kind: 'item'; readonly index: number; readonly offsetPx: number };

export const END: Position = { kind: 'end' };
