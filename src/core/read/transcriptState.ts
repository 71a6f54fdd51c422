import type { ConversationView } from '../../shared/conversation';
import type { ScannedSession } from '../../shared/session';
import { describeSession } from '../catalog/describeSession';
import { GrowingSession } from '../catalog/growingSession';
import { examineFacts } from '../catalog/scanSession';
import type { Examination } from '../faults/examination';
import { RowFlag, RowKind } from '../scan/rowFlags';
import type { TranscriptFacts } from '../scan/transcriptFacts';
import type { BitSet } from '../util/bitSet';
import { conversationOrder, type ConversationOrder } from './order/conversationOrder';
import type { GrowingOrder } from './order/growingOrder';
import { rowAtLine } from './order/rowAtLine';
import { hasLanes } from './order/subagentLanes';
import { linkLanes, NO_LANES, type LaneLinks } from './laneLinks';
import { pathPrefixOf } from './describe/valuePath';

/** Views of one transcript whose order is kept: it takes some bytes a row. */
const MAX_ORDERS = 6;

const BRANCH = 'branch ';

/** What a state takes over from the one before it. */
interface GrownParts {
  readonly session: ScannedSession;
  readonly kept: BitSet;
  readonly growing: GrowingSession;
  readonly orders: Map<string, GrowingOrder>;
  readonly lanes: LaneLinks | null;
}

/** What a transcript said at one time. Of no use once its facts are not: after the next reading of the file. */
export class TranscriptState {
  readonly session: ScannedSession;
  /** Null until somebody needs all of it: what was appended can mostly be told without. */
  #examination: Examination | null = null;
  readonly #kept: BitSet;
  readonly #orders: Map<string, GrowingOrder>;
  /** Null when rows that are appended may change anything. */
  #growing: GrowingSession | null = null;
  #isReadyToGrow = false;
  readonly #rowCount: number;
  #lanes: LaneLinks | null = null;

  constructor(
    readonly revision: number,
    readonly filePath: string,
    readonly facts: TranscriptFacts,
    grown?: GrownParts,
  ) {
    this.#rowCount = facts.rows.count;
    if (grown === undefined) {
      this.session = describeSession(filePath, this.examination);
      this.#kept = this.examination.resume.request.kept;
      this.#orders = new Map();
    } else {
      this.session = grown.session;
      this.#kept = grown.kept;
      this.#orders = grown.orders;
      this.#growing = grown.growing;
      this.#lanes = grown.lanes;
      this.#isReadyToGrow = true;
    }
  }

  get examination(): Examination {
    this.#examination ??= examineFacts(this.facts);
    return this.#examination;
  }

  /** The subagents whose rows stand in the transcript. */
  get lanes(): LaneLinks {
    this.#lanes ??= hasLanes(this.facts) ? linkLanes(this.examination, this.filePath) : NO_LANES;
    return this.#lanes;
  }

  /** To be called while the facts are good, when the file may be read on: takes some milliseconds for 100,000 rows, once. */
  prepareToGrow(): void {
    if (this.#isReadyToGrow) return;
    this.#isReadyToGrow = true;
    this.#growing = GrowingSession.from(this.session, this.examination);
  }

  /**
   * What the transcript says with the rows that were appended to it since; null when only a whole examination can tell, or
   * nothing was prepared. This state is of no use afterwards.
   */
  grow(revision: number, facts: TranscriptFacts): TranscriptState | null {
    const session = this.#growing?.grow(facts) ?? null;
    if (this.#growing === null || session === null || this.#growing.kept === null) return null;
    const orders = new Map<string, GrowingOrder>();
    for (const [key, order] of this.#orders) {
      // Beside a branch, what is appended to the chain is another branch.
      if (key.startsWith(BRANCH)) continue;
      if (order.append(facts.rows, this.#rowCount, facts.keyCount)) orders.set(key, order);
    }
    const parts = { session, kept: this.#growing.kept, growing: this.#growing, orders, lanes: this.#lanes };
    return new TranscriptState(revision, this.filePath, facts, parts);
  }

  order(view: ConversationView): ConversationOrder {
    const key = view.kind === 'branch' ? BRANCH + String(view.leafLine) : view.kind;
    const order = this.#orders.get(key) ?? conversationOrder(this.examination, view, this.lanes.loose);
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
    if (isMain && rows.has(row, RowFlag.counted)) return this.#kept.has(row);
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
