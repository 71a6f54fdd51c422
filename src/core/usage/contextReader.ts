import { closeSync, readSync } from 'node:fs';
import type { ClientTally } from '../../protocol/usage';
import type { LiveVerdict } from '../diagnose/growingSession';
import { COST_STATE_MARK, readCostState } from '../providers/claude/format/messageUsage';
import { SYNTHETIC_MODEL } from '../providers/claude/format/rowTypes';
import { type Resume, simulateResume } from '../providers/claude/loader/loadTranscript';
import { loaderRules } from '../providers/claude/loader/rules';
import { NO_ID } from '../transcript/idTable';
import { RowFlag, RowKind } from '../transcript/rowFlags';
import type { TranscriptIndex } from '../transcript/transcriptIndex';
import type { UsageTable } from '../transcript/usageTable';
import { openRegularFile } from '../util/openForeignFile';
import type { Pacer } from '../util/scheduling';
import type { MessageCounts } from './messageIndex';
import { countsOf } from './messageReader';

/** The newest response on the chain that a resume loads. */
export interface NewestAnswer {
  readonly model: string | null;
  readonly counts: MessageCounts;
}

/**
 * Finds the newest answer of a transcript that grows. Usually reads only the rows that were appended since the last
 * call.
 */
export class ContextReader {
  #origin: object | null = null;
  #rowsRead = 0;
  /** The last row of the newest answer; `NO_ID` if there is none. */
  #answer: number = NO_ID;

  /** @param verdict of the same transcript in each call; rows may have been appended since the last one */
  read(verdict: LiveVerdict): NewestAnswer | null {
    const { index, origin } = verdict;
    if (origin === this.#origin) {
      for (let row = this.#rowsRead; row < index.rows.count; row++) if (entryOf(index, row) >= 0) this.#answer = row;
    } else this.#answer = newestAnswerRow(index, verdict.loaded.resume);
    this.#origin = origin;
    this.#rowsRead = index.rows.count;
    return describeAnswer(index, this.#answer);
  }
}

/** The newest response of a transcript that does not grow. */
export function findNewestAnswer(index: TranscriptIndex): NewestAnswer | null {
  return describeAnswer(index, newestAnswerRow(index, simulateResume(index, loaderRules())));
}

/** A response on the chain that a resume loads. */
export interface ChainAnswer extends NewestAnswer {
  /** Its last row. */
  readonly row: number;
}

/** The newest response and at most so many before it, newest first. The first one is that of `findNewestAnswer`. */
export function findLastAnswers(index: TranscriptIndex, resume: Resume, before: number): readonly ChainAnswer[] {
  const answers: ChainAnswer[] = [];
  const entries = new Set<number>();
  const newest = newestAnswerRow(index, resume);
  for (let at = resume.history.lastIndexOf(newest); newest !== NO_ID && at >= 0 && answers.length <= before; at--) {
    const row = resume.history[at] ?? NO_ID;
    const entry = entryOf(index, row);
    const answer = entries.has(entry) ? null : describeAnswer(index, row);
    entries.add(entry);
    if (answer !== null) answers.push({ ...answer, row });
  }
  return answers;
}

function newestAnswerRow(index: TranscriptIndex, { history }: Resume): number {
  // Answers that a compaction preserved do not count, because their prompts were those before the compaction.
  const boundary = index.boundaries.at(-1)?.row ?? -1;
  const first = history.some((row) => row >= boundary) ? boundary : -1;
  return history.findLast((row) => row > first && entryOf(index, row) >= 0) ?? NO_ID;
}

function describeAnswer(index: TranscriptIndex, row: number): NewestAnswer | null {
  const entry = row === NO_ID ? -1 : entryOf(index, row);
  if (index.usage === null || entry < 0) return null;
  return { model: index.usage.model(entry), counts: countsOf(index.usage, entry) };
}

/** The entry in the usage table for the row's message; -1 if the row is not a model's answer. */
function entryOf({ rows, usage }: TranscriptIndex, row: number): number {
  if (usage === null || rows.kind(row) !== RowKind.assistant || rows.has(row, RowFlag.apiError)) return -1;
  const entry = findEntry(usage, row, rows.message(row));
  return entry >= 0 && usage.model(entry) === SYNTHETIC_MODEL ? -1 : entry;
}

/** Searches from the end, because callers ask for one of the last rows. */
function findEntry(usage: UsageTable, row: number, message: number): number {
  for (let entry = usage.count - 1; entry >= 0; entry--) {
    if (message === NO_ID ? usage.row(entry) === row : usage.message(entry) === message) return entry;
  }
  return -1;
}

const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 10;

/** Finds the last tally that the client wrote into a transcript. Reads each byte of the transcript once. */
export class ClientTallyReader {
  readonly #filePath: string;
  readonly #mark = Buffer.from(COST_STATE_MARK);
  #offset = 0;
  #tally: ClientTally | null = null;

  constructor(filePath: string) {
    this.#filePath = filePath;
  }

  /**
   * Reads the bytes that were appended since the last call. A line without a line break does not count yet. Rejects
   * with the file system's error.
   */
  async read(pacer: Pacer): Promise<ClientTally | null> {
    const { file, identity } = openRegularFile(this.#filePath);
    try {
      const size = Number(identity.size);
      if (size < this.#offset) [this.#offset, this.#tally] = [0, null];
      // One byte larger than the rest of the file, so that a read that does not fill the buffer is the end of the file.
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - this.#offset + 1));
      while (this.#offset < size) {
        const bytesRead = readSync(file, buffer, 0, buffer.length, this.#offset);
        if (bytesRead === 0) break;
        const bytes = buffer.subarray(0, bytesRead);
        const end = bytes.lastIndexOf(NEWLINE) + 1;
        this.#readLines(bytes.subarray(0, end));
        if (end === 0 && bytesRead < buffer.length) break;
        // A line that is longer than the buffer is skipped, because no tally is that long.
        this.#offset += end === 0 ? bytesRead : end;
        await pacer.yieldIfDue();
      }
      return this.#tally;
    } finally {
      closeSync(file);
    }
  }

  #readLines(bytes: Buffer): void {
    for (let at = bytes.lastIndexOf(this.#mark); at >= 0;) {
      const start = bytes.lastIndexOf(NEWLINE, at) + 1;
      const state = readCostState(bytes.toString('utf8', start, bytes.indexOf(NEWLINE, at)));
      if (state !== null) {
        const { usd, input, output, cacheWrites, cacheWrites1h, cacheReads, webSearches, hasUnknownCost } = state;
        this.#tally = {
          usd,
          counts: {
            input,
            output,
            cacheWrite5m: Math.max(0, cacheWrites - cacheWrites1h),
            cacheWrite1h: cacheWrites1h,
            cacheRead: cacheReads,
            webSearches,
            webFetches: 0,
          },
          isPartlyUnknown: hasUnknownCost,
        };
        return;
      }
      at = start === 0 ? -1 : bytes.lastIndexOf(this.#mark, start - 1);
    }
  }
}
