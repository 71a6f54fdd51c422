import type { ConversationItem, RowItem } from '../../protocol/conversation';
import type { Finding } from '../../protocol/repair';
import { NO_ID } from '../transcript/idTable';
import { RowFlag, RowKind } from '../transcript/rowTable';
import { rowAtLine, type TranscriptRows } from '../transcript/transcriptRows';
import { describeBranch } from './branches';
import { describeRow } from './items/describeRow';
import { cutText, MAX_UNITS, oneLine } from './items/itemText';
import { bareContext, type ResultRow, type RowContext } from './items/rowContext';
import type { ConversationOrder } from './order/conversationOrder';
import { ItemKind } from './order/itemBuilder';
import type { TranscriptState } from './transcriptState';

/** Number of bytes displayed of a line that cannot be parsed. */
const MAX_RAW_BYTES = 4 * MAX_UNITS.raw;
/** Maximum number of branches per row; the most recently written ones are kept. */
const MAX_BRANCHES = 300;
/** Maximum number of lines listed for a fault. */
const MAX_RUN = 100;

/** Reads the items of one view. Valid as long as the state and the rows are. */
export class ItemReader {
  constructor(
    private readonly state: TranscriptState,
    private readonly order: ConversationOrder,
    private readonly rows: TranscriptRows,
    private readonly findSubagent: RowContext['findSubagent'],
  ) {}

  /** @param index less than the count of the view */
  item(index: number): ConversationItem {
    const value = this.order.values[index] ?? 0;
    switch (this.order.kinds[index]) {
      case ItemKind.unknown:
        return this.#unknown(value);
      case ItemKind.fault:
        return { kind: 'fault', line: value, findings: this.#findingsOf(value) };
      case ItemKind.break:
        return { kind: 'break', line: value, isHealed: false, findings: this.#findingsOf(value) };
      case ItemKind.healedBreak:
        return { kind: 'break', line: value, isHealed: true, findings: this.#findingsOf(value) };
      default:
        return this.#row(value, index);
    }
  }

  #row(row: number, index: number): RowItem {
    const { table } = this.rows;
    const results = this.order.pairs.resultsOf(row);
    const context: RowContext = {
      line: table.line(row),
      pathPrefix: this.state.pathPrefix(row),
      isLoaded: this.state.isLoaded(row),
      continues: this.#continues(row, index),
      ...this.#branches([row, ...results]),
      results: results.flatMap((result) => this.#result(result)),
      earlierRows: table.has(row, RowFlag.compactBoundary) ? this.#rowsBefore(index) : 0,
      findSubagent: this.findSubagent,
      findSidechain: (toolUseId) => this.state.sidechains.leafLines.get(toolUseId) ?? null,
    };
    const object = this.rows.object(row);
    return object === null ? this.#unread(row, context) : describeRow(object, context);
  }

  /** The number of rows displayed above the item, including those displayed in the blocks of their calls. */
  #rowsBefore(index: number): number {
    const { table } = this.rows;
    const { itemOfRow } = this.order;
    let count = 0;
    for (let row = 0; row < table.count; row++) {
      const item = itemOfRow[row] ?? NO_ID;
      if (item !== NO_ID && item < index && table.kind(row) !== RowKind.other) count++;
    }
    return count;
  }

  #result(row: number): ResultRow[] {
    const object = this.rows.object(row);
    if (object === null) return [];
    return [{ line: this.rows.table.line(row), pathPrefix: this.state.pathPrefix(row), object }];
  }

  /** The first bytes of a row that is too long to be parsed, or that no longer exists. */
  #unread(row: number, context: RowContext): RowItem {
    const described = describeRow({}, context);
    const text = this.rows.bytes(row, MAX_RAW_BYTES).toString('utf8');
    const body = cutText(text, MAX_UNITS.raw);
    return { ...described, blocks: [{ kind: 'raw', title: 'JSON', path: context.pathPrefix, body }] };
  }

  /** A row of an unknown type, which is not in the row table. */
  #unknown(line: number): RowItem {
    const [object] = this.rows.objectsOfLine(line);
    if (object !== undefined) return describeRow(object, bareContext(line));
    const body = cutText(this.rows.line(line, MAX_RAW_BYTES).toString('utf8'), MAX_UNITS.raw);
    return { ...describeRow({}, bareContext(line)), blocks: [{ kind: 'raw', title: 'JSON', path: '', body }] };
  }

  #continues(row: number, index: number): boolean {
    const { table } = this.rows;
    const { kinds, values } = this.order;
    const message = table.message(row);
    if (index === 0 || message === NO_ID || kinds[index - 1] !== ItemKind.row) return false;
    return table.message(values[index - 1] ?? 0) === message;
  }

  #branches(rows: readonly number[]): Pick<RowItem, 'branches' | 'moreBranches'> {
    const { branches } = this.order;
    const all = branches.size === 0 ? [] : rows.flatMap((row) => branches.get(row) ?? []);
    if (all.length <= MAX_BRANCHES) return { branches: all.map((branch) => describeBranch(branch, this.rows)) };
    const told = [...all].sort((one, other) => other.leaf - one.leaf).slice(0, MAX_BRANCHES);
    return {
      branches: told.map((branch) => describeBranch(branch, this.rows)),
      moreBranches: all.length - MAX_BRANCHES,
    };
  }

  /**
   * The findings of a line, limited to this line and those that directly follow it: a finding may cover thousands of
   * lines.
   */
  #findingsOf(line: number): readonly Finding[] {
    const row = rowAtLine(this.rows.table, line);
    const uuid = row === NO_ID ? null : this.state.index.ids.text(this.rows.table.uuid(row));
    const uuids = uuid === null ? [] : [oneLine(uuid)];
    return this.state.session.result.findings.flatMap((finding) => {
      const at = finding.lines.indexOf(line);
      if (at < 0) return [];
      const run = row === NO_ID ? finding.lines.slice(at, at + MAX_RUN).filter((each, n) => each === line + n) : [line];
      return [{ ...finding, lines: run, uuids }];
    });
  }
}
