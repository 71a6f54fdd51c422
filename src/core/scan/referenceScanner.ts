import { dissectLine, type DissectedLine } from './dissectLine';
import { LineSplitter, type LineSink } from './lineSplitter';
import { RowCollector } from './rowCollector';
import type { TranscriptScanner } from './scanner';
import type { LineFaultKind } from './lineFaultTable';
import type { TranscriptFacts } from './transcriptFacts';

/**
 * The plain scanner: JSON.parse for each line. It is the judge of what any faster scanner must give. Memory is bounded
 * by the longest line and by about 80 bytes a chain row.
 */
export class ReferenceScanner implements TranscriptScanner, LineSink {
  readonly #splitter = new LineSplitter(this);
  readonly #collector = new RowCollector();
  #lines = 0;

  push(chunk: Uint8Array): void {
    this.#splitter.push(chunk);
  }

  end(): TranscriptFacts {
    const facts = this.#collector.end();
    facts.fileSize = this.#splitter.end();
    facts.lineCount = this.#lines;
    return facts;
  }

  line(bytes: Buffer, _start: number, hasNewline: boolean): void {
    this.#lines++;
    if (bytes.length === 0) return;
    const dissected = dissectLine(bytes, this.#lines === 1);
    for (const entry of dissected.objects) {
      this.#collector.add(entry, this.#lines, dissected.isRow, hashOf(bytes, entry.start, entry.end));
    }
    for (const kind of faultsOf(dissected)) this.#addFault(kind, hidesRow(kind, dissected), !hasNewline);
  }

  oversized(_start: number, hasNewline: boolean): void {
    this.#lines++;
    this.#addFault('torn', true, !hasNewline);
  }

  #addFault(kind: LineFaultKind, hides: boolean, isUnfinished: boolean): void {
    this.#collector.facts.lineFaults.add({ kind, line: this.#lines, hidesRow: hides, isUnfinished });
  }
}

function faultsOf(line: DissectedLine): LineFaultKind[] {
  const kinds: LineFaultKind[] = [];
  if (line.hasNuls) kinds.push('nul');
  if (line.hasBom) kinds.push('bom');
  if (line.objects.length === 0 && line.hasRest) kinds.push('torn');
  else if (line.objects.length > 1 || line.hasRest) kinds.push('glued');
  return kinds;
}

function hidesRow(kind: LineFaultKind, line: DissectedLine): boolean {
  switch (kind) {
    case 'torn':
      return false;
    case 'glued':
      return line.objects.some((entry) => entry.visibility === 'never');
    case 'nul':
    case 'bom':
      return line.objects.some((entry) => entry.visibility !== 'always');
  }
}

/** FNV-1a over the row's bytes. */
function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash >>> 0;
}
