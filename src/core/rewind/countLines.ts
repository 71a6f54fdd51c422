import { diffArrays } from 'diff';

/** Longest edit that is looked for; two files that differ by more are compared by their lines without their order. */
const MAX_EDIT_LENGTH = 2_000;

export interface LineCounts {
  readonly insertions: number;
  readonly deletions: number;
}

/**
 * Lines by which a text differs from another, as jsdiff's `diffLines` counts them, which is what the client does: a line is
 * its text with its newline. Texts that differ by thousands of moved lines may be told to differ by fewer.
 */
export function countLines(before: string, after: string): LineCounts {
  if (before === after) return { insertions: 0, deletions: 0 };
  const [old, young] = [splitLines(before), splitLines(after)];
  const [inOld, inYoung] = [new Set(old), new Set(young)];
  // A line that only one side has is in no common part: without these, most differences are short.
  const left = old.filter((line) => inYoung.has(line));
  const right = young.filter((line) => inOld.has(line));
  const common = countCommon(left, right);
  return { insertions: young.length - common, deletions: old.length - common };
}

function countCommon(left: readonly string[], right: readonly string[]): number {
  if (left.length === 0 || right.length === 0) return 0;
  const parts = diffArrays([...left], [...right], { maxEditLength: MAX_EDIT_LENGTH });
  if (parts === undefined) return countShared(left, right);
  return parts.reduce((sum, { added, removed, count }) => (added || removed ? sum : sum + count), 0);
}

function countShared(left: readonly string[], right: readonly string[]): number {
  const free = new Map<string, number>();
  for (const line of left) free.set(line, (free.get(line) ?? 0) + 1);
  let shared = 0;
  for (const line of right) {
    const count = free.get(line) ?? 0;
    if (count === 0) continue;
    free.set(line, count - 1);
    shared++;
  }
  return shared;
}

function splitLines(text: string): string[] {
  const lines = text.split(/(?<=\n)/);
  return lines.length === 1 && lines[0] === '' ? [] : lines;
}
