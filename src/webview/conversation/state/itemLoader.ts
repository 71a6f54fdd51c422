import { signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { ConversationItem, ConversationView, ItemsPage } from '../../../shared/conversation';
import { PAGE_ITEMS } from '../../../shared/itemPages';
import type { Host } from '../connectHost';
import { ItemPages } from './itemPages';
import { reportFailure } from './reportFailure';

/** Pages that are asked for at the same time: more would only be in each other's way. */
const MAX_OPEN_REQUESTS = 3;

export interface ItemLoaderParts {
  readonly host: Host;
  readonly filePath: string;
  readonly view: ReadonlySignal<ConversationView>;
  readonly failure: Signal<string | null>;
}

/** The items of the view that are here, and those that are asked for, since they are on screen and not here. */
export class ItemLoader {
  /** Counts up whenever `item` answers differently. */
  readonly version = signal(0);
  /** Counts up when items moved: heights that were measured are not theirs any more. */
  readonly layout = signal(0);
  readonly #parts: ItemLoaderParts;
  readonly #pages = new ItemPages();
  readonly #open = new Set<number>();
  #wanted: readonly number[] = [];
  #shown = { from: 0, to: 0 };
  /** Counts up when the file has changed: pages of before are asked for again. */
  #edition = 0;

  constructor(parts: ItemLoaderParts) {
    this.#parts = parts;
  }

  /** Indexes of the first and the last item that are drawn. */
  get shown(): { readonly from: number; readonly to: number } {
    return this.#shown;
  }

  item(index: number): ConversationItem | null {
    return this.#pages.item(index);
  }

  /** These items are on screen, or soon will be. */
  show(from: number, to: number): void {
    this.#shown = { from, to };
    this.#wanted = this.#pages.missing(from, to, this.#edition);
    for (const page of this.#wanted) {
      if (this.#open.size >= MAX_OPEN_REQUESTS) return;
      if (!this.#open.has(page)) void this.#askFor(page);
    }
  }

  /** Whether the page of an item is not here as the file is. */
  isMissing(page: number): boolean {
    return this.#pages.missing(page * PAGE_ITEMS, page * PAGE_ITEMS, this.#edition).length > 0;
  }

  /** Asks for pages without keeping them. */
  load(view: ConversationView, pages: readonly number[]): Promise<ItemsPage[]> {
    const { host, filePath } = this.#parts;
    return Promise.all(pages.map((page) => host.items(filePath, view, page * PAGE_ITEMS, PAGE_ITEMS)));
  }

  keep(pages: readonly ItemsPage[], edition = this.#edition): void {
    for (const page of pages) this.#pages.put(page, edition);
    this.version.value++;
  }

  /** The file has changed. @param haveMoved  no item is where it was, or what it was */
  takeEdition(pages: readonly ItemsPage[], haveMoved: boolean): void {
    this.#edition++;
    if (haveMoved) {
      this.#pages.clear();
      this.layout.value++;
    }
    this.keep(pages);
  }

  async #askFor(page: number): Promise<void> {
    const { view, failure } = this.#parts;
    const [layout, edition] = [this.layout.peek(), this.#edition];
    this.#open.add(page);
    await reportFailure(failure, async () => {
      const loaded = await this.load(view.peek(), [page]);
      if (layout === this.layout.peek()) this.keep(loaded, edition);
    });
    this.#open.delete(page);
    if (failure.peek() === null) this.show(this.#shown.from, this.#shown.to);
  }
}
