import { type FileHandle, open } from 'node:fs/promises';
import type { QuickMetadata } from '../../protocol/session';
import { readChainRow } from '../providers/claude/format/chainRow';
import {
  chooseTitle,
  readSessionContext,
  readTitle,
  type SessionTitles,
} from '../providers/claude/format/sessionMetadata';
import { dissectLine } from '../transcript/dissectLine';
import type { JsonObject } from '../util/json';
import { forEachConcurrent } from '../util/scheduling';
import type { SessionEntries, SessionEntry } from './sessionEntries';

const HEAD_BYTES = 4 * 1024;
const TAIL_BYTES = 16 * 1024;
const NEWLINE = 10;

/**
 * A first look at a transcript, in the time that two short reads take: what the rows at its head and its tail say of
 * its title, place and last message. The scan of the whole file may know better. Never rejects; null when the file
 * cannot be read.
 */
export async function readQuickMetadata(filePath: string): Promise<QuickMetadata | null> {
  let file: FileHandle | null = null;
  try {
    file = await open(filePath, 'r');
    const stats = await file.stat();
    if (!stats.isFile()) return null;
    const { size } = stats;
    const isSmall = size <= HEAD_BYTES + TAIL_BYTES;
    const head = await readRange(file, 0, isSmall ? size : HEAD_BYTES);
    const look = new Look();
    for (const line of wholeLines(head, true, isSmall)) look.addLine(line, line.byteOffset === head.byteOffset);
    if (!isSmall) {
      const tail = await readRange(file, size - TAIL_BYTES, size);
      look.passOver();
      for (const line of wholeLines(tail, false, true)) look.addLine(line, false);
    }
    return look.done();
  } catch {
    return null;
  } finally {
    await file?.close().catch(() => undefined);
  }
}

/** May be shorter when the file shrinks meanwhile. */
async function readRange(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(end - start);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  return bytes.subarray(0, bytesRead);
}

/** Lines that the window does not cut: the first and the last are whole only when the file begins and ends there. */
function* wholeLines(window: Buffer, isStart: boolean, isEnd: boolean): Generator<Buffer> {
  let from = isStart ? 0 : window.indexOf(NEWLINE) + 1;
  if (!isStart && from === 0) return;
  for (;;) {
    const newline = window.indexOf(NEWLINE, from);
    if (newline < 0) break;
    yield window.subarray(from, newline);
    from = newline + 1;
  }
  if (isEnd && from < window.length) yield window.subarray(from);
}

/** What the rows said so far. */
class Look {
  readonly #titles: SessionTitles = { custom: null, ai: null, lastPrompt: null, summary: null, firstPrompt: null };
  #isPastFirstPrompt = false;
  #cwd: string | null = null;
  #lastMessageMs: number | null = null;

  addLine(line: Buffer, isFirst: boolean): void {
    for (const { object, visibility } of dissectLine(line, isFirst).objects) {
      this.#noteContext(object);
      if (visibility !== 'never') this.#noteTitle(object);
    }
  }

  /** Rows are left out here: the next prompt may not be the first. */
  passOver(): void {
    this.#isPastFirstPrompt = true;
  }

  done(): QuickMetadata {
    return { title: chooseTitle(this.#titles), cwd: this.#cwd, lastMessageMs: this.#lastMessageMs };
  }

  #noteTitle(object: JsonObject): void {
    const title = readTitle(object);
    if (title === null) return;
    if (title.source !== 'firstPrompt') this.#titles[title.source] = title.text;
    else if (!this.#isPastFirstPrompt) this.#titles.firstPrompt ??= title.text;
  }

  #noteContext(object: JsonObject): void {
    const row = readChainRow(object);
    if (!row?.content) return;
    this.#cwd = readSessionContext(object).cwd ?? this.#cwd;
    if (!Number.isNaN(row.timeMs)) this.#lastMessageMs = Math.max(this.#lastMessageMs ?? 0, row.timeMs);
  }
}

/** Files whose ends are read at the same time. */
const LOOK_CONCURRENCY = 8;

export interface QuickMetadataReadsDeps {
  /** Never rejects; null when the file cannot be read. */
  readonly readEnds: (filePath: string) => Promise<QuickMetadata | null>;
  readonly entries: SessionEntries;
  /** The entry as it was before; it has been replaced. */
  readonly onLook: (before: SessionEntry) => void;
}

/** Gives sessions that wait for their first scan a title, a place and a time. */
export class QuickMetadataReads {
  readonly #deps: QuickMetadataReadsDeps;

  constructor(deps: QuickMetadataReadsDeps) {
    this.#deps = deps;
  }

  /** In the order given. A session that has been scanned meanwhile needs none. Never rejects. */
  async take(filePaths: readonly string[], signal: AbortSignal): Promise<void> {
    const { readEnds, entries, onLook } = this.#deps;
    const isWanted = (entry: SessionEntry | undefined): entry is SessionEntry =>
      entry?.scan === null && entry.look === null;
    const lookAt = async (filePath: string): Promise<void> => {
      if (!isWanted(entries.get(filePath))) return;
      const look = await readEnds(filePath);
      const entry = entries.get(filePath);
      if (look === null || signal.aborted || !isWanted(entry)) return;
      entries.set({ ...entry, look });
      onLook(entry);
    };
    await forEachConcurrent(filePaths, LOOK_CONCURRENCY, lookAt, signal);
  }
}
