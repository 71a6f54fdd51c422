import { readTurnRow, type TurnRow } from '../../providers/claude/format/turnRow';
import { parseObject } from '../../util/json';

/** A tool call whose prompt is looked up. */
export interface CallQuery {
  readonly toolUseId: string | null;
  readonly promptId: string | null;
  /** When the call was about to be made, in milliseconds since the epoch. */
  readonly timeMs: number;
}

/** Finds the prompt whose turn made a tool call. Rows of the transcript must be added in their order. */
export class TurnFinder {
  readonly #rows = new Map<string, TurnRow>();
  readonly #calls = new Map<string, string>();
  readonly #starts: TurnRow[] = [];

  /** Always returns true, so that `readLines` continues. */
  readonly addLine = (line: string): true => {
    const object = line.includes('"uuid"') ? parseObject(line) : null;
    const row = object === null ? null : readTurnRow(object);
    if (row !== null) this.#add(row);
    return true;
  };

  /**
   * Finds it by the call's own row, or by `promptId`, which calls of subagents have as well. Null if neither is found.
   */
  findForCertain({ toolUseId, promptId, timeMs }: CallQuery): string | null {
    const call = toolUseId === null ? undefined : this.#calls.get(toolUseId);
    const above = call === undefined ? null : this.#promptAbove(call);
    if (above !== null || promptId === null) return above;
    const start = this.#lastStart(timeMs, (row) => row.start?.promptId === promptId);
    return start === null ? null : this.#promptAbove(start.uuid);
  }

  /** Like `findForCertain`; if that finds nothing, the last prompt before the call. Call it after adding all rows. */
  find(call: CallQuery): string | null {
    return (
      this.findForCertain(call) ?? this.#lastStart(call.timeMs, ({ start }) => start?.kind === 'prompt')?.uuid ?? null
    );
  }

  #add(row: TurnRow): void {
    this.#rows.set(row.uuid, row);
    for (const id of row.toolUses) this.#calls.set(id, row.uuid);
    if (row.start !== null) this.#starts.push(row);
  }

  #lastStart(timeMs: number, isWanted: (row: TurnRow) => boolean): TurnRow | null {
    return this.#starts.findLast((row) => !(row.timeMs > timeMs) && isWanted(row)) ?? null;
  }

  /** The nearest prompt among the row and its ancestors. */
  #promptAbove(uuid: string): string | null {
    const seen = new Set<string>();
    for (let row = this.#rows.get(uuid); row !== undefined && !seen.has(row.uuid);) {
      if (row.start?.kind === 'prompt') return row.uuid;
      seen.add(row.uuid);
      row = row.parent === null ? undefined : this.#rows.get(row.parent);
    }
    return null;
  }
}
