import { Column } from '../util/column';

export type LineFaultKind =
  /** No complete JSON object. */
  | 'torn'
  /** Several objects, or an object and a rest, on one line. */
  | 'glued'
  /** NULs before, between or after rows. */
  | 'nul'
  /** A byte order mark. */
  | 'bom';

/** A line whose bytes are not one clean JSON object. */
export interface LineFault {
  readonly kind: LineFaultKind;
  readonly line: number;
  /** The fault keeps a row from being loaded that would load without it. */
  readonly hidesRow: boolean;
  /** It is the last line and has no newline. */
  readonly isUnfinished: boolean;
}

const KINDS: readonly LineFaultKind[] = ['torn', 'glued', 'nul', 'bom'];
const HIDES_ROW = 4;
const IS_UNFINISHED = 8;

/** The faulty lines of a transcript in file order, at 8 bytes each: every line may be one. */
export class LineFaultTable {
  readonly #line = Column.uint32();
  readonly #state = Column.uint32();
  readonly #counts: Record<LineFaultKind, number> = { torn: 0, glued: 0, nul: 0, bom: 0 };

  add({ kind, line, hidesRow, isUnfinished }: LineFault): void {
    this.#counts[kind]++;
    this.#line.push(line);
    this.#state.push(KINDS.indexOf(kind) | (hidesRow ? HIDES_ROW : 0) | (isUnfinished ? IS_UNFINISHED : 0));
  }

  get isEmpty(): boolean {
    return this.#line.length === 0;
  }

  count(kind: LineFaultKind): number {
    return this.#counts[kind];
  }

  *ofKind(kind: LineFaultKind): Generator<LineFault> {
    const wanted = KINDS.indexOf(kind);
    for (let at = 0; at < this.#line.length; at++) {
      const state = this.#state.get(at);
      if ((state & 3) !== wanted) continue;
      yield {
        kind,
        line: this.#line.get(at),
        hidesRow: (state & HIDES_ROW) !== 0,
        isUnfinished: (state & IS_UNFINISHED) !== 0,
      };
    }
  }
}
