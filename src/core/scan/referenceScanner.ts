import { IdTable } from './idTable';
import { KeyTable } from './keyTable';
import { readLine, skipLine, type LineTarget } from './lineReader';
import { LineSplitter, type LineSink } from './lineSplitter';
import { RowCollector } from './rowCollector';
import { RowTable } from './rowTable';
import type { ScannerOptions, TranscriptScanner } from './scanner';
import { emptyNotes, TranscriptFacts, type ScannedTables } from './transcriptFacts';
import { UsageTable } from './usageTable';

/**
 * The plain scanner: JSON.parse for each line. It is the judge of what any faster scanner must give. Memory is bounded
 * by the longest line and by about 80 bytes a chain row.
 */
export class ReferenceScanner implements TranscriptScanner, LineSink {
  readonly #splitter = new LineSplitter(this);
  readonly #ids = new IdTable();
  readonly #keys = new KeyTable();
  readonly #rows = new RowTable();
  readonly #usage: UsageTable | null;
  readonly #notes = emptyNotes();
  readonly #target: LineTarget;
  #lines = 0;

  constructor({ withUsage = false }: ScannerOptions = {}) {
    this.#usage = withUsage ? new UsageTable((key) => this.#keys.hash(key)) : null;
    const notes = this.#notes;
    const collector = new RowCollector({
      ids: this.#ids,
      keys: this.#keys,
      rows: this.#rows,
      usage: this.#usage,
      notes,
    });
    this.#target = { collector, notes, withHashes: true };
  }

  push(chunk: Uint8Array): void {
    this.#splitter.push(chunk);
  }

  facts(): TranscriptFacts {
    return this.#factsOf(this.#splitter.lineStart);
  }

  end(): TranscriptFacts {
    return this.#factsOf(this.#splitter.end());
  }

  #factsOf(fileSize: number): TranscriptFacts {
    const tables: ScannedTables = {
      ids: this.#ids,
      rows: this.#rows,
      usage: this.#usage,
      keyCount: this.#keys.count,
      lineCount: this.#lines,
      fileSize,
      isOrderly: false,
      lacksHashes: false,
    };
    return new TranscriptFacts(tables, this.#notes);
  }

  line(bytes: Buffer, offset: number, hasNewline: boolean): void {
    this.#lines++;
    readLine(bytes, { line: this.#lines, offset, hasNewline }, this.#target);
  }

  oversized(offset: number, hasNewline: boolean): void {
    this.#lines++;
    skipLine({ line: this.#lines, offset, hasNewline }, this.#notes);
  }
}
