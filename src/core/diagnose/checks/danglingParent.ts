import type { Finding } from '../../../protocol/repair';
import type { ChainView } from '../../providers/claude/loader/chainView';
import { NO_ID } from '../../transcript/idTable';
import { RowFlag, RowKind } from '../../transcript/rowFlags';
import { RowIndex } from '../../transcript/transcriptIndex';
import { inPlaces, type LinkCheck, NO_ROW_LOST, rowFinding } from '../check';
import { NO_PARENT, type RepairDraft } from '../repairDraft';

/** `dangling-parent`: a chain row names a parent that is not a chain row of the file. (docs/format.md, "Repair") */
export const danglingParent: LinkCheck = {
  kind: 'links',
  code: 'dangling-parent',
  weighsCost: true,

  find(loaded, cost): Finding[] {
    const { index } = loaded;
    if (index.isOrderly) return [];
    const { view } = loaded;
    const harmful: number[] = [];
    const beginnings: number[] = [];
    const harmless: number[] = [];
    for (const row of view.orphans) {
      if (view.isBreakHarmless(row)) harmless.push(row);
      else (isBeginning(view, row) ? beginnings : harmful).push(row);
    }
    const lost = (rows: readonly number[]): string =>
      rows.length === 1
        ? inPlaces(1, 'points to a message that is missing')
        : inPlaces(rows.length, 'points to one that is missing');
    const findings: Finding[] = [];
    // Without another broken link, it is a beginning that loses messages, if any does.
    const mayLose = harmful.length > 0 ? harmful : beginnings;
    const broken = mayLose.length > 0 && cost.losesRows ? mayLose : [];
    if (broken.length > 0) {
      const message = `${lost(broken)}: Claude does not find what came before.`;
      findings.push(rowFinding(index, broken, { code: 'dangling-parent', severity: 'error', action: 'auto', message }));
    }
    const costless = [beginnings, harmful].filter((rows) => rows !== broken).flat();
    if (costless.length > 0) {
      const message = `${lost(costless)}. ${NO_ROW_LOST}`;
      findings.push(
        rowFinding(index, costless, { code: 'dangling-parent', severity: 'info', action: 'tell', message }),
      );
    }
    if (harmless.length > 0) {
      const message = `${lost(harmless)}, where Claude does not look for one.`;
      findings.push(
        rowFinding(index, harmless, { code: 'dangling-parent', severity: 'info', action: 'tell', message }),
      );
    }
    return findings;
  },

  fix(draft: RepairDraft): void {
    const { index, view } = draft.loaded;
    const copies = new RowIndex(index);
    for (const row of view.orphans) {
      if (view.isBreakHarmless(row)) continue;
      const copy = copies.get(index.rows.uuid(row));
      // Copies of one message must stay copies; otherwise they would be two different messages with one uuid.
      if (copy !== NO_ID && index.rows.hash(copy) === index.rows.hash(row)) {
        draft.setParent(
          row,
          draft.parent(copy),
          'It is a copy of a message above, which points to one that is missing.',
        );
        continue;
      }
      copies.set(index.rows.uuid(row), row);
      reattach(draft, row);
    }
  },
};

/** Nothing comes before the row, and nothing that it names leads to what is in the file. */
function isBeginning(view: ChainView, row: number): boolean {
  return view.beginsHistory(row) && view.otherRowOf(view.index.rows.parent(row)) === NO_ID;
}

function reattach(draft: RepairDraft, row: number): void {
  const bridged = bridgeOf(draft, row);
  if (bridged !== NO_PARENT) {
    draft.setParent(
      row,
      bridged,
      'This message points to a line that is no message: it is linked to the message above that.',
    );
    return;
  }
  const call = callOf(draft, row);
  if (call !== NO_PARENT) {
    draft.setParent(
      row,
      call,
      'This result points to a message that is missing: it is linked to the call that it answers.',
    );
    return;
  }
  const previous = draft.nearestBefore(row);
  const why =
    previous === NO_PARENT
      ? 'This message points to one that is missing, and nothing comes before it: it becomes the first message.'
      : 'This message points to one that is missing: it is linked to the message before it.';
  draft.setParent(row, previous, why);
}

/** The chain row above the row of another kind that the link names. */
function bridgeOf(draft: RepairDraft, row: number): number {
  const { index, view } = draft.loaded;
  let id = index.rows.parent(row);
  for (let steps = 0; id !== NO_ID && steps < index.rows.count; steps++) {
    const found = view.rowOf(id);
    if (found !== NO_ID) return draft.descendsFrom(found, row) ? NO_PARENT : found;
    const other = view.otherRowOf(id);
    if (other === NO_ID) return NO_PARENT;
    id = index.rows.parent(other);
  }
  return NO_PARENT;
}

/** The row with the call of a tool result: the row that the result names, or else the last one before it with that call. */
function callOf(draft: RepairDraft, row: number): number {
  const { index, view } = draft.loaded;
  const { rows } = index;
  const [call] = rows.toolResults(row);
  if (call === undefined) return NO_PARENT;
  const named = view.rowOf(index.toolSources.get(row) ?? NO_ID);
  if (named !== NO_ID && rows.toolUses(named).includes(call) && !draft.descendsFrom(named, row)) return named;
  for (let at = row - 1; at >= view.segmentStart; at--) {
    if (rows.kind(at) !== RowKind.assistant || !rows.has(at, RowFlag.hasToolUse)) continue;
    if (rows.has(at, RowFlag.sidechain) !== rows.has(row, RowFlag.sidechain)) continue;
    if (rows.toolUses(at).includes(call)) return draft.descendsFrom(at, row) ? NO_PARENT : at;
  }
  return NO_PARENT;
}
