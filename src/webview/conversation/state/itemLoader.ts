import { type ReadonlySignal, signal, type Signal } from '@preact/signals';
import type { PanelCalls } from '../../../protocol/channels/panel';
import { type PanelItem, type ConversationView, type ItemsPage, PAGE_ITEMS } from '../../../protocol/conversation';

/** Most pages requested at the same time: more would only delay each other. */
const MAX_OPEN_REQUESTS = 3;

export interface ItemLoaderDeps {
  readonly host: PanelCalls;
  readonly filePath: string;
  readonly view: ReadonlySignal<ConversationView>;
  readonly failure: Signal<string | null>;
}

/** The loaded items of the view; requests those on screen that are missing. */
export class ItemLoader {
  /** Increases whenever the results of `item` change. */
  readonly version = signal(0);
  /** Increases when items move, so that measured heights are no longer valid. */
  readonly layout = signal(0);
  readonly #deps: ItemLoaderDeps;
  readonly #pages = new ItemPages();
  readonly #open = new Set<number>();
  #wanted: readonly number[] = [];
  #shown = { from: 0, to: 0 };
  /** Increases when the file changes: pages of an earlier edition are requested again. */
  #edition = 0;

  constructor(deps: ItemLoaderDeps) {
    this.#deps = deps;
  }

  /** Indexes of the first and the last drawn item. */
  get shown(): { readonly from: number; readonly to: number } {
    return this.#shown;
  }

  item(index: number): PanelItem | null {
    return this.#pages.item(index);
  }

  /** Declares that these items are on screen or soon will be. */
  show(from: number, to: number): void {
    this.#shown = { from, to };
    this.#wanted = this.#pages.missing(from, to, this.#edition);
    for (const page of this.#wanted) {
      if (this.#open.size >= MAX_OPEN_REQUESTS) return;
      if (!this.#open.has(page)) void this.#askFor(page);
    }
  }

  /** Whether a page is not loaded in its current edition. */
  isMissing(page: number): boolean {
    return this.#pages.missing(page * PAGE_ITEMS, page * PAGE_ITEMS, this.#edition).length > 0;
  }

  /** Requests pages without keeping them. */
  load(view: ConversationView, pages: readonly number[]): Promise<ItemsPage[]> {
    const { host, filePath } = this.#deps;
    return Promise.all(pages.map((page) => host.items(filePath, view, page * PAGE_ITEMS, PAGE_ITEMS)));
  }

  keep(pages: readonly ItemsPage[], edition = this.#edition): void {
    for (const page of pages) this.#pages.put(page, edition);
    this.version.value++;
  }

  /** Handles a change of the file. @param haveMoved  items may have moved or been replaced */
  takeEdition(pages: readonly ItemsPage[], haveMoved: boolean): void {
    this.#edition++;
    if (haveMoved) {
      this.#pages.clear();
      this.layout.value++;
    }
    this.keep(pages);
  }

  async #askFor(page: number): Promise<void> {
    const { view, failure } = this.#deps;
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

/** Pages that are kept: with the protocol's limit on texts, a few megabytes. */
const MAX_PAGES = 16;

interface Page {
  readonly edition: number;
  readonly items: readonly PanelItem[];
}

/** The items near those that are shown. Distant ones are dropped, and requested again when needed. */
class ItemPages {
  readonly #pages = new Map<number, Page>();

  item(index: number): PanelItem | null {
    return this.#pages.get(Math.floor(index / PAGE_ITEMS))?.items[index % PAGE_ITEMS] ?? null;
  }

  /** Numbers of the pages of `[from, to]` that are not loaded as of `edition`. */
  missing(from: number, to: number, edition: number): number[] {
    const missing: number[] = [];
    for (let page = Math.floor(from / PAGE_ITEMS); page <= Math.floor(to / PAGE_ITEMS); page++) {
      const known = this.#pages.get(page);
      if (known?.edition !== edition) missing.push(page);
    }
    return missing;
  }

  /**
   * Keeps a page, and of the others those nearest to it. Unchanged items remain the same objects.
   * @param edition  the edition when the page was requested: the file may have changed since
   */
  put({ from, items }: ItemsPage, edition: number): void {
    const page = Math.floor(from / PAGE_ITEMS);
    const before = this.#pages.get(page)?.items ?? [];
    this.#pages.set(page, { edition, items: items.map((item, at) => keep(before[at], item)) });
    while (this.#pages.size > MAX_PAGES) {
      const far = [...this.#pages.keys()].reduce((one, other) =>
        Math.abs(one - page) >= Math.abs(other - page) ? one : other,
      );
      this.#pages.delete(far);
    }
  }

  clear(): void {
    this.#pages.clear();
  }
}

/** Returns the known item if it is equal, so that nothing is drawn again. */
function keep(known: PanelItem | undefined, item: PanelItem): PanelItem {
  return known?.line === item.line && JSON.stringify(known) === JSON.stringify(item) ? known : item;
}

/** Runs the work; if it fails, sets `failure` to the extension's explanation. Never rejects. */
export async function reportFailure(failure: Signal<string | null>, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    failure.value = error instanceof Error ? error.message : String(error);
  }
}
