import type { JsonPath } from '../../providers/claude/request/requestRules';
import type { Splice } from '../../storage/splice';
import { dissectLine } from '../../transcript/dissectLine';
import { type ByteRange, type JsonMember, membersOf } from '../../transcript/jsonMembers';
import { withoutDeepValues } from '../../util/json';
import { type InRowEdit, isWithin } from './faultCase';

export interface LocatedContentEdit {
  readonly edit: InRowEdit;
  /** Without what is nested too deeply to be shown. */
  readonly from: unknown;
  readonly to: unknown;
  readonly why: string;
}

export interface LocatedContent {
  /** Offsets are relative to the row. In order. */
  readonly splices: readonly Splice[];
  readonly edits: readonly LocatedContentEdit[];
}

const NOTHING = Buffer.alloc(0);

/**
 * Finds the bytes that edits of one row change; all others stay as they are written. An edit is left out if there is no such value, or if
 * it is within a value that another edit replaces or deletes.
 */
export function locateContentEdits(row: Buffer, edits: readonly InRowEdit[]): LocatedContent {
  const start = dissectLine(row, false).objects[0]?.start ?? 0;
  const located: LocatedContentEdit[] = [];
  const splices: Splice[] = [];
  /** By the offset of their object or list: its members, and the offsets of those that are deleted. */
  const deleted = new Map<number, { readonly siblings: readonly JsonMember[]; readonly starts: Set<number> }>();
  const taken: JsonPath[] = [];
  for (const edit of [...edits].sort((a, b) => a.path.length - b.path.length)) {
    const found = findValue(row, start, edit.path);
    if (found === null || taken.some((path) => isWithin(edit.path, path))) continue;
    const { value, member, siblings, within } = found;
    const json = row.subarray(value.start, value.end);
    const from = valueOf(json);
    const done = (to: unknown, why = edit.why): void => {
      located.push({ edit, from, to, why });
    };
    switch (edit.kind) {
      case 'replace':
        taken.push(edit.path);
        splices.push(spliceOf(value, jsonBytes(edit.to)));
        done(edit.to);
        break;
      case 'rewrite': {
        taken.push(edit.path);
        const { value: to, why } = edit.to(json);
        splices.push(spliceOf(value, jsonBytes(to)));
        done(to, why);
        break;
      }
      case 'wrap': {
        taken.push(edit.path);
        const [before, behind] = [Buffer.from(edit.before), Buffer.from(edit.behind)];
        splices.push({ offset: value.start, length: 0, bytes: before });
        splices.push({ offset: value.end, length: 0, bytes: behind });
        done(valueOf(Buffer.concat([before, json, behind])));
        break;
      }
      case 'delete': {
        if (member === null) continue;
        taken.push(edit.path);
        const known = deleted.get(within) ?? { siblings, starts: new Set() };
        deleted.set(within, { ...known, starts: known.starts.add(member.start) });
        done(null, edit.keep === undefined ? edit.why : `${edit.why} It is ${edit.keep(Buffer.from(json), 'json')}.`);
        break;
      }
      case 'add': {
        const isEmpty = membersOf(row, value.start).length === 0;
        const added = Buffer.from(`${isEmpty ? '' : ','}${JSON.stringify(edit.key)}:${JSON.stringify(edit.to)}`);
        splices.push({ offset: value.end - 1, length: 0, bytes: added });
        located.push({ edit, from: null, to: edit.to, why: edit.why });
        break;
      }
      case 'order': {
        taken.push(edit.path);
        const elements = membersOf(row, value.start);
        const ordered = elements.map((element, at) => elements[edit.order[at] ?? at] ?? element);
        // What is between the elements stays where it is.
        for (const [at, element] of elements.entries()) {
          const other = ordered[at] ?? element;
          if (other !== element) splices.push(spliceOf(element, row.subarray(other.start, other.end)));
        }
        done(ordered.map((each) => valueOf(row.subarray(each.start, each.end))));
        break;
      }
    }
  }
  for (const { siblings, starts } of deleted.values()) splices.push(...deletions(siblings, starts));
  return { splices: splices.sort((a, b) => a.offset - b.offset), edits: located };
}

/** The path that a value had before the edits, from the one that it has after them. All paths of edits are those before them. */
export function pathBefore(path: JsonPath, edits: readonly InRowEdit[]): JsonPath {
  const before: (string | number)[] = [];
  for (const key of path) before.push(typeof key === 'number' ? placeBefore(key, before, edits) : key);
  return before;
}

function placeBefore(place: number, list: JsonPath, edits: readonly InRowEdit[]): number {
  let before = place;
  const deleted: number[] = [];
  for (const { kind, path, ...edit } of edits) {
    const isOfList = isWithin(path, list) && path.length === list.length + (kind === 'delete' ? 1 : 0);
    if (!isOfList) continue;
    const last = path.at(-1);
    if ('order' in edit) before = edit.order[place] ?? place;
    else if (kind === 'delete' && typeof last === 'number') deleted.push(last);
  }
  for (const each of deleted.sort((a, b) => a - b)) if (each <= before) before++;
  return before;
}

interface FoundValue {
  readonly value: ByteRange;
  /** Null for the row itself. */
  readonly member: JsonMember | null;
  /** All members of the object or list that contains the value. */
  readonly siblings: readonly JsonMember[];
  /** The offset of that object or list. */
  readonly within: number;
}

/** As JSON.parse reads it: the last of several members with the same key counts. */
function findValue(row: Buffer, start: number, path: JsonPath): FoundValue | null {
  let found: FoundValue = { value: { start, end: row.length }, member: null, siblings: [], within: start };
  for (const key of path) {
    const within = found.value.start;
    const siblings = membersOf(row, within);
    const member =
      typeof key === 'string'
        ? siblings.findLast((each) => each.key === key)
        : siblings.find((each, at) => at === key && each.key === null);
    if (member === undefined) return null;
    found = { value: member.value, member, siblings, within };
  }
  return found;
}

function spliceOf({ start, end }: ByteRange, bytes: Buffer): Splice {
  return { offset: start, length: end - start, bytes };
}

function valueOf(json: Buffer): unknown {
  return withoutDeepValues(JSON.parse(json.toString('utf8')));
}

function jsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** Each member goes with the comma behind it, or, where nothing remains behind it, with the comma before it. */
function deletions(siblings: readonly JsonMember[], starts: ReadonlySet<number>): Splice[] {
  const lastKept = siblings.findLastIndex(({ start }) => !starts.has(start));
  return siblings.flatMap((each, at): Splice[] => {
    if (!starts.has(each.start)) return [];
    const [before, behind] = [siblings[at - 1], siblings[at + 1]];
    if (at < lastKept && behind !== undefined) return [cut(each.start, behind.start)];
    return [cut(before === undefined ? each.start : before.end, each.end)];
  });
}

function cut(from: number, to: number): Splice {
  return { offset: from, length: to - from, bytes: NOTHING };
}

/** The row with the splices applied. */
export function splicedRow(row: Buffer, splices: readonly Splice[]): Buffer {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { offset, length, bytes } of splices) {
    parts.push(row.subarray(at, offset), bytes);
    at = offset + length;
  }
  return Buffer.concat([...parts, row.subarray(at)]);
}

/** The least single splice that turns a row into another; null if they are equal. */
export function difference(before: Buffer, after: Buffer): Splice | null {
  if (before.equals(after)) return null;
  const limit = Math.min(before.length, after.length);
  let start = 0;
  while (start < limit && before[start] === after[start]) start++;
  let tail = 0;
  while (tail < limit - start && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return { offset: start, length: before.length - tail - start, bytes: after.subarray(start, after.length - tail) };
}
