import { Column } from '../util/column';

/** How `leafUuid` stands in a `last-prompt` row. */
type LeafForm = 'row' | 'null' | 'absent';

export interface LastPrompt {
  readonly line: number;
  /** Number of stored rows that come before it in the file. */
  readonly rowsBefore: number;
  readonly leafForm: LeafForm;
  /** Id of the leaf, or `NO_ID`. */
  readonly leaf: number;
  readonly isExplicit: boolean;
}

const LEAF_FORMS: readonly LeafForm[] = ['row', 'null', 'absent'];

/** The `last-prompt` rows in file order, as columns: a long session has hundreds of thousands of them. */
export class LastPromptTable {
  readonly #line = Column.uint32();
  readonly #rowsBefore = Column.uint32();
  readonly #leaf = Column.int32();
  readonly #form = Column.uint32();

  get count(): number {
    return this.#line.length;
  }

  add(entry: LastPrompt): void {
    this.#line.push(entry.line);
    this.#rowsBefore.push(entry.rowsBefore);
    this.#leaf.push(entry.leaf);
    this.#form.push(LEAF_FORMS.indexOf(entry.leafForm) * 2 + (entry.isExplicit ? 1 : 0));
  }

  get(at: number): LastPrompt {
    const form = this.#form.get(at);
    return {
      line: this.#line.get(at),
      rowsBefore: this.#rowsBefore.get(at),
      leaf: this.#leaf.get(at),
      leafForm: LEAF_FORMS[form >>> 1] ?? 'absent',
      isExplicit: (form & 1) === 1,
    };
  }
}
