import { structuredPatch } from 'diff';
import type { DiffHunk } from '../../../shared/conversation';
import { isJsonObject, stringField, type JsonObject } from '../../claude/json';
import { cutText, MAX_LINES, MAX_UNITS } from './cutText';

export interface Edit {
  readonly before: string;
  readonly after: string;
}

export interface Diff {
  readonly hunks: readonly DiffHunk[];
  /** Lines that were left out. */
  readonly more: number;
}

type DiffLine = DiffHunk['lines'][number];

/** Longer texts are not compared line by line: all of the one went, all of the other came. */
const MAX_COMPARED_UNITS = 60_000;
/** Lines that differ; beyond, the comparison is given up. */
const MAX_EDIT_LENGTH = 200;
const CONTEXT_LINES = 3;
const MAX_EDITS = 200;

/** The edits of an Edit or MultiEdit call; null when the input holds none. */
export function editsOf(input: JsonObject): readonly Edit[] | null {
  const list: readonly unknown[] = Array.isArray(input['edits']) ? input['edits'] : [input];
  const edits: Edit[] = [];
  for (const entry of list.slice(0, MAX_EDITS)) {
    const before = isJsonObject(entry) ? stringField(entry, 'old_string') : null;
    const after = isJsonObject(entry) ? stringField(entry, 'new_string') : null;
    if (before === null || after === null) return null;
    edits.push({ before, after });
  }
  return edits.length === 0 ? null : edits;
}

/** What edits change. Their place in the file is not known: lines are counted from 1 for each. */
export function describeEdit(edits: readonly Edit[]): Diff {
  const cutter = new HunkCutter();
  for (const { before, after } of edits) {
    const patch = before.length + after.length > MAX_COMPARED_UNITS ? undefined : compare(before, after);
    if (patch === undefined) {
      cutter.add(1, 1, [...linesOf(before, '-'), ...linesOf(after, '+')]);
      continue;
    }
    for (const { oldStart, newStart, lines } of patch.hunks) cutter.add(oldStart, newStart, lines);
  }
  return cutter.diff;
}

/** What the client wrote down of a change (`toolUseResult.structuredPatch`); null when it wrote none. */
export function readPatch(details: JsonObject | null): Diff | null {
  const patch = details?.['structuredPatch'];
  if (!Array.isArray(patch) || patch.length === 0) return null;
  const cutter = new HunkCutter();
  for (const hunk of patch as readonly unknown[]) {
    if (!isJsonObject(hunk)) return null;
    const { oldStart, newStart, lines } = hunk;
    if (typeof oldStart !== 'number' || typeof newStart !== 'number' || !Array.isArray(lines)) return null;
    if (!(lines as readonly unknown[]).every((line) => typeof line === 'string')) return null;
    cutter.add(oldStart, newStart, lines);
  }
  return cutter.diff;
}

function compare(before: string, after: string): ReturnType<typeof structuredPatch> | undefined {
  return structuredPatch('', '', before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDIT_LENGTH,
  });
}

function linesOf(text: string, sign: string): string[] {
  return text === '' ? [] : text.split('\n').map((line) => sign + line);
}

/** Takes hunks until there are enough lines and units of them. */
class HunkCutter {
  readonly #hunks: DiffHunk[] = [];
  #lines = 0;
  #units = 0;
  #more = 0;

  get diff(): Diff {
    return { hunks: this.#hunks, more: this.#more };
  }

  /** Lines as in a patch: each begins with a space, `-` or `+`. */
  add(oldStart: number, newStart: number, lines: readonly string[]): void {
    const taken: DiffLine[] = [];
    for (const line of lines) {
      // "\ No newline at end of file"
      if (line.startsWith('\\')) continue;
      if (this.#lines >= MAX_LINES || this.#units >= MAX_UNITS.toolInput) {
        this.#more++;
        continue;
      }
      const { text, more } = cutText(line.slice(1), MAX_UNITS.toolInput - this.#units);
      taken.push({ kind: kindOf(line), text: more > 0 ? `${text}…` : text });
      this.#lines++;
      this.#units += text.length;
    }
    if (taken.length > 0) this.#hunks.push({ oldStart, newStart, lines: taken });
  }
}

function kindOf(line: string): DiffLine['kind'] {
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'context';
}
