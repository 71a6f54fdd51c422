import { open, type FileHandle } from 'node:fs/promises';
import { readChainRow } from '../claude/chainRow';
import type { JsonObject } from '../claude/json';
import { readSessionContext } from '../claude/sessionContext';
import { readTitle } from '../claude/sessionTitle';
import { dissectLine } from '../scan/dissectLine';
import type { TitleFacts } from '../scan/transcriptFacts';
import type { FirstLook } from './catalogEntry';
import { chooseTitle } from './chooseTitle';

const HEAD_BYTES = 4 * 1024;
const TAIL_BYTES = 16 * 1024;
const NEWLINE = 10;

/**
 * A first look at a transcript, in the time that two short reads take: what the rows at its head and its tail say of
 * its title, place and last message. The scan of the whole file may know better. Never rejects; null when the file
 * cannot be read.
 */
export async function readEnds(filePath: string): Promise<FirstLook | null> {
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
  readonly #titles: TitleFacts = { custom: null, ai: null, lastPrompt: null, summary: null, firstPrompt: null };
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

  done(): FirstLook {
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
