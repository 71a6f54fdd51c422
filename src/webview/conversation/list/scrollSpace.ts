/** Browsers end at 16 to 33 million pixels, of the screen: less when the page is zoomed. */
const MAX_ELEMENT_PX = 8_000_000;
/** So far from both ends, pixels of the element are pixels of the list. */
const TRUE_PX = 1_000_000;
/** What the pointer moves at most with a wheel or a finger between two events; a dragged scrollbar moves more. */
const JUMP_PX = 4000;
const IDLE_MS = 150;

/**
 * Scrolls through any height with an element of bounded height. A wheel, a finger or a key moves the list by as many
 * pixels as the element; the scrollbar, dragged, by its share. Both agree again when nothing moves.
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
   * @param element  scrolls
   * @param sizer  gives it its height
   */
  constructor(element: HTMLElement, sizer: HTMLElement, onUserScroll: () => void, maxElementPx = MAX_ELEMENT_PX) {
    this.#element = element;
    this.#sizer = sizer;
    this.#onUserScroll = onUserScroll;
    this.#maxElementPx = maxElementPx;
    element.addEventListener('scroll', this.#scrolled, { passive: true });
  }

  /** What of the list is above the top edge. */
  get offset(): number {
    return this.#offset;
  }

  get maxOffset(): number {
    return Math.max(0, this.#height - this.#element.clientHeight);
  }

  /** To be taken from a position in the list for one in the sizer. */
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
    // Told of what was written here.
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

  /** As it is at both ends, stretched between. */
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
