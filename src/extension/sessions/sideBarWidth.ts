import { Disposable, Emitter } from '../lifetime';
import type { ChoiceMemory } from './sessionFilter';

/** In pixels. As narrow as a side bar usually is made, so that ages are whole as long as nothing is known. */
export const NARROW_SIDE_BAR = 220;
/** In pixels. A page that the person has moved elsewhere, such as below the editors, is wider than any side bar. */
const WIDEST = 600;
const NARROWEST = 120;
/** The width of the side bar is the same in all windows. */
const KEPT_WIDTH = 'sideBarWidth';

/**
 * How wide the side bar is, in pixels, as its pages have told last. VS Code tells nobody how wide a tree is, so that its
 * titles are shortened by the width of the pages beside it.
 */
export class SideBarWidth extends Disposable {
  readonly #changed = this._register(new Emitter<void>());
  readonly #memory: ChoiceMemory;
  #pixels: number;

  readonly onChange = this.#changed.event;

  constructor(memory: ChoiceMemory) {
    super();
    this.#memory = memory;
    const kept = memory.get(KEPT_WIDTH);
    this.#pixels = typeof kept === 'number' && isSideBar(kept) ? kept : NARROW_SIDE_BAR;
  }

  get pixels(): number {
    return this.#pixels;
  }

  /** Called with the width of a page. */
  tell(pixels: number): void {
    if (pixels === this.#pixels || !isSideBar(pixels)) return;
    this.#pixels = pixels;
    void this.#memory.update(KEPT_WIDTH, pixels);
    this.#changed.fire();
  }
}

function isSideBar(pixels: number): boolean {
  return pixels >= NARROWEST && pixels <= WIDEST;
}
