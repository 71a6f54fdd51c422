import type { ConversationHead } from '../../../shared/conversation';

/** Heads that the host tells, taken one after the other: of those that come meanwhile, the newest. */
export class ToldHeads {
  readonly #take: (head: ConversationHead) => Promise<void>;
  #newest: ConversationHead | null = null;
  #isTaking = false;
  #isHeld = false;

  /** @param take  what it could not take is taken again with the next call of `takeAll` */
  constructor(take: (head: ConversationHead) => Promise<void>) {
    this.#take = take;
  }

  tell(head: ConversationHead): void {
    this.#newest = head;
  }

  /** Takes none until they are released: another view is on its way. */
  hold(): void {
    this.#isHeld = true;
  }

  /** @param known  what was told before it, and was on its way longer, is dropped; null when there is none */
  release(known: ConversationHead | null): void {
    this.#isHeld = false;
    if (known !== null && this.#newest !== null && this.#newest.revision < known.revision) this.#newest = null;
  }

  /** Rejects with what went wrong over one. */
  async takeAll(): Promise<void> {
    if (this.#isTaking) return;
    this.#isTaking = true;
    try {
      for (let head = this.#next(); head !== null; head = this.#next()) {
        await this.#take(head);
        if (this.#newest === head) this.#newest = null;
      }
    } finally {
      this.#isTaking = false;
    }
  }

  #next(): ConversationHead | null {
    return this.#isHeld ? null : this.#newest;
  }
}
