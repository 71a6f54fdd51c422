import { safeCut } from '../text/texts';

/** UTF-16 units that are parsed as one piece of Markdown, because the parser's slowest rules take quadratic time. */
const MARKDOWN_CHUNK_CHARS = 16 * 1024;
/** A fence that is opened again in the next piece has no more than this. */
const MAX_FENCE_CHARS = 200;
/** The longest piece: one that begins and ends with a fence, and their newlines. */
export const MAX_PIECE_CHARS = MARKDOWN_CHUNK_CHARS + 2 * (MAX_FENCE_CHARS + 1);

/**
 * Splits a text into pieces that keep their meaning when parsed separately, as far as possible: between paragraphs, never
 * within a fence unless the fence alone is too long. In that case it is closed, and reopened in the next piece.
 */
export function splitMarkdown(text: string, maxChunks: number): { chunks: string[]; end: number } {
  const chunks: string[] = [];
  let from = 0;
  let fence: string | null = null;
  while (from < text.length && chunks.length < maxChunks) {
    const { end, open }: { end: number; open: string | null } = nextChunk(text, from, fence);
    const body = text.slice(from, end);
    const prefix: string = fence === null ? '' : `${fence}\n`;
    const suffix = open === null ? '' : `\n${closing(open)}`;
    chunks.push(prefix + body + suffix);
    fence = open;
    from = end;
  }
  return { chunks, end: from };
}

function nextChunk(text: string, from: number, fenceBefore: string | null): { end: number; open: string | null } {
  const limit = from + MARKDOWN_CHUNK_CHARS;
  let fence = fenceBefore;
  let lastGap = -1;
  let lastLine = -1;
  let fenceAtLine = fence;
  for (let at = from; at < text.length;) {
    const newline = text.indexOf('\n', at);
    const next = newline === -1 ? text.length : newline + 1;
    if (next > limit) break;
    const line = text.slice(at, Math.min(next, at + MAX_FENCE_CHARS));
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === null) fence = line.trimEnd();
      else if (fence.trimStart().startsWith(mark.charAt(0)) && mark.length >= closing(fence).length) fence = null;
    }
    if (fence === null && line.trim() === '') lastGap = next;
    lastLine = next;
    fenceAtLine = fence;
    at = next;
  }
  if (lastLine === text.length) return { end: text.length, open: null };
  if (lastGap > from) return { end: lastGap, open: null };
  if (lastLine > from) return { end: lastLine, open: fenceAtLine };
  return { end: text.length <= limit ? text.length : safeCut(text, limit), open: text.length <= limit ? null : fence };
}

function closing(fence: string): string {
  return /^ {0,3}(`{3,}|~{3,})/.exec(fence)?.[1] ?? '```';
}
