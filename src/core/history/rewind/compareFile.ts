import { structuredPatch } from 'diff';
import type { DiffHunk } from '../../../protocol/conversation';
import type { ComparedFile, FileComparison } from '../../../protocol/history';
import type { WriteFs } from '../../storage/writeFs';
import { type FileText, readFileText } from './fileText';

const CONTEXT_LINES = 3;
/** Files that differ by more lines are shown as replaced. */
const MAX_EDIT_LENGTH = 2_000;
/** Nobody reads more in a page; VS Code's own diff editor shows everything. */
const MAX_LINES = 1_000;
/** Longest line in UTF-16 units; the rest of a longer one is replaced by an ellipsis. */
const MAX_LINE_UNITS = 2_000;

const EMPTY: FileText = { kind: 'text', text: '' };

/** Compares a file with its state after a rewind. Changes nothing, and never rejects because of what is on disk. */
export async function compareFile(
  { path, exists, contentPath }: ComparedFile,
  fs: Pick<WriteFs, 'open'>,
): Promise<FileComparison> {
  try {
    const before = exists ? await readFileText(path, fs) : EMPTY;
    const after = contentPath === null ? EMPTY : await readFileText(contentPath, fs);
    if (before.kind === 'tooLarge' || after.kind === 'tooLarge') return { kind: 'tooLarge' };
    if (before.kind === 'binary' || after.kind === 'binary') return { kind: 'binary' };
    return limited(hunksOf(before.text, after.text));
  } catch {
    return { kind: 'unreadable' };
  }
}

type Line = DiffHunk['lines'][number];

function hunksOf(before: string, after: string): readonly DiffHunk[] {
  const patch = structuredPatch('', '', before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDIT_LENGTH,
  });
  if (patch === undefined) {
    const lines = [...linesOf(before, 'removed'), ...linesOf(after, 'added')];
    return [{ oldStart: 1, newStart: 1, lines }];
  }
  return patch.hunks.map(({ oldStart, newStart, lines }) => ({ oldStart, newStart, lines: lines.map(lineOf) }));
}

/** A line of a patch begins with a space, `-` or `+`, or is a remark about the line above it, which begins with `\`. */
function lineOf(line: string, at: number, lines: readonly string[]): Line {
  const isRemark = line.startsWith('\\');
  const sign = isRemark ? (lines[at - 1] ?? '') : line;
  const kind = sign.startsWith('+') ? 'added' : sign.startsWith('-') ? 'removed' : 'context';
  return { kind, text: isRemark ? line : line.slice(1) };
}

function linesOf(text: string, kind: Line['kind']): readonly Line[] {
  if (text === '') return [];
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => ({ kind, text: line }));
}

function limited(hunks: readonly DiffHunk[]): FileComparison {
  let left = MAX_LINES;
  let more = 0;
  const shown: DiffHunk[] = [];
  for (const { lines, ...place } of hunks) {
    const taken = lines.slice(0, left);
    left -= taken.length;
    more += lines.length - taken.length;
    if (taken.length > 0) shown.push({ ...place, lines: taken.map(shortened) });
  }
  return { kind: 'lines', hunks: shown, more };
}

function shortened(line: Line): Line {
  if (line.text.length <= MAX_LINE_UNITS) return line;
  // A pair of surrogates is one character.
  const cut = line.text.slice(0, MAX_LINE_UNITS - 1).replace(/[\uD800-\uDBFF]$/, '');
  return { ...line, text: `${cut}…` };
}
