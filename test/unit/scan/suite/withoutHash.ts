import type { DumpedRow } from '../dumpFacts';

/** Two rows may differ in what stands around them. */
export function withoutHash({ sameAs: _sameAs, ...row }: DumpedRow): Omit<DumpedRow, 'sameAs'> {
  return row;
}
