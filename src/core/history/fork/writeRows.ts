import { readFileHistoryRow } from '../../providers/claude/format/checkpointRow';
import { CHUNK_BYTES, readChunks, readFully } from '../../storage/fileBytes';
import { PROBLEMS, Refusal } from '../../storage/refusal';
import type { ReadableFile } from '../../storage/writeFs';
import { dissectLine } from '../../transcript/dissectLine';
import { BROKEN, JsonText, OPEN } from '../../transcript/jsonText';
import { LineSplitter } from '../../transcript/lineSplitter';
import { stringField } from '../../util/json';
import type { ForkPlan } from './forkPlan';
import { carriedRow, writtenRow } from './writtenRow';

export interface ForkContent {
  /** The source, open to read. */
  readonly file: ReadableFile;
  readonly plan: ForkPlan;
  readonly carried: CarriedRows;
  readonly sessionId: string;
  readonly parentSessionId: string;
  readonly title: string;
}

/**
 * Writes a fork row by row: the conversation, the session's settings, the file history, and the title at the end, where
 * the client looks for it first. Throws a Refusal if the source no longer holds a row at its offset.
 */
export async function writeRows(put: (bytes: Uint8Array) => Promise<void>, content: ForkContent): Promise<void> {
  const { file, plan, carried, sessionId, parentSessionId, title } = content;
  const source = new SourceRows(file, plan.cut.index.fileSize);
  const putRow = async (row: Buffer | null): Promise<void> => {
    if (row === null) throw new Refusal('changed-while-repairing', PROBLEMS.changed);
    await put(row);
  };
  for (let at = 0; at < plan.length; at++) {
    const { offset, link, freshUuid, isOnMainChain } = plan.row(at);
    const forkedFrom = { sessionId: parentSessionId, messageUuid: plan.uuid(at) };
    const change = { link, freshUuid, isOnMainChain, sessionId, forkedFrom };
    await putRow(await source.rowAt(offset, (bytes) => writtenRow(bytes, change)));
  }
  for (const offset of [...carried.session, ...carried.fileHistory]) {
    await putRow(await source.rowAt(offset, (bytes) => carriedRow(bytes, sessionId)));
  }
  await putRow(Buffer.from(`${JSON.stringify({ type: 'custom-title', customTitle: title, sessionId })}\n`));
}

const NEWLINE = 0x0a;
const SPACE = Buffer.from(' ');

/** Reads rows of an open transcript by their offsets. Consecutive rows are read together. */
class SourceRows {
  readonly #file: ReadableFile;
  /** Size of the transcript when it was scanned, in bytes. */
  readonly #end: number;
  #window = Buffer.allocUnsafe(CHUNK_BYTES);
  #start = 0;
  #length = 0;

  constructor(file: ReadableFile, end: number) {
    this.#file = file;
    this.#end = end;
  }

  /**
   * What `write` makes of the row at `offset`; null if there is no whole row. Of a row of several lines, each newline is given as a
   * space: no string of JSON contains one.
   */
  async rowAt(offset: number, write: (bytes: Buffer) => Buffer | null): Promise<Buffer | null> {
    const line = await this.#lineAt(offset);
    const written = write(line);
    const text = new JsonText();
    if (written !== null || text.read(line) !== OPEN) return written;
    const lines = [Buffer.from(line)];
    for (let at = offset + line.length + 1; at < this.#end;) {
      const next = await this.#lineAt(at);
      const end = text.read(next);
      lines.push(SPACE, Buffer.from(next));
      if (end !== OPEN) return end === BROKEN ? null : write(Buffer.concat(lines));
      at += next.length + 1;
    }
    return null;
  }

  /** The bytes from `offset` to the end of the line. Valid until the next call. */
  async #lineAt(offset: number): Promise<Buffer> {
    const isThere = offset >= this.#start && offset < this.#start + this.#length;
    const held = isThere ? this.#upToNewline(offset) : null;
    if (held !== null) return held;
    for (let size = CHUNK_BYTES; ; size *= 2) {
      await this.#fill(offset, size);
      const line = this.#upToNewline(offset);
      if (line !== null) return line;
      if (this.#length < size) return this.#window.subarray(0, this.#length);
    }
  }

  async #fill(offset: number, size: number): Promise<void> {
    // A window that grew for a long row is released.
    if (this.#window.length !== size) this.#window = Buffer.allocUnsafe(size);
    const wanted = Math.max(0, Math.min(size, this.#end - offset));
    this.#length = 0;
    this.#length = await readFully(this.#file, this.#window.subarray(0, wanted), offset);
    this.#start = offset;
  }

  #upToNewline(offset: number): Buffer | null {
    const held = this.#window.subarray(offset - this.#start, this.#length);
    const newline = held.indexOf(NEWLINE);
    return newline < 0 ? null : held.subarray(0, newline);
  }
}

/** Rows outside the tree that a fork carries over. */
interface CarriedRows {
  /** Their positions in the source, in the order of the file. */
  readonly session: readonly number[];
  readonly fileHistory: readonly number[];
  /** Names of the backups in the rows of the file history. */
  readonly backups: ReadonlySet<string>;
}

/**
 * Types of the rows that the client's own /branch copies, in addition to the file history. (docs/format.md, "Forks")
 */
const SESSION_TYPES = [
  'content-replacement',
  'relocated',
  'memory-mode',
  'history-suppression',
  'hybrid-organization',
] as const;
const NEEDLES = ['"file-history-', ...SESSION_TYPES.map((type) => `"${type}"`)].map((text) => Buffer.from(text));
const CARRIED: ReadonlySet<string> = new Set(SESSION_TYPES);
/** The first bytes of conversation rows. (docs/format.md, "Key order") */
const CHAIN_START = Buffer.from('{"parentUuid":');
const BRACE = 0x7b;

export interface CarriedFrom {
  readonly file: ReadableFile;
  /** Number of bytes that were scanned. */
  readonly size: number;
  readonly sessionId: string;
}

/**
 * Finds the rows of the session's settings, and the rows of the file history that belong to rows of the fork. The
 * client ignores all others, because it reads the file history along the conversation.
 */
export async function carriedRows(
  { file, size, sessionId }: CarriedFrom,
  isForked: (uuid: string) => boolean,
): Promise<CarriedRows> {
  const session: number[] = [];
  const fileHistory: number[] = [];
  const backups = new Set<string>();
  let isFirstLine = true;
  const read = (bytes: Buffer, start: number): void => {
    const isFirst = isFirstLine;
    isFirstLine = false;
    if (isChainRow(bytes) || !NEEDLES.some((needle) => bytes.includes(needle))) return;
    for (const { object, start: offset } of dissectLine(bytes, isFirst).objects) {
      const history = readFileHistoryRow(object);
      if (history !== null) {
        if (history.messageId === null || !isForked(history.messageId)) continue;
        fileHistory.push(start + offset);
        for (const name of history.backups) backups.add(name);
      } else if (CARRIED.has(stringField(object, 'type') ?? '') && stringField(object, 'sessionId') === sessionId) {
        session.push(start + offset);
      }
    }
  };
  const splitter = new LineSplitter({
    line: read,
    longLine({ row }, start) {
      if (row.kind === 'row') read(row.bytes, start);
      isFirstLine = false;
    },
  });
  for await (const chunk of readChunks(file, 0, size)) splitter.push(chunk);
  splitter.end();
  return { session, fileHistory, backups };
}

function isChainRow(bytes: Buffer): boolean {
  return bytes[0] === BRACE && bytes.subarray(0, CHAIN_START.length).equals(CHAIN_START);
}
