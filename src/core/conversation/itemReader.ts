import type { ContentBlock, ConversationItem, RowItem } from '../../protocol/conversation';
import type { Finding } from '../../protocol/repair';
import { NO_ID } from '../transcript/idTable';
import { RowFlag, RowKind } from '../transcript/rowFlags';
import { MAX_WHOLE_LINE_BYTES } from '../transcript/rowSource';
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
    const forgotten = this.state.forgottenAs(row);
    const context: RowContext = {
      line: table.line(row),
      pathPrefix: this.state.pathPrefix(row),
      isLoaded: this.state.isLoaded(row),
      ...(forgotten !== null && { forgottenAs: forgotten }),
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
    const { table } = this.rows;
    const described = describeRow({}, context);
    const uuid = this.state.index.ids.text(table.uuid(row));
    const timeMs = table.timeMs(row);
    const block = rawBeginning(this.rows.bytes(row, MAX_RAW_BYTES), this.rows.lineLength(row), context.pathPrefix);
    return {
      ...described,
      uuid: uuid === null ? null : oneLine(uuid),
      timeMs: Number.isNaN(timeMs) ? null : timeMs,
      blocks: [block],
    };
  }

  /** A row of an unknown type, which is not in the row table. */
  #unknown(line: number): RowItem {
    const [object] = this.rows.objectsOfLine(line);
    if (object !== undefined) return describeRow(object, bareContext(line));
    const body = cutText(this.rows.line(line, MAX_RAW_BYTES).toString('utf8'), MAX_UNITS.raw);
    return { ...describeRow({}, bareContext(line)), blocks: [{ kind: 'raw', title: 'JSON', path: '', body }] };
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

/** @param length of the whole line, in bytes */
function rawBeginning(bytes: Buffer, length: number, path: string): ContentBlock {
  const isLong = length > MAX_WHOLE_LINE_BYTES;
  const size = `${Math.round(length / 1e6).toLocaleString('en')} MB`;
  const title = isLong ? `Too long to be shown: the beginning of ${size} of JSON` : 'JSON';
  return { kind: 'raw', title, path, body: cutText(bytes.toString('utf8'), MAX_UNITS.raw) };
}
