/** Browsers limit elements to 16 to 33 million device pixels, which are fewer CSS pixels when the page is zoomed. */
const MAX_ELEMENT_PX = 8_000_000;
/** Within this distance of both ends, pixels of the element are pixels of the list. */
const TRUE_PX = 1_000_000;
/** Longest distance that a wheel or a finger scrolls between two events; a dragged scrollbar moves further. */
const JUMP_PX = 4000;
const IDLE_MS = 150;

/**
 * Scrolls through any height with an element of bounded height. A wheel, a finger or a key moves the list by as many
 * pixels as the element; a dragged scrollbar moves it proportionally. Both positions are matched again when scrolling stops.
 */
export class ScrollSpace {
  readonly #element: HTMLElement;
  readonly #sizer: HTMLElement;
  readonly #maxElementPx: number;
  readonly #onUserScroll: () => void;
  #height = 0;
  #offset = 0;
  #top = 0;
  #idle: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param element  the element that scrolls
   * @param sizer  gives the element its scroll height
   */
  constructor(element: HTMLElement, sizer: HTMLElement, onUserScroll: () => void, maxElementPx = MAX_ELEMENT_PX) {
    this.#element = element;
    this.#sizer = sizer;
    this.#onUserScroll = onUserScroll;
    this.#maxElementPx = maxElementPx;
    element.addEventListener('scroll', this.#scrolled, { passive: true });
  }

  /** Height of the part of the list above the top edge, in pixels. */
  get offset(): number {
    return this.#offset;
  }

  get maxOffset(): number {
    return Math.max(0, this.#height - this.#element.clientHeight);
  }

  /** Subtract it from a position in the list to get a position in the sizer. */
  get shift(): number {
    return this.#offset - this.#top;
  }

  setHeight(height: number): void {
    if (height === this.#height) return;
    this.#height = height;
    this.#sizer.style.height = `${Math.min(height, this.#maxElementPx)}px`;
  }

  scrollTo(offset: number): void {
    const target = Math.max(0, Math.min(offset, this.maxOffset));
    const near = target - this.shift;
    const isNear = Math.abs(target - this.#offset) < JUMP_PX && near > TRUE_PX && near < this.#maxTop - TRUE_PX;
    this.#write(target, isNear ? near : this.#toTop(target));
  }

  dispose(): void {
    clearTimeout(this.#idle);
    this.#element.removeEventListener('scroll', this.#scrolled);
  }

  get #maxTop(): number {
    return Math.max(0, Math.min(this.#height, this.#maxElementPx) - this.#element.clientHeight);
  }

  #write(offset: number, top: number): void {
    this.#offset = offset;
    if (Math.abs(top - this.#element.scrollTop) >= 1) this.#element.scrollTop = top;
    this.#top = this.#element.scrollTop;
  }

  readonly #scrolled = (): void => {
    const top = this.#element.scrollTop;
    const moved = top - this.#top;
    // The event was caused by `#write`.
    if (Math.abs(moved) < 0.5) return;
    const isAtAnEnd = top < TRUE_PX || top > this.#maxTop - TRUE_PX;
    const offset = isAtAnEnd || Math.abs(moved) > JUMP_PX ? this.#toOffset(top) : this.#offset + moved;
    this.#top = top;
    this.#offset = Math.max(0, Math.min(offset, this.maxOffset));
    clearTimeout(this.#idle);
    this.#idle = setTimeout(this.#settle, IDLE_MS);
    this.#onUserScroll();
  };

  readonly #settle = (): void => {
    const top = this.#toTop(this.#offset);
    if (Math.abs(top - this.#top) < 1) return;
    this.#write(this.#offset, top);
    this.#onUserScroll();
  };

  /** Identical at both ends, stretched in between. */
  #toOffset(top: number): number {
    const [maxTop, maxOffset] = [this.#maxTop, this.maxOffset];
    if (maxOffset <= maxTop || top <= TRUE_PX) return top;
    if (top >= maxTop - TRUE_PX) return maxOffset - (maxTop - top);
    return TRUE_PX + ((top - TRUE_PX) * (maxOffset - 2 * TRUE_PX)) / (maxTop - 2 * TRUE_PX);
  }

  #toTop(offset: number): number {
    const [maxTop, maxOffset] = [this.#maxTop, this.maxOffset];
    if (maxOffset <= maxTop || offset <= TRUE_PX) return offset;
    if (offset >= maxOffset - TRUE_PX) return maxTop - (maxOffset - offset);
    return TRUE_PX + ((offset - TRUE_PX) * (maxTop - 2 * TRUE_PX)) / (maxOffset - 2 * TRUE_PX);
  }
}
