import type { RepairEdit } from '../../../protocol/repair';
import type { LoadedTranscript } from '../../providers/claude/loader/loadTranscript';
import { readRequestRows, type RowReader, rowReader } from '../../providers/claude/request/requestRows';
import type { JsonPath } from '../../providers/claude/request/requestRules';
import type { Splice } from '../../storage/splice';
import { dissectLine } from '../../transcript/dissectLine';
import { NO_ID } from '../../transcript/idTable';
import { RowFlag } from '../../transcript/rowFlags';
import type { RowSource } from '../../transcript/rowSource';
import { type JsonObject, parseObject, stringField } from '../../util/json';
import { copiesOfRows } from '../checks/duplicateUuid';
import { freshUuid } from '../locateEdits';
import { difference, locateContentEdits, pathBefore, splicedRow } from './contentEdits';
import { diagnoseHistory, type RequestDiagnosis } from './diagnoseRequest';
import type { ContentEdit, InRowEdit, InsertEdit, MoveEdit } from './faultCase';

/** An edit, and the row that it changes, or beside which it adds one. */
export type DraftedEdit = RepairEdit & { readonly row: number };

/** What the repair of links comes to. The rows have the same numbers as in the transcript. */
export interface LinkRepair {
  readonly loaded: LoadedTranscript;
  readonly splices: readonly Splice[];
}

interface InsertedRow {
  /** The number of the row before which it is; the number of all rows at the end of the file. */
  readonly at: number;
  readonly uuid: string;
  bytes: Buffer;
}

/**
 * The rows as the edits so far leave them. A row is identified by its number in the transcript, and a row that the edits insert by a
 * negative number.
 */
export class ContentDraft {
  readonly #stored: RowReader;
  readonly #texts = new Map<number, Buffer>();
  readonly #splicesOf = new Map<number, readonly Splice[] | 'several rounds'>();
  readonly #inserted: InsertedRow[] = [];
  readonly #edits: DraftedEdit[] = [];
  readonly #named = new Map<number, JsonPath[]>();
  /** The edits of each row by the rounds in which they were made. */
  readonly #rounds = new Map<number, (readonly InRowEdit[])[]>();
  /** From the root to the leaf. */
  #chain: number[] = [];
  readonly #copiesOf: (row: number) => readonly number[];
  #isRestructured = false;
  #stripsThinking = false;

  constructor(
    private readonly original: LoadedTranscript,
    private readonly links: LinkRepair,
    private readonly source: RowSource,
  ) {
    this.#copiesOf = copiesOfRows(original);
    const read = rowReader(original, source);
    this.#stored = (row) => {
      const bytes = read(row);
      if (bytes === null || !original.index.rows.has(row, RowFlag.sharesLine)) return bytes;
      // The row ends where the next one on its line begins.
      return bytes.subarray(0, dissectLine(bytes, false).objects[0]?.end);
    };
  }

  get edits(): readonly DraftedEdit[] {
    return this.#edits;
  }

  /** Rows were inserted or moved, so only a scan tells what is loaded. */
  get isRestructured(): boolean {
    return this.#isRestructured;
  }

  /** The mark was inserted after which the client sends no thinking of earlier messages. */
  get stripsThinking(): boolean {
    return this.#stripsThinking;
  }

  /** The places in a row that edits name, as they were before all edits; all others have to stay as they are. */
  namedIn(row: number): readonly JsonPath[] {
    return this.#named.get(row) ?? [];
  }

  /** Judges what is loaded, after a scan of the edited bytes or before any edit that inserts or moves a row. */
  diagnose(loaded: LoadedTranscript): RequestDiagnosis {
    const rowOf = this.#rowsOf(loaded);
    const history = readRequestRows(loaded, (at) => this.#bytes(rowOf(at)));
    this.#chain = Array.from(loaded.resume.walk.chain, rowOf);
    const rows = history.rows.map((each) => {
      const row = rowOf(each.row);
      return { ...each, row, line: this.#lineOf(row) };
    });
    return diagnoseHistory(this.original, { ...history, rows });
  }

  /** The numbers of rows that were in the transcript before the edits, from their numbers in a scan of the edited bytes. */
  originalRows(loaded: LoadedTranscript, rows: readonly number[]): readonly number[] {
    return rows.map(this.#rowsOf(loaded)).filter((row) => row >= 0);
  }

  #rowsOf({ index }: LoadedTranscript): (at: number) => number {
    const { count } = this.original.index.rows;
    if (index.rows.count === count) return (at) => at;
    const rows: number[] = [];
    const inserted = this.#insertedInOrder();
    for (let row = 0, next = 0; row <= count; row++) {
      for (; inserted[next]?.at === row; next++) rows.push(inserted[next]?.row ?? NO_ID);
      if (row < count) rows.push(row);
    }
    return (at) => rows[at] ?? NO_ID;
  }

  #insertedInOrder(): readonly (InsertedRow & { readonly row: number })[] {
    return this.#inserted.map((each, at) => ({ ...each, row: numberOfInserted(at) })).toSorted((a, b) => a.at - b.at);
  }

  #bytes(row: number): Buffer | null {
    return row < 0 ? (this.#insertedAt(row)?.bytes ?? null) : (this.#texts.get(row) ?? this.#stored(row));
  }

  #insertedAt(row: number): InsertedRow | undefined {
    return this.#inserted[-row - 1];
  }

  /** Returns whether anything changed. */
  apply(edits: readonly ContentEdit[]): boolean {
    const byRow = new Map<number, Map<string, InRowEdit>>();
    const structural: (InsertEdit | MoveEdit)[] = [];
    const add = (edit: InRowEdit): void => {
      const ofRow = byRow.get(edit.row) ?? new Map<string, InRowEdit>();
      byRow.set(edit.row, ofRow.set(JSON.stringify(edit.path), edit));
    };
    for (const edit of edits) {
      if (edit.kind === 'move') structural.push(edit);
      else if (edit.kind !== 'insert') add(edit);
      else if (edit.otherwise === undefined || this.#isOnChain(edit.row)) structural.push(edit);
      else edit.otherwise().forEach(add);
    }
    let hasChanged = false;
    for (const [row, ofRow] of byRow) hasChanged = this.#editRow(row, [...ofRow.values()]) || hasChanged;
    for (const edit of structural) {
      const isDone = edit.kind === 'move' ? this.#move(edit) : this.#insert(edit);
      this.#isRestructured ||= isDone;
      hasChanged ||= isDone;
    }
    return hasChanged;
  }

  /** Copies of a message cost nothing as long as they stay copies, so all of them are edited. */
  #editRow(row: number, edits: readonly InRowEdit[]): boolean {
    const changed = [row, ...this.#copiesOf(row)].map((each) => this.#editOne(each, edits));
    return changed.includes(true);
  }

  /**
   * Elements are edited before their list is ordered, and both at once: a result whose call gets another id would no longer belong to it
   * in the next round. A list that loses elements has to be ordered in the next round.
   */
  #editOne(row: number, edits: readonly InRowEdit[]): boolean {
    const others = edits.filter(({ kind }) => kind !== 'order');
    const deleted = others.filter(({ kind }) => kind === 'delete').map(({ path }) => path.slice(0, -1).join('.'));
    const orders = edits.filter(({ kind, path }) => kind === 'order' && !deleted.includes(path.join('.')));
    const isEdited = this.#editRowOnce(row, others);
    return this.#editRowOnce(row, orders) || isEdited;
  }

  #editRowOnce(row: number, edits: readonly InRowEdit[]): boolean {
    if (edits.length === 0) return false;
    const located = this.#change(row, edits);
    if (located === null) return false;
    for (const { edit, from, to, why } of located.edits) {
      const path = edit.kind === 'add' ? [...edit.path, edit.key] : edit.path;
      // Elements in another order are all still there.
      if (edit.kind !== 'order') this.#name(row, edit.path);
      this.#edits.push({ row, ...this.#place(row), field: path.join('.'), from, to, why });
    }
    this.#rounds.set(row, [...(this.#rounds.get(row) ?? []), located.edits.map(({ edit }) => edit)]);
    return true;
  }

  #change(row: number, edits: readonly InRowEdit[]): ReturnType<typeof locateContentEdits> | null {
    const bytes = this.#texts.get(row) ?? this.#linked(row);
    if (bytes === null) return null;
    const located = locateContentEdits(bytes, edits);
    if (located.splices.length === 0) return null;
    const isFirst = !this.#texts.has(row) && this.#linksIn(row).length === 0;
    this.#texts.set(row, splicedRow(bytes, located.splices));
    this.#splicesOf.set(row, isFirst ? located.splices : 'several rounds');
    return located;
  }

  /** The row as the repair of links leaves it. */
  #linked(row: number): Buffer | null {
    const bytes = this.#stored(row);
    const links = this.#linksIn(row);
    return bytes === null || links.length === 0 ? bytes : splicedRow(bytes, links);
  }

  /** What the repair of links changes within a row, relative to it. */
  #linksIn(row: number): readonly Splice[] {
    const { splices } = this.links;
    if (splices.length === 0) return [];
    const start = this.original.index.rows.offset(row);
    const end = start + (this.#stored(row)?.length ?? 0);
    return splices
      .filter(({ offset, length }) => offset > start && offset + length < end)
      .map((splice) => ({ ...splice, offset: splice.offset - start }));
  }

  #name(row: number, path: JsonPath): void {
    const original = (this.#rounds.get(row) ?? []).reduceRight(pathBefore, path);
    this.#named.set(row, [...this.namedIn(row), original]);
  }

  #place(row: number): Pick<RepairEdit, 'line' | 'uuid'> {
    return { line: this.#lineOf(row), uuid: this.#uuidOf(row) };
  }

  /** For a row that is inserted, the line before which it is. */
  #lineOf(row: number): number {
    const { rows, lineCount } = this.original.index;
    const at = row < 0 ? (this.#insertedAt(row)?.at ?? 0) : row;
    return at < rows.count ? rows.line(at) : lineCount + 1;
  }

  #uuidOf(row: number): string | null {
    const { rows, ids } = this.original.index;
    return row < 0 ? (this.#insertedAt(row)?.uuid ?? null) : ids.text(rows.uuid(row));
  }

  #isOnChain(row: number): boolean {
    return this.#chain.includes(row);
  }

  #insert(edit: InsertEdit): boolean {
    const { place, why } = edit;
    // One mark silences all.
    if (edit.silences === 'thinking' && this.#stripsThinking) return false;
    const at = place === 'last' ? this.#chain.length - 1 : this.#chain.indexOf(edit.row);
    const beside = this.#chain[at];
    const object = beside === undefined ? null : this.#object(beside);
    if (beside === undefined || object === null) return false;
    const child = place === 'before' ? beside : this.#chain[at + 1];
    const parentUuid = place === 'before' ? (stringField(object, 'parentUuid') ?? null) : this.#uuidOf(beside);
    if (place !== 'before' && (parentUuid === null || !this.#isLinked(child, beside))) return false;
    const uuid = this.#freshUuid(this.#uuidOf(beside) ?? '');
    const fields = edit.fields(uuid);
    const row = {
      parentUuid,
      isSidechain: object['isSidechain'] === true,
      ...fields,
      uuid,
      ...pick(object, SHARED_FIELDS),
    };
    const inserted = { at: this.#placeBeside(beside, place), uuid, bytes: Buffer.from(JSON.stringify(row)) };
    const number = numberOfInserted(this.#inserted.push(inserted) - 1);
    this.#edits.push({ row: edit.row, line: this.#lineOf(number), uuid, field: 'line', from: null, to: fields, why });
    if (child !== undefined && !this.#setParent(child, uuid, why)) {
      this.#inserted.pop();
      this.#edits.pop();
      return false;
    }
    this.#chain.splice(place === 'before' ? at : at + 1, 0, number);
    if (edit.silences === 'thinking') this.#stripsThinking = true;
    for (const path of edit.silences === 'thinking' ? [] : (edit.silences ?? [])) this.#name(beside, path);
    return true;
  }

  #placeBeside(row: number, place: InsertEdit['place']): number {
    if (place === 'last') return this.original.index.rows.count;
    if (row < 0) return this.#insertedAt(row)?.at ?? 0;
    return place === 'before' ? row : row + 1;
  }

  #freshUuid(uuid: string): string {
    const { ids, lineCount } = this.original.index;
    const isUsed = (each: string): boolean => ids.has(each) || this.#inserted.some((row) => row.uuid === each);
    let attempt = 0;
    let fresh = freshUuid(uuid, lineCount, attempt);
    while (isUsed(fresh)) fresh = freshUuid(uuid, lineCount, ++attempt);
    return fresh;
  }

  /** Puts the rows of the chain from one to another behind a later one. The bytes stay where they are: only three links change. */
  #move({ row, through, behind, why }: MoveEdit): boolean {
    const [from, to, end] = [row, through, behind].map((each) => this.#chain.indexOf(each));
    if (from === undefined || to === undefined || end === undefined || from < 0 || to < from || end <= to) return false;
    const [first, next] = [this.#chain[to + 1], this.#chain[end + 1]];
    const object = this.#object(row);
    const [last, result] = [this.#uuidOf(through), this.#uuidOf(behind)];
    if (first === undefined || object === null || last === null || result === null) return false;
    if (!this.#isLinked(first, through) || !this.#isLinked(next, behind)) return false;
    const above = stringField(object, 'parentUuid');
    if (!this.#setParent(first, above, why) || !this.#setParent(row, result, why)) return false;
    if (next !== undefined && !this.#setParent(next, last, why)) return false;
    const moved = this.#chain.splice(from, to + 1 - from);
    this.#chain.splice(from + end - to, 0, ...moved);
    return true;
  }

  /** Whether the child names the row as its parent, which a link that the client mends by itself does not; or there is none. */
  #isLinked(child: number | undefined, row: number): boolean {
    return child === undefined || this.#object(child)?.['parentUuid'] === this.#uuidOf(row);
  }

  #object(row: number): JsonObject | null {
    const bytes = row < 0 ? this.#bytes(row) : (this.#texts.get(row) ?? this.#linked(row));
    return bytes === null ? null : (parseObject(bytes.toString('utf8')) ?? firstObject(bytes));
  }

  #setParent(row: number, parentUuid: string | null, why: string): boolean {
    const inserted = row < 0 ? this.#insertedAt(row) : undefined;
    if (inserted !== undefined) {
      inserted.bytes = Buffer.from(JSON.stringify({ ...this.#object(row), parentUuid }));
      return true;
    }
    return [row, ...this.#copiesOf(row)].map((each) => this.#setParentOf(each, parentUuid, why)).includes(true);
  }

  #setParentOf(row: number, parentUuid: string | null, why: string): boolean {
    const located = this.#change(row, [{ kind: 'replace', row, path: ['parentUuid'], to: parentUuid, why }]);
    const from = located?.edits[0]?.from;
    if (located === null) return false;
    const known = this.#edits.findIndex((edit) => edit.row === row && edit.field === 'parentUuid');
    const before = this.#edits[known];
    if (before === undefined) {
      this.#edits.push({ row, ...this.#place(row), field: 'parentUuid', from, to: parentUuid, why });
    } else this.#edits[known] = { ...before, to: parentUuid };
    return true;
  }

  /** Those of the repair of links and those of the edits, in order. Null if they overlap. */
  splices(): readonly Splice[] | null {
    const { rows } = this.original.index;
    const splices: Splice[] = [];
    const replaced = new Set<number>();
    for (const [row, known] of this.#splicesOf) {
      const start = rows.offset(row);
      for (const { offset } of this.#linksIn(row)) replaced.add(start + offset);
      const once = known === 'several rounds' ? this.#difference(row) : known;
      splices.push(...once.map((splice) => ({ ...splice, offset: start + splice.offset })));
    }
    splices.push(...this.links.splices.filter(({ offset }) => !replaced.has(offset)), ...this.#insertions());
    const ordered = splices.toSorted((a, b) => a.offset - b.offset || a.length - b.length);
    const isOverlapping = ordered.some(({ offset }, at) => {
      const before = ordered[at - 1];
      return before !== undefined && before.offset + before.length > offset;
    });
    return isOverlapping ? null : ordered;
  }

  #difference(row: number): readonly Splice[] {
    const [before, after] = [this.#stored(row), this.#texts.get(row)];
    const only = before === null || after === undefined ? null : difference(before, after);
    return only === null ? [] : [only];
  }

  /** Each row that is inserted has a line of its own. */
  #insertions(): readonly Splice[] {
    const { rows, fileSize } = this.original.index;
    const places = new Map<number, Buffer[]>();
    for (const { at, bytes } of this.#insertedInOrder()) places.set(at, [...(places.get(at) ?? []), bytes]);
    return [...places].map(([at, texts]) => {
      const offset = at < rows.count ? rows.offset(at) : fileSize;
      const beginsLine = offset === 0 || this.source.lineAt(offset - 1, 1).bytes.length === 0;
      const bytes = Buffer.concat([...(beginsLine ? [] : [NEWLINE]), ...texts.flatMap((each) => [each, NEWLINE])]);
      return { offset, length: 0, bytes };
    });
  }
}

const NEWLINE = Buffer.from('\n');

/** What the client writes into each row of a session. */
const SHARED_FIELDS = ['timestamp', 'userType', 'entrypoint', 'cwd', 'sessionId', 'version', 'gitBranch', 'agentId'];

function pick(object: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.flatMap((field) => (field in object ? [[field, object[field]] as const] : [])));
}

function firstObject(bytes: Buffer): JsonObject | null {
  return dissectLine(bytes, false).objects[0]?.object ?? null;
}

function numberOfInserted(at: number): number {
  return -at - 1;
}
