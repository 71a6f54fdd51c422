import type { Finding } from '../../protocol/repair';
import { NO_ID } from '../transcript/idTable';
import type { ListedRows } from '../transcript/plainTranscript';
import { ParentForm, RowFlag, RowKind } from '../transcript/rowTable';
import { RowIndex, type TranscriptFacts } from '../transcript/transcriptIndex';
import type { Examination } from './examination';
import { count, type FaultClass, listRows, rowFinding } from './faultClass';
import type { RepairDraft } from './repairDraft';

/**
 * `duplicate-uuid`: two different rows with one uuid; the client keeps the later one. Identical copies, and copies from
 * before the last compaction, cost nothing. (docs/format.md, "Repair")
 */
export const duplicateUuid: FaultClass = {
  code: 'duplicate-uuid',

  find(examination): Finding[] {
    const { facts } = examination;
    const pairs = findPairs(examination);
    const harmful = pairs.filter((pair) => pair.isHarmful).flatMap((pair) => [pair.earlier, pair.later]);
    const harmless = pairs.filter((pair) => !pair.isHarmful).flatMap((pair) => [pair.earlier, pair.later]);
    const findings: Finding[] = [];
    const rowsOf = (list: readonly number[]): number[] => [...new Set(list)];
    if (harmful.length > 0) {
      const rows = rowsOf(harmful);
      const message = `${count(rows.length, 'row')} share a uuid with a different row: Claude keeps only the last of each.`;
      findings.push(rowFinding(facts, { code: 'duplicate-uuid', severity: 'error', action: 'auto', rows, message }));
    }
    return [...findings, ...copyFindings(listRows(facts, rowsOf(harmless)))];
  },

  /** The later row gets a fresh uuid; what comes after it in the file and names the uuid means the later row. */
  mend(draft: RepairDraft): void {
    const { facts } = draft;
    const later = new Set<number>();
    const shared = new Set<number>();
    for (const pair of findPairs(draft.examination)) {
      if (!pair.isHarmful) continue;
      later.add(pair.later);
      shared.add(facts.rows.uuid(pair.later));
    }
    if (later.size === 0) return;
    const nearest = new RowIndex(facts);
    const firstOf = new RowIndex(facts);
    for (let row = 0; row < facts.rows.count; row++) {
      const uuid = facts.rows.uuid(row);
      if (draft.examination.view.isChainRow(row) && shared.has(uuid) && firstOf.get(uuid) === NO_ID)
        firstOf.set(uuid, row);
    }
    for (let row = 0; row < facts.rows.count; row++) {
      const parent = facts.rows.parent(row);
      if (facts.rows.parentForm(row) === ParentForm.text && shared.has(parent)) {
        relink(draft, row, nearest.get(parent) === NO_ID ? firstOf.get(parent) : nearest.get(parent), later);
      }
      const source = nearest.get(toolSourceOf(facts, row));
      if (later.has(source)) draft.setToolSource(row, source, 'The row it answers has a fresh uuid.');
      const uuid = facts.rows.uuid(row);
      if (shared.has(uuid) && draft.examination.view.isChainRow(row)) nearest.set(uuid, row);
      if (later.has(row)) draft.giveFreshUuid(row, 'Another row has the same uuid: this later one gets a fresh uuid.');
    }
  },
};

/** What is said of rows with copies that cost nothing. */
export function copyFindings({ total, lines, uuids }: ListedRows): Finding[] {
  if (total === 0) return [];
  const message = `${count(total, 'row')} stand in the file more than once; the copies cost nothing.`;
  return [{ code: 'duplicate-uuid', severity: 'info', action: 'tell', lines, uuids, message }];
}

function relink(draft: RepairDraft, row: number, parent: number, later: ReadonlySet<number>): void {
  if (later.has(parent)) draft.setParent(row, parent, 'Its parent has a fresh uuid.');
  else draft.assumeParent(row, parent);
}

function toolSourceOf(facts: TranscriptFacts, row: number): number {
  if (!facts.rows.has(row, RowFlag.toolSource)) return NO_ID;
  return facts.toolSources.get(row) ?? facts.rows.parent(row);
}

interface Pair {
  readonly earlier: number;
  readonly later: number;
  readonly isHarmful: boolean;
}

function findPairs({ facts, view }: Examination): Pair[] {
  if (!view.hasDuplicates) return [];
  const { rows } = facts;
  const last = new RowIndex(facts);
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
