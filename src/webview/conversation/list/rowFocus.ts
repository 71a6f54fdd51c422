import { signal } from '@preact/signals';
import type { OutlineState } from '../outline/outlineState';
import type { ConversationStore } from '../state/conversationStore';
import type { RowWindow } from './rowWindow';

const FOCUSABLE = 'a[href],button:not(:disabled),input,select,summary,[tabindex="0"]';
/** Distance that a key scrolls within a row that is taller than the panel. */
const STEP_PX = 120;
const PAGE_PART = 0.9;

/**
 * The list as one stop of the Tab key. Arrow keys, j and k move between rows, [ and ] between prompts, Enter moves into the row's controls, Escape back. Rows
 * are added and removed while the list scrolls; the list keeps the focus for a row that is not drawn.
 */
export class RowFocus {
  /** Index of the row that has the focus, or receives it when the list does. */
  readonly active = signal(0);
  readonly #store: ConversationStore;
  readonly #window: RowWindow;
  readonly #outline: Pick<OutlineState, 'goToPrompt'>;
  readonly #scroller: HTMLElement;
  readonly #end: HTMLElement;
  readonly #isHidden: (index: number) => boolean;
  #isWanted = false;
  #isLeaving = false;
  #last: Element | null = null;

  /**
   * @param isHidden  whether nothing of an item is shown
   * @param end  directly follows the list, and receives the focus when Shift+Tab moves back into the list
   */
  constructor(
    store: ConversationStore,
    rows: RowWindow,
    isHidden: (index: number) => boolean,
    outline: Pick<OutlineState, 'goToPrompt'>,
    scroller: HTMLElement,
    end: HTMLElement,
  ) {
    this.#store = store;
    this.#window = rows;
    this.#isHidden = isHidden;
    this.#outline = outline;
    this.#scroller = scroller;
    this.#end = end;
    this.active.value = rows.topIndex();
  }

  /** Call this after rows were drawn. */
  settle(): void {
    const focused = document.activeElement;
    const isLost = focused === document.body && this.#last !== null && !this.#last.isConnected;
    if (!this.#isWanted && !isLost && focused !== this.#scroller && focused !== this.#end) return;
    const row = this.#row(this.active.peek());
    if (row === null && !isLost) return;
    this.#isWanted = false;
    this.#focus(row ?? this.#scroller);
  }

  /** Gives a row the focus, as soon as it is drawn. */
  goTo(index: number): void {
    this.active.value = index;
    this.#isWanted = true;
    this.settle();
  }

  readonly focusIn = (event: FocusEvent): void => {
    const target = event.target instanceof Element ? event.target : null;
    this.#last = target;
    const row = target?.closest<HTMLElement>('[data-index]');
    if (row) this.active.value = Number(row.dataset['index']);
    else if (!this.#isLeaving && target !== null) this.#enter();
  };

  readonly enteredFromBelow = (): void => {
    if (!this.#isLeaving) this.#enter();
  };

  readonly focusOut = (event: FocusEvent): void => {
    if (event.relatedTarget !== null) this.#last = null;
  };

  readonly keyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target instanceof HTMLElement ? event.target : null;
    const row = target?.closest<HTMLElement>('[data-index]') ?? null;
    if (event.key === 'Tab') this.#tab(event, row);
    else if (row !== null && row !== target) this.#withinRow(event, row);
    else if (this.#move(event, row)) event.preventDefault();
  };

  /** A key while nothing has the focus, as after the page was opened by the keyboard. Tab begins at the top of the page. */
  readonly keyDownOutside = (event: KeyboardEvent): void => {
    if (event.target !== document.body || event.key === 'Tab') return;
    if (!this.#isInSight()) this.active.value = this.#window.topIndex();
    this.keyDown(event);
  };

  #move(event: KeyboardEvent, row: HTMLElement | null): boolean {
    const last = this.#store.head.peek().count - 1;
    switch (event.key) {
      case 'ArrowDown':
      case 'j':
        if (row !== null && this.#scrollsWithin(row, 1)) return true;
        this.#step(this.#next(1, last));
        return true;
      case 'ArrowUp':
      case 'k':
        if (row !== null && this.#scrollsWithin(row, -1)) return true;
        this.#step(this.#next(-1, last));
        return true;
      case ']':
        void this.#stepPrompt(1);
        return true;
      case '[':
        void this.#stepPrompt(-1);
        return true;
      case 'PageDown':
      case 'PageUp':
        this.#window.scrollBy((event.key === 'PageDown' ? 1 : -1) * this.#window.viewportHeight * PAGE_PART);
        this.goTo(this.#store.position.peek().kind === 'end' ? last : this.#window.topIndex());
        return true;
      case 'Home':
        this.#store.position.value = { kind: 'item', index: 0, offsetPx: 0 };
        this.goTo(0);
        return true;
      case 'End':
        this.#store.goToEnd();
        this.goTo(last);
        return true;
      case 'Enter':
        row?.querySelector<HTMLElement>(FOCUSABLE)?.focus();
        return row !== null;
      default:
        return false;
    }
  }

  async #stepPrompt(step: 1 | -1): Promise<void> {
    const index = await this.#outline.goToPrompt(step, this.active.peek());
    if (index !== null) this.goTo(index);
  }

  #withinRow(event: KeyboardEvent, row: HTMLElement): void {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    this.#focus(row);
  }

  /** The next item of which something is shown; the current one if there is none. */
  #next(direction: 1 | -1, last: number): number {
    const from = this.active.peek();
    for (let index = from + direction; index >= 0 && index <= last; index += direction) {
      if (!this.#isHidden(index)) return index;
    }
    return from;
  }

  #step(index: number): void {
    this.#window.bringIntoView(index);
    this.goTo(index);
  }

  /** Scrolls within a row whose end is out of view, so that it is read to its end before the next row gets the focus. */
  #scrollsWithin(row: HTMLElement, direction: 1 | -1): boolean {
    const [inner, outer] = [row.getBoundingClientRect(), this.#scroller.getBoundingClientRect()];
    const rest = direction === 1 ? inner.bottom - outer.bottom : outer.top - inner.top;
    if (rest < 1) return false;
    this.#window.scrollBy(direction * Math.min(rest + 8, Math.max(STEP_PX, outer.height / 2)));
    return true;
  }

  /** Tab leaves the list from a row, or from its last or first control: the browser continues from the list's edge. */
  #tab(event: KeyboardEvent, row: HTMLElement | null): void {
    if (row !== null && event.target !== row) {
      const controls = [...row.querySelectorAll<HTMLElement>(FOCUSABLE)].filter((element) => element.checkVisibility());
      if (event.target !== (event.shiftKey ? controls[0] : controls.at(-1))) return;
    }
    const edge = event.shiftKey ? this.#scroller : this.#end;
    this.#isLeaving = true;
    edge.focus({ preventScroll: true });
    edge.addEventListener(
      'blur',
      () => {
        this.#isLeaving = false;
      },
      { once: true },
    );
  }

  #enter(): void {
    if (!this.#isInSight()) this.active.value = this.#window.topIndex();
    this.goTo(this.active.peek());
  }

  #isInSight(): boolean {
    const view = this.#scroller.getBoundingClientRect();
    const box = this.#row(this.active.peek())?.getBoundingClientRect();
    return box !== undefined && box.bottom > view.top && box.top < view.bottom;
  }

  #row(index: number): HTMLElement | null {
    return this.#scroller.querySelector<HTMLElement>(`[data-index="${index}"]`);
  }

  #focus(element: HTMLElement): void {
    this.#isLeaving = true;
    element.focus({ preventScroll: true });
    this.#isLeaving = false;
  }
}
