import { SYNTHETIC_MODEL } from '../providers/claude/format/rowTypes';
import { keyHash } from '../transcript/idTable';
import { RowFlag } from '../transcript/rowFlags';
import type { TranscriptIndex } from '../transcript/transcriptIndex';
import type { UsageTable } from '../transcript/usageTable';
import { quarterOf } from './buckets';
import type { MessageCounts, UsageMessage } from './messageIndex';

/** The change of the message at a position. `message` is null if the rows turned out not to be a message. */
export interface MessageChange {
  readonly place: number;
  readonly message: UsageMessage | null;
}

const MAX_COUNT = 0xffff_ffff;

/**
 * Extracts the messages from the index of a transcript, even while it grows; each message keeps its position. A message
 * has the highest counts among its rows, and the model, time and sidechain flag of its last row. (docs/tokens.md, "A
 * message")
 */
export class MessageReader {
  readonly #filePath: string;
  #rowsRead = 0;
  #count = 0;
  /** The position of each entry of the usage table. */
  readonly #places: number[] = [];
  /** Entries of rows without a message id, by their uuid. */
  readonly #entriesOfUuid = new Map<string, number[]>();

  constructor(filePath: string) {
    this.#filePath = filePath;
  }

  /** The changes since the last call, which must have been for the same transcript. */
  read(index: TranscriptIndex): readonly MessageChange[] {
    const { usage, rows } = index;
    if (usage === null) throw new Error('Failed to count tokens: the index has no usage table');
    const changes: MessageChange[] = [];
    for (let entry = 0; entry < usage.count; entry++) {
      if (usage.row(entry) < this.#rowsRead) continue;
      const change =
        usage.messageHash(entry) === null ? this.#readRow(index, usage, entry) : this.#readEntry(index, usage, entry);
      if (change !== null) changes.push(change);
    }
    this.#rowsRead = rows.count;
    return changes;
  }

  #readEntry(index: TranscriptIndex, usage: UsageTable, entry: number): MessageChange | null {
    const key = usage.messageHash(entry) ?? keyHash('');
    return this.#change(entry, messageOf(index, usage, entry, key));
  }

  /**
   * Rows without a message id count as one message if their uuid is the same, because a transcript may repeat its rows.
   */
  #readRow(index: TranscriptIndex, usage: UsageTable, entry: number): MessageChange | null {
    const row = usage.row(entry);
    const uuid = index.ids.text(index.rows.uuid(row));
    const name = uuid ?? `${this.#filePath}\n${index.rows.line(row)}`;
    const message = messageOf(index, usage, entry, keyHash(name));
    const [first, ...others] = uuid === null ? [] : (this.#entriesOfUuid.get(uuid) ?? []);
    if (uuid !== null) this.#entriesOfUuid.set(uuid, [...(first === undefined ? [] : [first, ...others]), entry]);
    if (first === undefined) return this.#change(entry, message);
    const all = [first, ...others, entry].map((each) => messageOf(index, usage, each, keyHash(name)));
    const model = all.findLast((each) => each.model !== null)?.model ?? null;
    return this.#change(first, { ...highestOf(message, all), model });
  }

  #change(entry: number, message: UsageMessage): MessageChange | null {
    const place = this.#places[entry];
    const isNone = message.model === SYNTHETIC_MODEL;
    if (place !== undefined) return { place, message: isNone ? null : message };
    if (isNone) return null;
    this.#places[entry] = this.#count;
    return { place: this.#count++, message };
  }
}

function messageOf(
  { rows }: TranscriptIndex,
  usage: UsageTable,
  entry: number,
  key: UsageMessage['key'],
): UsageMessage {
  const row = usage.row(entry);
  return {
    key,
    quarter: quarterOf(rows.timeMs(row)),
    model: usage.model(entry),
    isSidechain: rows.has(row, RowFlag.sidechain),
    isCopy: rows.has(row, RowFlag.forked),
    ...countsOf(usage, entry),
  };
}

/**
 * Cache writes without a stated lifetime count as five-minute writes. If the writes by lifetime add up to more than the
 * total, their sum counts.
 */
export function countsOf(usage: UsageTable, entry: number): MessageCounts {
  const writes1h = usage.get(entry, 'ephemeral_1h_input_tokens');
  const split = usage.get(entry, 'ephemeral_5m_input_tokens') + writes1h;
  return {
    input: usage.get(entry, 'input_tokens'),
    output: usage.get(entry, 'output_tokens'),
    writes: Math.min(MAX_COUNT, Math.max(usage.get(entry, 'cache_creation_input_tokens'), split)),
    writes1h,
    reads: usage.get(entry, 'cache_read_input_tokens'),
    searches: usage.get(entry, 'web_search_requests'),
    fetches: usage.get(entry, 'web_fetch_requests'),
  };
}

/** `last` with the highest counts among all rows of the message. */
function highestOf(last: UsageMessage, all: readonly UsageMessage[]): UsageMessage {
  const highest = (count: 'input' | 'output' | 'writes' | 'writes1h' | 'reads' | 'searches' | 'fetches'): number =>
    Math.max(...all.map((message) => message[count]));
  return {
    ...last,
    input: highest('input'),
    output: highest('output'),
    writes: highest('writes'),
    writes1h: highest('writes1h'),
    reads: highest('reads'),
    searches: highest('searches'),
    fetches: highest('fetches'),
  };
}
