import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import fastGlob from 'fast-glob';
import { FIXTURES } from '../support/fixtures';

export interface GiantOptions {
  /** The file ends with the first copy of the recording that reaches this size. */
  readonly bytes: number;
  /** Length to which user, assistant and attachment rows are padded; 0 keeps them as recorded. */
  readonly rowBytes?: number;
  /** In every copy with a number divisible by this, the first prompt names a parent that is not in the file. */
  readonly breakEvery?: number;
}

export interface GiantTranscript {
  readonly bytes: number;
  readonly rows: number;
  /** Rows that `resume.of` counts. */
  readonly counted: number;
  /** Lines of the rows whose parent is lost. */
  readonly brokenLines: readonly number[];
  readonly chainRows: number;
}

/** Rows 30 seconds apart for as long as the recorded session: no copy is within the 5 seconds that heal a break. */
const COPY_MS = 24 * 3600_000;
const COPIES_PER_WRITE = 16;
const COUNTED_IN_RECORDING = 28;
const LOST = 'deadbeef-0000-4000-8000-';

/**
 * Writes one long conversation: a recorded session of five turns, repeated, where each copy has its own uuids, call ids
 * and times and continues the one before. The same options give the same bytes.
 */
export async function writeGiantTranscript(filePath: string, options: GiantOptions): Promise<GiantTranscript> {
  const template = new CopyTemplate(options.rowBytes ?? 0);
  const file = await open(filePath, 'wx');
  const brokenLines: number[] = [];
  let bytes = 0;
  let copies = 0;
  try {
    while (bytes < options.bytes) {
      let text = '';
      for (let ahead = 0; ahead < COPIES_PER_WRITE && bytes + text.length < options.bytes; ahead++) {
        const isBroken = options.breakEvery !== undefined && copies % options.breakEvery === options.breakEvery - 1;
        if (isBroken) brokenLines.push(copies * template.lines + template.firstChainLine);
        text += template.copy(copies++, isBroken);
      }
      bytes += (await file.write(text)).bytesWritten;
    }
  } finally {
    await file.close();
  }
  return {
    bytes,
    rows: copies * template.lines,
    counted: copies * COUNTED_IN_RECORDING,
    chainRows: copies * template.chainRows,
    brokenLines,
  };
}

type Slot = { readonly kind: 'uuid' | 'id' | 'root' } | { readonly kind: 'time'; readonly ms: number };

/** The recording, split into what every copy shares and the places where a copy has its own values. */
class CopyTemplate {
  readonly lines: number;
  readonly chainRows: number;
  readonly firstChainLine: number;
  readonly #pieces: (string | Slot)[] = [];
  readonly #leafTail: string;

  constructor(rowBytes: number) {
    const [recording] = fastGlob.sync('corrupt/far/00-healthy/*.jsonl', { cwd: FIXTURES, absolute: true });
    if (recording === undefined) throw new Error('Failed to find the recording of the giant transcript');
    const rows = readFileSync(recording, 'utf8').trimEnd().split('\n');
    const uuids = rows.map((row) => /"uuid":"([0-9a-f-]{36})"/.exec(row)?.[1]);
    const known = uuids.filter((uuid) => uuid !== undefined);
    this.lines = rows.length;
    this.chainRows = known.length;
    this.firstChainLine = uuids.findIndex((uuid) => uuid !== undefined) + 1;
    this.#leafTail = known.at(-1)?.slice(8) ?? '';
    const own = new RegExp(
      `(?<uuid>[0-9a-f]{8})(?=(?:${[...new Set(known)].map((uuid) => uuid.slice(8)).join('|')}))` +
        '|(?<id>(?:toolu|msg)_\\w+)|(?<root>"parentUuid":null)|(?<time>2026-06-\\d\\dT[\\d:.]+Z)',
      'g',
    );
    const text = rows.map((row) => `${fillUp(row, rowBytes)}\n`).join('');
    let at = 0;
    for (const match of text.matchAll(own)) {
      const { uuid, id, root, time } = match.groups ?? {};
      this.#pieces.push(text.slice(at, match.index) + (id ?? ''));
      if (uuid !== undefined) this.#pieces.push({ kind: 'uuid' });
      else if (root !== undefined) this.#pieces.push({ kind: 'root' });
      else if (time !== undefined) this.#pieces.push({ kind: 'time', ms: Date.parse(time) });
      else this.#pieces.push({ kind: 'id' });
      at = match.index + match[0].length;
    }
    this.#pieces.push(text.slice(at));
  }

  copy(number: number, isBroken: boolean): string {
    let text = '';
    for (const piece of this.#pieces) text += typeof piece === 'string' ? piece : this.#fill(piece, number, isBroken);
    return text;
  }

  #fill(slot: Slot, copy: number, isBroken: boolean): string {
    switch (slot.kind) {
      case 'uuid':
        return hex8(copy);
      case 'id':
        return `x${copy}`;
      case 'time':
        return new Date(slot.ms + copy * COPY_MS).toISOString();
      case 'root':
        if (isBroken) return `"parentUuid":"${LOST}${hex8(copy)}0000"`;
        return copy === 0 ? '"parentUuid":null' : `"parentUuid":"${hex8(copy - 1)}${this.#leafTail}"`;
    }
  }
}

function hex8(number: number): string {
  return number.toString(16).padStart(8, '0');
}

/** Pads a row with text to the requested length, in its message if it has one. */
function fillUp(row: string, rowBytes: number): string {
  const missing = rowBytes - row.length;
  const marker = /"type":"(?:text|thinking)","(?:text|thinking)":"|"content":"(?!\\)|"attachment":\{/.exec(row);
  if (missing <= 0 || marker === null || !row.includes('"uuid":')) return row;
  const end = marker.index + marker[0].length;
  const filler = 'the quick brown fox, "quoted" as in a log line\n'.repeat(Math.ceil(missing / 40));
  const text = JSON.stringify(filler).slice(1, missing).replace(/\\+$/, '');
  const inserted = marker[0].endsWith('{') ? `"filler":"${text}",` : text;
  return row.slice(0, end) + inserted + row.slice(end);
}
