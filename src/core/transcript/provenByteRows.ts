import { Column } from '../util/columns';
import { type ByteColumns, ByteFlag, ByteRows, type KeptList, PromptForm } from './byteRows';
import { type IdTable, NO_ID } from './idTable';
import { hasFlag, RowFlag } from './rowFlags';
import type { RowTable } from './rowTable';

/** Bytes of lines that are kept unread until it is known whether they matter. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** The flags of a row, of one of a subagent, and of a `last-prompt` that names a leaf, in the form that every client writes. */
const USUAL = ByteFlag.linked | ByteFlag.hasUuid | ByteFlag.startsWithParent;
const SIDECHAIN = ByteFlag.sidechain | ByteFlag.startsSidechain;
const NAMES_LEAF = ByteFlag.namesLeaf | ByteFlag.hasLeaf | ByteFlag.saysLeaf;

/**
 * The byte rows of a file whose other lines were proved to have the form that every client writes. (wasm/assembly/bytes.ts) Most
 * files turn out to be straight, and nobody asks for them.
 */
export class ProvenByteRows {
  readonly #odd = new ByteRows();
  readonly #oddLines = new Set<number>();
  #waiting: { readonly line: number; readonly bytes: Buffer }[] = [];
  #waitingBytes = 0;

  /** A line that was not proved. Keeps the bytes, which must not change. */
  add(line: number, bytes: Buffer): void {
    this.#oddLines.add(line);
    this.#waiting.push({ line, bytes });
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#readWaiting();
  }

  /**
   * The result has the ids of the table; null if an id of a line that was added is not among them.
   *
   * @param find the id of a text in the table, or null
   * @param prompts two numbers for each `last-prompt` on another line: that line, and the id of the leaf or `NO_ID`
   */
  withRows(
    rows: RowTable,
    prompts: Column<Int32Array>,
    ids: IdTable,
    find: (id: string) => number | null,
  ): ByteRows | null {
    this.#readWaiting();
    const others = this.#others(prompts, find);
    if (others === null) return null;
    const filled = new FilledRows(rows.count + others.length);
    let next = 0;
    for (let row = 0; row < rows.count; row++) {
      const line = rows.line(row);
      for (let other = others[next]; other !== undefined && other.line < line; other = others[++next]) {
        filled.addOther(other);
      }
      if (this.#oddLines.has(line)) continue;
      const parent = rows.parent(row);
      const sidechain = hasFlag(rows.flags(row), RowFlag.sidechain) ? SIDECHAIN : 0;
      filled.add(line, USUAL | sidechain | (parent === NO_ID ? 0 : ByteFlag.hasParent), rows.uuid(row), parent);
    }
    for (const other of others.slice(next)) filled.addOther(other);
    return new ByteRows(ids, filled.columns(this.#odd.startsWithBom));
  }

  #readWaiting(): void {
    for (const { line, bytes } of this.#waiting) this.#odd.lineAt(line, bytes);
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  /** The rows of the lines that were added, and the prompts, in file order; null if an id is not found. */
  #others(prompts: Column<Int32Array>, find: (id: string) => number | null): OtherRow[] | null {
    const others: OtherRow[] = [];
    for (let row = 0; row < this.#odd.count; row++) {
      const other = this.#translate(row, find);
      if (other === null) return null;
      others.push(other);
    }
    for (let at = 0; at < prompts.length; at += 2) {
      const leaf = prompts.get(at + 1);
      const flags = PromptForm.first | (leaf === NO_ID ? 0 : NAMES_LEAF);
      others.push({ line: prompts.get(at), flags, uuid: NO_ID, named: leaf, list: null });
    }
    return others.sort((a, b) => a.line - b.line);
  }

  /** The row with the ids of the table; null if one of them is not found. */
  #translate(row: number, find: (id: string) => number | null): OtherRow | null {
    const odd = this.#odd;
    const list = odd.listOf(row);
    const ids = [odd.uuid(row), odd.named(row), list?.anchor ?? NO_ID, ...(list?.ids ?? [])].map((id) => {
      const text = odd.ids.text(id);
      return text === null ? NO_ID : find(text);
    });
    if (ids.includes(null)) return null;
    const [uuid, named, anchor, ...kept] = ids.map((id) => id ?? NO_ID);
    return {
      line: odd.lineOf(row),
      flags: odd.flags(row),
      uuid: uuid ?? NO_ID,
      named: named ?? NO_ID,
      list: list === null ? null : { anchor: anchor ?? NO_ID, ids: kept },
    };
  }
}

interface OtherRow {
  readonly line: number;
  readonly flags: number;
  readonly uuid: number;
  readonly named: number;
  readonly list: KeptList | null;
}

/** Columns of a known length. They are filled without growing, which V8 compiles in a fraction of the time. */
class FilledRows {
  readonly #line: Uint32Array;
  readonly #flags: Uint32Array;
  readonly #uuid: Int32Array;
  readonly #named: Int32Array;
  readonly #lists = new Map<number, KeptList>();
  #count = 0;

  /** @param bound  at least the number of rows */
  constructor(bound: number) {
    this.#line = new Uint32Array(bound);
    this.#flags = new Uint32Array(bound);
    this.#uuid = new Int32Array(bound);
    this.#named = new Int32Array(bound);
  }

  add(line: number, flags: number, uuid: number, named: number): void {
    const at = this.#count++;
    this.#line[at] = line;
    this.#flags[at] = flags;
    this.#uuid[at] = uuid;
    this.#named[at] = named;
  }

  addOther({ line, flags, uuid, named, list }: OtherRow): void {
    if (list !== null) this.#lists.set(this.#count, list);
    this.add(line, flags, uuid, named);
  }

  columns(startsWithBom: boolean): ByteColumns {
    return {
      line: Column.ofUint32(this.#line.subarray(0, this.#count)),
      flags: Column.ofUint32(this.#flags.subarray(0, this.#count)),
      uuid: Column.ofInt32(this.#uuid.subarray(0, this.#count)),
      named: Column.ofInt32(this.#named.subarray(0, this.#count)),
      lists: this.#lists,
      startsWithBom,
    };
  }
}
