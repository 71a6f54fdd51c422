import {
  ReferenceScanner,
  type ScannerOptions,
  type TranscriptIndex,
  type TranscriptScanner,
} from '../rooms/transcript';

const NEWLINE = 10;

/**
 * Changes each line before the wrapped scanner reads it. Lines are Latin-1, one character per byte. A line that becomes
 * shorter is padded with spaces, so that its length alone does not reveal the change.
 */
export class ChangedLinesScanner implements TranscriptScanner {
  readonly #chunks: Buffer[] = [];

  constructor(
    private readonly options: ScannerOptions | undefined,
    private readonly change: (line: string) => string,
    private readonly edit: (index: TranscriptIndex, lines: readonly string[]) => void = () => undefined,
  ) {}

  push(chunk: Uint8Array): void {
    this.#chunks.push(Buffer.from(chunk));
  }

  index(): TranscriptIndex {
    return this.end();
  }

  read<T>(look: (index: TranscriptIndex) => T): T {
    return look(this.end());
  }

  end(): TranscriptIndex {
    const bytes = Buffer.concat(this.#chunks);
    const lines = bytes.toString('latin1').split('\n');
    const inner = new ReferenceScanner(this.options);
    inner.push(Buffer.from(lines.map((line) => this.change(line).padEnd(line.length)).join('\n'), 'latin1'));
    const index = Object.assign(inner.end(), { fileSize: bytes.length });
    this.edit(index, lines);
    return index;
  }
}

/** Keeps references to the chunks, which it does not own. */
export class ChunkKeepingScanner extends ReferenceScanner {
  readonly #kept: Uint8Array[] = [];

  override push(chunk: Uint8Array): void {
    this.#kept.push(chunk);
  }

  override end(): TranscriptIndex {
    for (const chunk of this.#kept) super.push(chunk);
    return super.end();
  }
}

/** Buffers an incomplete line, as all scanners do. */
export class SharedLineScanner extends ReferenceScanner {
  static held = Buffer.alloc(0);

  override push(chunk: Uint8Array): void {
    const all = Buffer.concat([SharedLineScanner.held, chunk]);
    const end = all.lastIndexOf(NEWLINE) + 1;
    super.push(all.subarray(0, end));
    SharedLineScanner.held = all.subarray(end);
  }

  override end(): TranscriptIndex {
    super.push(SharedLineScanner.held);
    SharedLineScanner.held = Buffer.alloc(0);
    return super.end();
  }
}

/** Loses the start of a line when a chunk ends right after a carriage return or a backslash. */
export class BorderScanner extends ReferenceScanner {
  override push(chunk: Uint8Array): void {
    super.push(chunk.at(-1) === 0x5c ? chunk.subarray(0, -1) : chunk);
  }
}
