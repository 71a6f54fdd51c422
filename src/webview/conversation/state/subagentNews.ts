import { signal, type Signal } from '@preact/signals';

/** Which transcripts changed since they were read: those of subagents that are shown under their calls. */
export class SubagentNews {
  readonly #changes = new Map<string, Signal<number>>();

  /** Counts up whenever the transcript has changed. */
  of(filePath: string): Signal<number> {
    const known = this.#changes.get(filePath) ?? signal(0);
    this.#changes.set(filePath, known);
    return known;
  }

  tell(filePath: string): void {
    const known = this.#changes.get(filePath);
    if (known !== undefined) known.value++;
  }
}
