import { type FileHandle } from 'node:fs/promises';
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
import { openRegularHandle } from '../util/openForeignFile';
import { forEachConcurrent } from '../util/scheduling';
import type { SessionEntries, SessionEntry } from './sessionEntries';

const HEAD_BYTES = 4 * 1024;
const TAIL_BYTES = 16 * 1024;
const NEWLINE = 10;

/**
 * Reads title, working directory and time of the last message from the rows at the start and the end of a transcript,
 * with two short reads. A scan of the whole file may give better results. Never rejects; null if the file cannot be
 * read.
 */
export async function readQuickMetadata(filePath: string): Promise<QuickMetadata | null> {
  let file: FileHandle | null = null;
  try {
    const opened = await openRegularHandle(filePath);
    file = opened.file;
    const { size } = opened;
    const isSmall = size <= HEAD_BYTES + TAIL_BYTES;
    const head = await readRange(file, 0, isSmall ? size : HEAD_BYTES);
    const collector = new MetadataCollector();
    for (const line of wholeLines(head, true, isSmall)) collector.addLine(line, line.byteOffset === head.byteOffset);
    if (!isSmall) {
      const tail = await readRange(file, size - TAIL_BYTES, size);
      collector.skipRows();
      for (const line of wholeLines(tail, false, true)) collector.addLine(line, false);
    }
    return collector.done();
  } catch {
    return null;
  } finally {
    await file?.close().catch(() => undefined);
  }
}

/** The result may be shorter if the file shrinks meanwhile. */
async function readRange(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(end - start);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  return bytes.subarray(0, bytesRead);
}

/** The whole lines in the window. The first and the last line are whole only if the file begins or ends there. */
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

/** Collects metadata from rows in their order. */
class MetadataCollector {
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

  /** Must be called where rows are left out, because the next prompt may not be the first one. */
  skipRows(): void {
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

/** Maximum number of files that are read at the same time. */
const READ_CONCURRENCY = 8;

export interface QuickMetadataReadsDeps {
  /** Never rejects; null if the file cannot be read. */
  readonly readQuickMetadata: (filePath: string) => Promise<QuickMetadata | null>;
  readonly entries: SessionEntries;
  /** Called after an entry was replaced, with the previous entry. */
  readonly onRead: (before: SessionEntry) => void;
}

/** Reads the quick metadata of sessions that are waiting for their first scan. */
export class QuickMetadataReads {
  readonly #deps: QuickMetadataReadsDeps;

  constructor(deps: QuickMetadataReadsDeps) {
    this.#deps = deps;
  }

  /** Reads in the given order. Skips sessions that have been scanned meanwhile. Never rejects. */
  async readAll(filePaths: readonly string[], signal: AbortSignal): Promise<void> {
    const { readQuickMetadata: read, entries, onRead } = this.#deps;
    const isWanted = (entry: SessionEntry | undefined): entry is SessionEntry =>
      entry?.scan === null && entry.quickMetadata === null;
    const readOne = async (filePath: string): Promise<void> => {
      if (!isWanted(entries.get(filePath))) return;
      const quickMetadata = await read(filePath);
      const entry = entries.get(filePath);
      if (quickMetadata === null || signal.aborted || !isWanted(entry)) return;
      entries.set({ ...entry, quickMetadata });
      onRead(entry);
    };
    await forEachConcurrent(filePaths, READ_CONCURRENCY, readOne, signal);
  }
}
