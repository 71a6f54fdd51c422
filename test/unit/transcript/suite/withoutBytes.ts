import type { DumpedRow } from '../dumpFacts';

/** A row without its bytes and their position: two equal rows may differ in what surrounds them. */
export function withoutBytes({
  sameAs: _sameAs,
  offset: _offset,
  ...row
}: DumpedRow): Omit<DumpedRow, 'sameAs' | 'offset'> {
  return row;
}
