import { open } from 'node:fs/promises';
import type { RepairEdit } from '../../protocol/repair';
import { type DraftEdit, type LineEdit, type LinkEdit, NO_PARENT, type UuidEdit } from '../faults/repairDraft';
import { isChainOrNamedRow } from '../providers/claude/rows/chainRow';
import type { Splice } from '../storage/splice';
import { dissectLine, type LineObject } from '../transcript/dissectLine';
import { LineSplitter } from '../transcript/lineSplitter';
import type { TranscriptFacts } from '../transcript/transcriptIndex';
import { cleanLine } from './cleanLine';
import { freshUuid } from './freshUuid';
import { valueRange } from './valueRange';

const CHUNK_BYTES = 256 * 1024;

export interface LocatedEdits {
  /** In the order of the file. */
  readonly edits: readonly RepairEdit[];
  readonly splices: readonly Splice[];
}

/** Reads the lines that a draft edits once more and turns its edits into bytes. */
export async function locateEdits(
  filePath: string,
  facts: TranscriptFacts,
  draftEdits: readonly DraftEdit[],
): Promise<LocatedEdits> {
  const byLine = new Map<number, DraftEdit[]>();
  for (const edit of draftEdits) {
    const line = edit.kind === 'line' ? edit.line : facts.rows.line(edit.row);
    byLine.set(line, [...(byLine.get(line) ?? []), edit]);
  }
  const names = nameRows(facts, draftEdits);
  const edits: RepairEdit[] = [];
  const splices: Splice[] = [];
  await eachLine(filePath, facts.fileSize, (bytes, start, line) => {
    const here = byLine.get(line);
    if (here === undefined) return;
    const located = new LineLocator(facts, names, bytes, line).locate(here);
    edits.push(...located.edits);
    for (const splice of located.splices) splices.push({ ...splice, offset: splice.offset + start });
  });
  return { edits, splices };
}

/** uuid of each row after the repair. */
type RowNames = (row: number) => string | null;

function nameRows(facts: TranscriptFacts, edits: readonly DraftEdit[]): RowNames {
  const fresh = new Map<number, string>();
  for (const edit of edits) {
    if (edit.kind !== 'uuid') continue;
    const uuid = facts.ids.text(facts.rows.uuid(edit.row)) ?? '';
    let attempt = 0;
    let name = freshUuid(uuid, facts.rows.line(edit.row), attempt);
    while (facts.ids.has(name) || [...fresh.values()].includes(name)) {
      name = freshUuid(uuid, facts.rows.line(edit.row), ++attempt);
    }
    fresh.set(edit.row, name);
  }
  return (row) => (row === NO_PARENT ? null : (fresh.get(row) ?? facts.ids.text(facts.rows.uuid(row))));
}

class LineLocator {
  readonly #dissected;
  readonly #rows: readonly LineObject[];

  constructor(
    private readonly facts: TranscriptFacts,
    private readonly names: RowNames,
    private readonly bytes: Buffer,
    private readonly line: number,
  ) {
    this.#dissected = dissectLine(bytes, line === 1);
    this.#rows = this.#dissected.objects.filter((entry) => isChainOrNamedRow(entry.object));
  }

  locate(edits: readonly DraftEdit[]): LocatedEdits {
    const located: RepairEdit[] = [];
    const splices: Splice[] = [];
    for (const edit of edits) {
      const found = edit.kind === 'line' ? this.#locateLine(edit) : this.#locateValue(edit);
      located.push(found.edit);
      splices.push(...found.splices);
    }
    return { edits: located, splices: splices.sort((a, b) => a.offset - b.offset) };
  }

  #locateLine(edit: LineEdit): { edit: RepairEdit; splices: readonly Splice[] } {
    const { splices, from, to } = cleanLine(this.bytes, this.#dissected);
    return { edit: { line: this.line, uuid: null, field: 'line', from, to, why: edit.why }, splices };
  }

  #locateValue(edit: LinkEdit | UuidEdit): { edit: RepairEdit; splices: readonly Splice[] } {
    const { facts, line, names } = this;
    let ordinal = 0;
    while (ordinal < edit.row && facts.rows.line(edit.row - ordinal - 1) === line) ordinal++;
    const entry = this.#rows[ordinal];
    if (entry === undefined) throw new Error(`Failed to locate an edit: line ${line} has fewer rows than were scanned`);
    const field = edit.kind === 'uuid' ? 'uuid' : edit.field;
    const to = names(edit.kind === 'uuid' ? edit.row : edit.to);
    const range = valueRange(this.bytes.subarray(entry.start, entry.end), field);
    if (range === null) throw new Error(`Failed to locate an edit: the row of line ${line} has no ${field}`);
    const splice: Splice = {
      offset: entry.start + range.start,
      length: range.end - range.start,
      bytes: Buffer.from(JSON.stringify(to)),
    };
    const uuid = facts.ids.text(facts.rows.uuid(edit.row));
    return { edit: { line, uuid, field, from: entry.object[field], to, why: edit.why }, splices: [splice] };
  }
}

async function eachLine(
  filePath: string,
  size: number,
  visit: (bytes: Buffer, start: number, line: number) => void,
): Promise<void> {
  let line = 0;
  const splitter = new LineSplitter({
    line(bytes, start) {
      visit(bytes, start, ++line);
    },
    oversized() {
      line++;
    },
  });
  const file = await open(filePath, 'r');
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let at = 0; at < size;) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(CHUNK_BYTES, size - at), at);
      if (bytesRead === 0) break;
      splitter.push(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
    splitter.end();
  } finally {
    await file.close();
  }
}
