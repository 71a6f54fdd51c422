import { type ReadonlySignal, signal, type Signal } from '@preact/signals';
import type { PanelCalls } from '../../../protocol/channels/panel';
import {
  type ConversationItem,
  type ConversationView,
  type ItemsPage,
  PAGE_ITEMS,
} from '../../../protocol/conversation';

/** Pages that are asked for at the same time: more would only be in each other's way. */
const MAX_OPEN_REQUESTS = 3;

export interface ItemLoaderDeps {
  readonly host: PanelCalls;
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
  readonly #deps: ItemLoaderDeps;
  readonly #pages = new ItemPages();
  readonly #open = new Set<number>();
  #wanted: readonly number[] = [];
  #shown = { from: 0, to: 0 };
  /** Counts up when the file has changed: pages of before are asked for again. */
  #edition = 0;

  constructor(deps: ItemLoaderDeps) {
    this.#deps = deps;
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
    const { host, filePath } = this.#deps;
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

/** Pages that are kept: with the cut texts of the contract, some megabytes. */
const MAX_PAGES = 16;

interface Page {
  readonly edition: number;
  readonly items: readonly ConversationItem[];
}

/** The items near those that are shown. Far ones are let go of and asked for again. */
class ItemPages {
  readonly #pages = new Map<number, Page>();

  item(index: number): ConversationItem | null {
    return this.#pages.get(Math.floor(index / PAGE_ITEMS))?.items[index % PAGE_ITEMS] ?? null;
  }

  /** Numbers of the pages of `[from, to]` that are not here as of `edition`. */
  missing(from: number, to: number, edition: number): number[] {
    const missing: number[] = [];
    for (let page = Math.floor(from / PAGE_ITEMS); page <= Math.floor(to / PAGE_ITEMS); page++) {
      const known = this.#pages.get(page);
      if (known?.edition !== edition) missing.push(page);
    }
    return missing;
  }

  /**
   * Keeps a page, and of the others those nearest to it. What did not change stays the same object.
   * @param edition  that of the conversation when the page was asked for: it may have changed since
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

/** The item that is known, where it says the same: then nothing is drawn again. */
function keep(known: ConversationItem | undefined, item: ConversationItem): ConversationItem {
  return known?.line === item.line && JSON.stringify(known) === JSON.stringify(item) ? known : item;
}

/** Does the work; where it cannot be done, `failure` says why, in the words of the host. Never rejects. */
export async function reportFailure(failure: Signal<string | null>, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    failure.value = error instanceof Error ? error.message : String(error);
  }
}
