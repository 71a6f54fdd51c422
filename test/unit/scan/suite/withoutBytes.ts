import type { DumpedRow } from '../dumpFacts';

/** What a row says, without which bytes it has and where: two rows may differ in what stands around them. */
export function withoutBytes({
  sameAs: _sameAs,
  offset: _offset,
  length: _length,
  ...row
}: DumpedRow): Omit<DumpedRow, 'sameAs' | 'offset' | 'length'> {
  return row;
}
