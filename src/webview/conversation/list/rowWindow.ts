import { effect, signal, untracked } from '@preact/signals';
import { type VirtualItem, Virtualizer } from '@tanstack/virtual-core';
import type { ContentBlock, CutText, PanelItem } from '../../../protocol/conversation';
import { dependOn } from '../../ui/texts';
import type { ConversationStore, Position } from '../state/conversationStore';
import type { ShownState } from '../state/shownState';
import { type Piece, piecesOf, rowsOf, showsHeader } from './pieces';
import { ScrollSpace } from './scrollSpace';

/** Rows drawn beyond both edges, so that scrolling shows no gap. The first screen has none, to appear sooner. */
const OVERSCAN_ROWS = 8;
const PADDING_TOP_PX = 16;
const PADDING_BOTTOM_PX = 40;
/** Height of the band above what was summarised: what ends behind it is not in sight. */
export const BAND_PX = 27;
/** Room above a row that is brought into view. */
const TOP_MARGIN_PX = BAND_PX + 5;
/** Scrolling down to within this distance of the end counts as reaching the end. */
const END_PX = 8;
/** Number of items on each side of the drawn rows whose height is estimated from their content. */
const KNOWN_ROWS = 60;

/**
 * Which rows are drawn, and where. The reader's position is an item and pixels within it. Whatever grows or shrinks, that
 * position is restored before the browser paints.
 */
export class RowWindow {
  /** Increases when other rows must be drawn, or when rows move. */
  readonly changed = signal(0);
  readonly #store: ConversationStore;
  readonly #scroller: HTMLElement;
  readonly #space: ScrollSpace;
  readonly #virtualizer: Virtualizer<HTMLElement, HTMLElement>;
  readonly #ends: readonly (() => void)[];
  readonly #shown: ShownState;
  #estimates = new WeakMap<PanelItem, number>();
  #notifyOffset: (offset: number, isScrolling: boolean) => void = () => undefined;
  #width = 0;
  #lastOffset = 0;
  #isUpdating = false;
  #isDisposed = false;

  constructor(store: ConversationStore, shown: ShownState, scroller: HTMLElement, sizer: HTMLElement) {
    this.#store = store;
    this.#shown = shown;
    this.#scroller = scroller;
    this.#space = new ScrollSpace(scroller, sizer, this.#userScrolled);
    this.#virtualizer = new Virtualizer({ ...this.#options(), initialOffset: 0 });
    this.#virtualizer.shouldAdjustScrollPositionOnItemSizeChange = () => false;
    this.#ends = [this.#virtualizer._didMount(), this.#followLayout(), this.#followStore(), this.#followShown()];
    this.#virtualizer._willUpdate();
  }

  /** Rows to draw, ascending and without gaps. */
  rows(): readonly VirtualItem[] {
    return this.#virtualizer.getVirtualItems();
  }

  /** Offset of the first of the rows within the sizer, in pixels. */
  topOf(first: VirtualItem | undefined): number {
    return Math.round((first?.start ?? 0) - this.#space.shift);
  }

  readonly measure = (row: HTMLElement | null): void => {
    this.#virtualizer.measureElement(row);
  };

  /** Scrolls by a number of pixels, as a person would. */
  scrollBy(pixels: number): void {
    this.#space.scrollTo(this.#space.offset + pixels);
    this.#userScrolled();
  }

  get viewportHeight(): number {
    return this.#scroller.clientHeight;
  }

  /** Brings a row into view with the least movement; its beginning has priority. */
  bringIntoView(index: number): void {
    const row = this.#rowAt(index);
    if (row === undefined) return;
    const { offset } = this.#space;
    const bottom = offset + this.viewportHeight;
    if (row.start < offset || row.size > this.viewportHeight) this.#space.scrollTo(row.start - TOP_MARGIN_PX);
    else if (row.end > bottom) this.#space.scrollTo(row.end + 8 - this.viewportHeight);
    else return;
    this.#userScrolled();
  }

  /** Brings the part between two heights within a row, in pixels, into view; does not scroll if it is visible. */
  bringPartIntoView(row: HTMLElement, from: number, to: number): void {
    const index = Number(row.dataset['index']);
    // The row may have just grown: without measuring it, a part deep within it could be beyond its known end.
    this.#virtualizer.resizeItem(index, row.getBoundingClientRect().height);
    const start = this.#rowAt(index)?.start ?? 0;
    const { offset } = this.#space;
    if (start + from >= offset && start + to <= offset + this.viewportHeight) return;
    this.#store.position.value = { kind: 'item', index, offsetPx: from - this.viewportHeight / 3 };
  }

  /** Index of the item at the top edge, or so many pixels below it. */
  topIndex(belowPx = 0): number {
    return this.#virtualizer.getVirtualItemForOffset(this.#space.offset + belowPx)?.index ?? 0;
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const end of this.#ends) end();
    this.#space.dispose();
  }

  #rowAt(index: number): VirtualItem | undefined {
    return this.#virtualizer.measurementsCache[index];
  }

  #followLayout(): () => void {
    return effect(() => {
      dependOn(this.#store.items.layout);
      untracked(() => {
        this.#virtualizer.setOptions(this.#options());
        this.#virtualizer.measure();
      });
    });
  }

  /** The heights of rows that are not drawn were those of other parts. */
  #followShown(): () => void {
    return effect(() => {
      dependOn(this.#shown.parts);
      untracked(() => {
        this.#estimates = new WeakMap();
        this.#measureAgain();
      });
    });
  }

  #followStore(): () => void {
    return effect(() => {
      dependOn(this.#store.head, this.#store.position, this.#store.isShown);
      untracked(() => {
        this.#virtualizer.setOptions(this.#options());
        this.#update();
      });
    });
  }

  /** Restores the reader's position, and requests drawing of the rows there. */
  readonly #update = (): void => {
    this.#space.setHeight(this.#virtualizer.getTotalSize());
    const before = this.#space.offset;
    this.#space.scrollTo(this.#offsetOf(this.#store.position.peek()));
    this.#lastOffset = this.#space.offset;
    if (before !== this.#space.offset) this.#notifyOffset(this.#space.offset, false);
    this.#store.seesEnd.value = this.#seesEnd;
    this.changed.value++;
  };

  #offsetOf(position: Position): number {
    if (position.kind === 'end') return this.#space.maxOffset;
    const start = this.#rowAt(position.index)?.start ?? 0;
    return position.index === 0 && position.offsetPx <= 0 ? 0 : start + position.offsetPx;
  }

  /** Updates once for all measured rows, before the browser paints, because each update sums up all offsets. */
  readonly #updateSoon = (): void => {
    if (this.#isUpdating) return;
    this.#isUpdating = true;
    queueMicrotask(() => {
      this.#isUpdating = false;
      if (!this.#isDisposed) this.#update();
    });
  };

  readonly #userScrolled = (): void => {
    const { offset } = this.#space;
    const isUpwards = offset < this.#lastOffset;
    this.#lastOffset = offset;
    this.#notifyOffset(offset, false);
    const top = this.#virtualizer.getVirtualItemForOffset(offset);
    if (top === undefined || (!isUpwards && this.#isAtEnd)) this.#store.goToEnd();
    else this.#store.position.value = { kind: 'item', index: top.index, offsetPx: offset - top.start };
    this.#store.seesEnd.value = this.#seesEnd;
    if (this.#seesEnd) this.#store.unseen.value = 0;
    this.changed.value++;
  };

  get #isAtEnd(): boolean {
    return this.#space.maxOffset - this.#space.offset < END_PX;
  }

  /** Only the space below the last row is out of sight. */
  get #seesEnd(): boolean {
    return this.#space.maxOffset - this.#space.offset <= PADDING_BOTTOM_PX;
  }

  #options(): ConstructorParameters<typeof Virtualizer<HTMLElement, HTMLElement>>[0] {
    return {
      count: this.#store.head.peek().count,
      overscan: this.#store.isShown.peek() ? OVERSCAN_ROWS : 0,
      paddingStart: PADDING_TOP_PX,
      paddingEnd: PADDING_BOTTOM_PX,
      getScrollElement: () => this.#scroller,
      estimateSize: this.#estimate,
      measureElement: (row, entry) => entry?.borderBoxSize[0]?.blockSize ?? row.getBoundingClientRect().height,
      // Only the scroll space sets the scroll position.
      scrollToFn: () => undefined,
      observeElementOffset: (_, notify) => {
        this.#notifyOffset = notify;
        notify(this.#space.offset, false);
      },
      observeElementRect: (_, notify) => this.#observeSize(notify),
      onChange: this.#updateSoon,
    };
  }

  readonly #estimate = (index: number): number => {
    const range = this.#virtualizer.range;
    // The virtualizer estimates all items of a list whenever a row is measured, so most estimates must be cheap.
    if (range === null || index < range.startIndex - KNOWN_ROWS || index > range.endIndex + KNOWN_ROWS)
      return UNKNOWN_ROW_PX;
    const item = this.#store.items.item(index);
    if (item === null) return UNKNOWN_ROW_PX;
    const known = this.#estimates.get(item) ?? estimateHeight(item, (block) => this.#shown.shows(block));
    this.#estimates.set(item, known);
    return known;
  };

  #observeSize(notify: (rect: { width: number; height: number }) => void): () => void {
    const resized = (): void => {
      const { clientWidth: width, clientHeight: height, offsetWidth } = this.#scroller;
      // What is beside the list is aligned with its column.
      document.documentElement.style.setProperty('--scrollbar', `${offsetWidth - width}px`);
      const isNarrowed = this.#width !== 0 && this.#width !== width;
      this.#width = width;
      notify({ width, height });
      if (isNarrowed) this.#measureAgain();
      this.#update();
    };
    resized();
    const observer = new ResizeObserver(resized);
    observer.observe(this.#scroller);
    return () => {
      observer.disconnect();
    };
  }

  /** Row heights depend on the width, and on the parts that are shown. */
  #measureAgain(): void {
    this.#virtualizer.measure();
    for (const row of this.#scroller.querySelectorAll<HTMLElement>('[data-index]')) {
      this.#virtualizer.resizeItem(Number(row.dataset['index']), row.getBoundingClientRect().height);
    }
  }
}

/** Height of a row that is not loaded. */
const UNKNOWN_ROW_PX = 96;
const HEADER_PX = 32;
const PADDING_PX = 4;
const LINE_PX = 21;
/** Height of a call, a note or a fold that is closed. */
const LINE_BOX_PX = 26;
/** An item of which nothing is shown keeps a height, so that the number of items that are drawn is bounded. */
const HIDDEN_PX = 1;
const CHARACTERS_A_LINE = 95;
const MAX_PX = 1200;

/** Estimated height of an item before it is drawn, accurate enough for the scrollbar. */
function estimateHeight(item: PanelItem, isShown: (block: ContentBlock) => boolean): number {
  switch (item.kind) {
    case 'break':
      return 140;
    case 'fault':
      return 64;
    case 'row':
    case 'steps': {
      const pieces = piecesOf(rowsOf(item), (_, block) => isShown(block));
      if (pieces.length === 0) return HIDDEN_PX;
      return Math.min(
        MAX_PX,
        pieces.reduce((height, piece) => height + pieceHeight(piece), PADDING_PX),
      );
    }
  }
}

function pieceHeight(piece: Piece): number {
  if (piece.kind !== 'row') return LINE_BOX_PX;
  const header = piece.isFirst && showsHeader(piece.row) ? HEADER_PX : 0;
  return piece.blocks.reduce((height, block) => height + blockHeight(block), header);
}

function blockHeight(block: ContentBlock): number {
  switch (block.kind) {
    case 'text':
    case 'error':
      return textHeight(block.body);
    case 'image':
      return 240;
    case 'tool':
      return block.result?.isError === true ? 120 : LINE_BOX_PX;
    case 'summary':
    case 'compaction':
      return 56;
    case 'thinking':
    case 'result':
    case 'interruption':
    case 'note':
    case 'raw':
      return LINE_BOX_PX;
  }
}

function textHeight({ text }: CutText): number {
  const ends = text.split('\n', MAX_PX / LINE_PX).length;
  return 16 + LINE_PX * Math.max(ends, Math.ceil(text.length / CHARACTERS_A_LINE));
}
