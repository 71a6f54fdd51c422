import { signal } from '@preact/signals';
import type { PanelItem, RowItem } from '../../../protocol/conversation';
import type { ExpandedState } from '../../blocks/blockHost';
import { dependOn } from '../../ui/texts';

/** Which parts are unfolded, in all transcripts of the panel. */
export class ExpandedRows {
  readonly #said = new Map<string, boolean>();
  /** Choices made since the find bar moved to its current hit. */
  readonly #sinceFound = new Map<string, boolean>();
  readonly #version = signal(0);

  /** @param filePath  the conversation's transcript, or a subagent's */
  of(filePath: string): ExpandedState {
    const keyOf = (line: number, path: string): string => `${line} ${path} ${filePath}`;
    const getFrom = (said: ReadonlyMap<string, boolean>) => (line: number, path: string) => {
      dependOn(this.#version);
      return said.get(keyOf(line, path)) ?? null;
    };
    return {
      get: getFrom(this.#said),
      getSinceFound: getFrom(this.#sinceFound),
      set: (line, path, isExpanded) => {
        for (const said of [this.#said, this.#sinceFound]) said.set(keyOf(line, path), isExpanded);
        this.#version.value++;
      },
    };
  }

  /** Closes what the person has opened, and opens what they have closed. */
  clear(): void {
    this.#said.clear();
    this.#sinceFound.clear();
    this.#version.value++;
  }

  /** Call this when the find bar moves to another hit: choices since the previous hit no longer apply. */
  found(): void {
    this.#sinceFound.clear();
    this.#version.value++;
  }
}

/** The lines of the item's rows, and of the results shown in it. */
export function linesOf(item: PanelItem): number[] {
  if (item.kind === 'row') return linesOfRow(item);
  return item.kind === 'steps' ? item.rows.flatMap(linesOfRow) : [item.line];
}

function linesOfRow({ line, blocks }: RowItem): number[] {
  return [
    line,
    ...blocks.flatMap((block) => (block.kind === 'tool' && block.result !== null ? [block.result.line] : [])),
  ];
}
