import type { DumpedRow } from '../dumpFacts';

/** What a row says, without which bytes it has and where: two rows may differ in what stands around them. */
export function withoutBytes({
  sameAs: _sameAs,
  offset: _offset,
  ...row
}: DumpedRow): Omit<DumpedRow, 'sameAs' | 'offset'> {
  return row;
}
