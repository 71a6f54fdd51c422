/** What the newest `last-prompt` row that says anything of the leaf says. (docs/format.md, "Leaf") */
export interface LastPrompt {
  readonly line: number;
  /** Number of stored rows that come before it in the file. */
  readonly rowsBefore: number;
  /** Id of the row it names; `NO_ID` when it says that there is none. */
  readonly leaf: number;
  /** Written on purpose, as a rewind of the conversation does. */
  readonly isExplicit: boolean;
}
