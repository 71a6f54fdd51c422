import { effect, signal, untracked } from '@preact/signals';
import type { VirtualItem } from '@tanstack/virtual-core';
import { Virtualizer } from '@tanstack/virtual-core';
import { dependOn } from '../../ui/dependOn';
import type { ConversationStore } from '../state/conversationStore';
import type { Position } from '../state/position';
import { estimateHeight, UNKNOWN_ROW_PX } from './estimateHeight';
import { ScrollSpace } from './scrollSpace';

/** Rows beyond both edges, so that scrolling shows no gap. The first screen does without: nobody waits for them. */
const OVERSCAN_ROWS = 8;
const PADDING_TOP_PX = 16;
const PADDING_BOTTOM_PX = 40;
/** Who comes so near to the end from above is there. */
const END_PX = 8;
/** Items beside the drawn rows whose height is estimated by what they are. */
const KNOWN_ROWS = 60;

/**
 * Which rows are drawn, and where. The reader's place is an item and pixels within it; whatever grows or shrinks, that
 * place is put back where it was, before the browser paints.
 */
export class RowWindow {
  /** Counts up when other rows are to be drawn, or in another place. */
  readonly changed = signal(0);
  readonly #store: ConversationStore;
  readonly #scroller: HTMLElement;
  readonly #space: ScrollSpace;
  readonly #virtualizer: Virtualizer<HTMLElement, HTMLElement>;
  readonly #ends: readonly (() => void)[];
  #tellOffset: (offset: number, isScrolling: boolean) => void = () => undefined;
  #width = 0;
  #lastOffset = 0;
  #isUpdating = false;
  #isDisposed = false;

  constructor(store: ConversationStore, scroller: HTMLElement, sizer: HTMLElement) {
    this.#store = store;
    this.#scroller = scroller;
    this.#space = new ScrollSpace(scroller, sizer, this.#userScrolled);
    this.#virtualizer = new Virtualizer({ ...this.#options(), initialOffset: 0 });
    this.#virtualizer.shouldAdjustScrollPositionOnItemSizeChange = () => false;
    this.#ends = [this.#virtualizer._didMount(), this.#followLayout(), this.#followStore()];
    this.#virtualizer._willUpdate();
  }

  /** Rows to draw, ascending and without gaps. */
  rows(): readonly VirtualItem[] {
    return this.#virtualizer.getVirtualItems();
  }

  /** Where the first of the rows begins within the sizer. */
  topOf(first: VirtualItem | undefined): number {
    return Math.round((first?.start ?? 0) - this.#space.shift);
  }

  readonly measure = (row: HTMLElement | null): void => {
    this.#virtualizer.measureElement(row);
  };

  /** Scrolls by so many pixels, as a person would. */
  scrollBy(pixels: number): void {
    this.#space.scrollTo(this.#space.offset + pixels);
    this.#userScrolled();
  }

  get viewportHeight(): number {
    return this.#scroller.clientHeight;
  }

  /** Brings a row into view with the least movement, its beginning first. */
  bringIntoView(index: number): void {
    const row = this.#rowAt(index);
    if (row === undefined) return;
    const { offset } = this.#space;
    const bottom = offset + this.viewportHeight;
    if (row.start < offset || row.size > this.viewportHeight) this.#space.scrollTo(row.start - 8);
    else if (row.end > bottom) this.#space.scrollTo(row.end + 8 - this.viewportHeight);
    else return;
    this.#userScrolled();
  }

  /** Brings what is between two heights within a row, in pixels, into view; where it is in sight, nothing moves. */
  bringPartIntoView(row: HTMLElement, from: number, to: number): void {
    const index = Number(row.dataset['index']);
    // It may have grown just now: were its height not known, what is deep within it would be beyond its end.
    this.#virtualizer.resizeItem(index, row.getBoundingClientRect().height);
    const start = this.#rowAt(index)?.start ?? 0;
    const { offset } = this.#space;
    if (start + from >= offset && start + to <= offset + this.viewportHeight) return;
    this.#store.position.value = { kind: 'item', index, offsetPx: from - this.viewportHeight / 3 };
  }

  /** The item that is at the top edge. */
  topIndex(): number {
    return this.#virtualizer.getVirtualItemForOffset(this.#space.offset)?.index ?? 0;
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

  #followStore(): () => void {
    return effect(() => {
      dependOn(this.#store.head, this.#store.position, this.#store.isShown);
      untracked(() => {
        this.#virtualizer.setOptions(this.#options());
        this.#update();
      });
    });
  }

  /** Puts the reader's place where it was, and has the rows drawn that are there. */
  readonly #update = (): void => {
    this.#space.setHeight(this.#virtualizer.getTotalSize());
    const before = this.#space.offset;
    this.#space.scrollTo(this.#offsetOf(this.#store.position.peek()));
    this.#lastOffset = this.#space.offset;
    if (before !== this.#space.offset) this.#tellOffset(this.#space.offset, false);
    this.changed.value++;
  };

  #offsetOf(position: Position): number {
    if (position.kind === 'end') return this.#space.maxOffset;
    const start = this.#rowAt(position.index)?.start ?? 0;
    return position.index === 0 && position.offsetPx <= 0 ? 0 : start + position.offsetPx;
  }

  /** Once for all rows that were measured, and still before the browser paints: each time, all offsets are summed up. */
  readonly #updateSoon = (): void => {
    if (this.#isUpdating) return;
    this.#isUpdating = true;
    queueMicrotask(() => {
      this.#isUpdating = false;
      if (!this.#isDisposed) this.#update();
    });
  };

  readonly #userScrolled = (): void => {
    const { offset, maxOffset } = this.#space;
    const isUpwards = offset < this.#lastOffset;
    this.#lastOffset = offset;
    this.#tellOffset(offset, false);
    const top = this.#virtualizer.getVirtualItemForOffset(offset);
    if (top === undefined || (!isUpwards && maxOffset - offset < END_PX)) this.#store.goToEnd();
    else this.#store.position.value = { kind: 'item', index: top.index, offsetPx: offset - top.start };
    this.changed.value++;
  };

  #options(): ConstructorParameters<typeof Virtualizer<HTMLElement, HTMLElement>>[0] {
    return {
      count: this.#store.head.peek().count,
      overscan: this.#store.isShown.peek() ? OVERSCAN_ROWS : 0,
      paddingStart: PADDING_TOP_PX,
      paddingEnd: PADDING_BOTTOM_PX,
      getScrollElement: () => this.#scroller,
      estimateSize: this.#estimate,
      measureElement: (row, entry) => entry?.borderBoxSize[0]?.blockSize ?? row.getBoundingClientRect().height,
      // Where the list is scrolled to is the business of the space alone.
      scrollToFn: () => undefined,
      observeElementOffset: (_, tell) => {
        this.#tellOffset = tell;
        tell(this.#space.offset, false);
      },
      observeElementRect: (_, tell) => this.#observeSize(tell),
      onChange: this.#updateSoon,
    };
  }

  readonly #estimate = (index: number): number => {
    const range = this.#virtualizer.range;
    // All of a long list is estimated whenever a row is measured.
    if (range === null || index < range.startIndex - KNOWN_ROWS || index > range.endIndex + KNOWN_ROWS)
      return UNKNOWN_ROW_PX;
    const item = this.#store.items.item(index);
    return item === null ? UNKNOWN_ROW_PX : estimateHeight(item);
  };

  #observeSize(tell: (rect: { width: number; height: number }) => void): () => void {
    const look = (): void => {
      const { clientWidth: width, clientHeight: height } = this.#scroller;
      const isNarrowed = this.#width !== 0 && this.#width !== width;
      this.#width = width;
      tell({ width, height });
      if (isNarrowed) this.#measureAgain();
      this.#update();
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(this.#scroller);
    return () => {
      observer.disconnect();
    };
  }

  /** Every row has another height at another width. */
  #measureAgain(): void {
    this.#virtualizer.measure();
    for (const row of this.#scroller.querySelectorAll<HTMLElement>('[data-index]')) {
      this.#virtualizer.resizeItem(Number(row.dataset['index']), row.getBoundingClientRect().height);
    }
  }
}
