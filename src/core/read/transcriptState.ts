import type { ConversationView } from '../../shared/conversation';
import type { ScannedSession } from '../../shared/session';
import { describeSession } from '../catalog/describeSession';
import { examineFacts } from '../catalog/scanSession';
import type { Examination } from '../faults/examination';
import { RowFlag, RowKind } from '../scan/rowFlags';
import type { TranscriptFacts } from '../scan/transcriptFacts';
import { conversationOrder, type ConversationOrder } from './order/conversationOrder';
import { rowAtLine } from './order/rowAtLine';
import { pathPrefixOf } from './describe/valuePath';

/** Views of one transcript whose order is kept: it takes some bytes a row. */
const MAX_ORDERS = 6;

/** What a transcript said at one time. Of no use once its facts are not: after the next reading of the file. */
export class TranscriptState {
  readonly examination: Examination;
  readonly session: ScannedSession;
  readonly #orders = new Map<string, ConversationOrder>();

  constructor(
    readonly revision: number,
    filePath: string,
    readonly facts: TranscriptFacts,
  ) {
    this.examination = examineFacts(facts);
    this.session = describeSession(filePath, this.examination);
  }

  order(view: ConversationView): ConversationOrder {
    const key = view.kind === 'branch' ? `branch ${view.leafLine}` : view.kind;
    const order = this.#orders.get(key) ?? conversationOrder(this.examination, view);
    this.#orders.delete(key);
    this.#orders.set(key, order);
    const [oldest] = this.#orders.keys();
    if (this.#orders.size > MAX_ORDERS && oldest !== undefined) this.#orders.delete(oldest);
    return order;
  }

  /** Null for rows that never reach a request, and are no loss. */
  isLoaded(row: number): boolean | null {
    const { rows } = this.facts;
    const kind = rows.kind(row);
    const isMain = !rows.has(row, RowFlag.sidechain);
    if (isMain && rows.has(row, RowFlag.counted)) return this.examination.resume.request.kept.has(row);
    // It is not counted, since the client does not see that it is a row.
    const isMessage = kind === RowKind.user || kind === RowKind.assistant;
    return isMain && isMessage && rows.has(row, RowFlag.hidden) ? false : null;
  }

  /** Put before the paths of the row's values. */
  pathPrefix(row: number): string {
    const { rows } = this.facts;
    return pathPrefixOf(row - rowAtLine(rows, rows.line(row)));
  }
}
