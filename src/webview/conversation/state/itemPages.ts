import type { ConversationItem, ItemsPage } from '../../../shared/conversation';
import { PAGE_ITEMS } from '../../../shared/itemPages';

/** Pages that are kept: with the cut texts of the contract, some megabytes. */
const MAX_PAGES = 16;

interface Page {
  readonly edition: number;
  readonly items: readonly ConversationItem[];
}

/** The items near those that are shown. Far ones are let go of and asked for again. */
export class ItemPages {
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
