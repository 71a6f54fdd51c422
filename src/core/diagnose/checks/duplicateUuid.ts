import type { Finding } from '../../../protocol/repair';
import type { LoadedTranscript } from '../../providers/claude/loader/loadTranscript';
import { NO_ID } from '../../transcript/idTable';
import { ParentForm, RowFlag, RowKind } from '../../transcript/rowFlags';
import { RowIndex, type TranscriptIndex } from '../../transcript/transcriptIndex';
import { countOf } from '../../util/countOf';
import { inPlaces, type LinkCheck, rowFinding } from '../check';
import type { RepairDraft } from '../repairDraft';

/**
 * `duplicate-uuid`: two different messages with one uuid; the client keeps the later one. Copies of one message, and rows from
 * before the last compaction, lose nothing. (docs/format.md, "Repair")
 */
export const duplicateUuid: LinkCheck = {
  kind: 'links',
  code: 'duplicate-uuid',

  find(loaded): Finding[] {
    const { index } = loaded;
    const pairs = findPairs(loaded);
    const harmful = pairs.filter((pair) => pair.isHarmful).flatMap((pair) => [pair.earlier, pair.later]);
    const harmless = pairs.filter((pair) => !pair.isHarmful).flatMap((pair) => [pair.earlier, pair.later]);
    const findings: Finding[] = [];
    const rowsOf = (list: readonly number[]): number[] => [...new Set(list)];
    if (harmful.length > 0) {
      const rows = rowsOf(harmful);
      const message = `${inPlaces(rows.length, 'has the uuid of a different one')}: Claude keeps only the last of each.`;
      findings.push(rowFinding(index, rows, { code: 'duplicate-uuid', severity: 'error', action: 'auto', message }));
    }
    if (harmless.length > 0) {
      const rows = rowsOf(harmless);
      const copies = new Set(pairs.filter((pair) => !pair.isHarmful).map(({ later }) => later)).size;
      const message =
        copies === 1
          ? 'A line repeats a message that is in the file before it; the copy costs nothing.'
          : `${countOf(copies, 'line')} repeat messages that are in the file before them; the copies cost nothing.`;
      findings.push(rowFinding(index, rows, { code: 'duplicate-uuid', severity: 'info', action: 'tell', message }));
    }
    return findings;
  },

  /** The later row gets a fresh uuid. Links after it in the file that name the uuid mean the later row. */
  fix(draft: RepairDraft): void {
    const { index } = draft;
    const later = new Set<number>();
    const shared = new Set<number>();
    for (const pair of findPairs(draft.loaded)) {
      if (!pair.isHarmful) continue;
      later.add(pair.later);
      shared.add(index.rows.uuid(pair.later));
    }
    if (later.size === 0) return;
    const nearest = new RowIndex(index);
    const firstOf = new RowIndex(index);
    for (let row = 0; row < index.rows.count; row++) {
      const uuid = index.rows.uuid(row);
      if (draft.loaded.view.isChainRow(row) && shared.has(uuid) && firstOf.get(uuid) === NO_ID) firstOf.set(uuid, row);
    }
    for (let row = 0; row < index.rows.count; row++) {
      const parent = index.rows.parent(row);
      if (index.rows.parentForm(row) === ParentForm.text && shared.has(parent)) {
        relink(draft, row, nearest.get(parent) === NO_ID ? firstOf.get(parent) : nearest.get(parent), later);
      }
      const source = nearest.get(toolSourceOf(index, row));
      if (later.has(source)) draft.setToolSource(row, source, 'The message that it answers has a fresh uuid.');
      const uuid = index.rows.uuid(row);
      if (shared.has(uuid) && draft.loaded.view.isChainRow(row)) nearest.set(uuid, row);
      if (later.has(row))
        draft.giveFreshUuid(row, 'Another message has the same uuid: this later one gets a fresh uuid.');
    }
  },
};

/** The other rows with the same message, which cost nothing as long as they stay copies of it. */
export function copiesOfRows({ index, view }: LoadedTranscript): (row: number) => readonly number[] {
  if (index.isOrderly || !view.hasDuplicates) return () => [];
  const { rows } = index;
  const first = new RowIndex(index);
  const shared = new Map<number, number[]>();
  for (let row = 0; row < rows.count; row++) {
    const uuid = rows.uuid(row);
    if (uuid === NO_ID || rows.kind(row) === RowKind.other) continue;
    const earlier = first.get(uuid);
    if (earlier === NO_ID) first.set(uuid, row);
    else shared.set(uuid, [...(shared.get(uuid) ?? [earlier]), row]);
  }
  return (row) => {
    const others = row < 0 ? [] : (shared.get(rows.uuid(row)) ?? []);
    return others.filter((other) => other !== row && rows.hash(other) === rows.hash(row));
  };
}

function relink(draft: RepairDraft, row: number, parent: number, later: ReadonlySet<number>): void {
  if (later.has(parent)) draft.setParent(row, parent, 'Its parent has a fresh uuid.');
  else draft.assumeParent(row, parent);
}

function toolSourceOf(index: TranscriptIndex, row: number): number {
  if (!index.rows.has(row, RowFlag.toolSource)) return NO_ID;
  return index.toolSources.get(row) ?? index.rows.parent(row);
}

interface Pair {
  readonly earlier: number;
  readonly later: number;
  readonly isHarmful: boolean;
}

function findPairs(loaded: LoadedTranscript): Pair[] {
  const { index } = loaded;
  if (index.isOrderly || !loaded.view.hasDuplicates) return [];
  const { view } = loaded;
  const { rows } = index;
  const last = new RowIndex(index);
  const pairs: Pair[] = [];
  for (let row = 0; row < rows.count; row++) {
    const uuid = rows.uuid(row);
    if (uuid === NO_ID || rows.kind(row) === RowKind.other) continue;
    const earlier = last.get(uuid);
    last.set(uuid, row);
    if (earlier === NO_ID) continue;
    const isHarmful = rows.hash(earlier) !== rows.hash(row) && !view.isBreakHarmless(earlier);
    pairs.push({ earlier, later: row, isHarmful });
  }
  return pairs;
}
