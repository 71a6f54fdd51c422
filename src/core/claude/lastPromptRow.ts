import { stringField, type JsonObject } from './json';

/** What a `last-prompt` row says of the leaf. (docs/format.md, "Leaf") */
export interface LastPromptRow {
  /** `row`: it names one. `null`: it says that there is none. `absent`: it says nothing. */
  readonly leafForm: 'row' | 'null' | 'absent';
  readonly leaf: string | null;
  /** Written on purpose, as a rewind of the conversation does. */
  readonly isExplicit: boolean;
}

/** Null for rows of every other type. */
export function readLastPrompt(row: JsonObject): LastPromptRow | null {
  if (row['type'] !== 'last-prompt') return null;
  const leaf = stringField(row, 'leafUuid');
  const isNamed = leaf !== null && leaf !== '';
  return {
    leafForm: isNamed ? 'row' : row['leafUuid'] === null ? 'null' : 'absent',
    leaf: isNamed ? leaf : null,
    isExplicit: Boolean(row['explicit']),
  };
}
