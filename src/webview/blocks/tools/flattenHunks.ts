import type { DiffHunk } from '../../../shared/conversation';

export type DiffRow =
  | { readonly kind: 'gap' }
  | {
      readonly kind: 'context' | 'added' | 'removed';
      /** In the file as it became; for a removed line, as it was. */
      readonly number: number;
      readonly text: string;
    };

/** The rows of a diff in the order in which they are read; `gap` stands for lines that did not change. */
export function flattenHunks(hunks: readonly DiffHunk[], maxRows: number): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  for (const hunk of hunks) {
    if (rows.length > 0) rows.push({ kind: 'gap' });
    let before = hunk.oldStart;
    let after = hunk.newStart;
    for (const { kind, text } of hunk.lines) {
      if (rows.length >= maxRows) return rows;
      rows.push({ kind, number: kind === 'removed' ? before : after, text });
      if (kind !== 'added') before += 1;
      if (kind !== 'removed') after += 1;
    }
  }
  return rows;
}
