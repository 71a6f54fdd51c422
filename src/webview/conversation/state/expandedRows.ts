import { signal } from '@preact/signals';
import { dependOn } from '../../ui/dependOn';
import type { ExpandedState } from '../../blocks/blockHost';

/** What is unfolded in all transcripts of the panel. */
export class ExpandedRows {
  readonly #said = new Map<string, boolean>();
  readonly #version = signal(0);

  /** @param filePath  the conversation's transcript, or a subagent's */
  of(filePath: string): ExpandedState {
    return {
      get: (line, path) => {
        dependOn(this.#version);
        return this.#said.get(`${line} ${path} ${filePath}`) ?? null;
      },
      set: (line, path, isExpanded) => {
        this.#said.set(`${line} ${path} ${filePath}`, isExpanded);
        this.#version.value++;
      },
    };
  }
}
