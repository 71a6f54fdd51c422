import type { Finding } from '../../../protocol/repair';
import { findFullContext, type FullContext, mayBeFull } from '../../providers/claude/loader/fullContext';
import { NO_ID } from '../../transcript/idTable';
import { RowKind } from '../../transcript/rowFlags';
import type { TranscriptIndex } from '../../transcript/transcriptIndex';
import { type HistoryCheck, rowFinding } from '../check';

/**
 * `context-overflow`: the client does not send the history, because it nearly fills the context window or is larger. It
 * compacts first, or refuses. (docs/format.md, "Full context")
 */
export const contextOverflow: HistoryCheck = {
  kind: 'history',
  code: 'context-overflow',
  find(loaded): Finding[] {
    const { index } = loaded;
    // A straight transcript is loaded only if that can matter.
    if (index.straight !== null && !mayBeFull(index)) return [];
    const full = findFullContext(loaded);
    if (full === null) return [];
    const rows = [full.lastFit, full.refusal ?? NO_ID].filter((row) => row !== NO_ID);
    const message = [...whatHappened(full), whatHelps(full, index), ...whatDoesNotHelp(index)].join(' ');
    return [rowFinding(index, rows, { code: 'context-overflow', severity: 'warning', action: 'tell', message })];
  },
};

function whatHappened(full: FullContext): string[] {
  const { refusal, pressure } = full;
  // What the client counts may be far below what it refused.
  const size = pressure === null && !full.isCounted ? null : sizeOf(full);
  const refused = refusal === null ? [] : ['The last prompt was refused because the history is too long.'];
  return [...refused, ...(size === null ? [] : [size]), whatFollows(pressure)];
}

function sizeOf({ tokens, window, model }: FullContext): string | null {
  if (tokens === null || window === null) return null;
  const owner = model === null ? '' : ` of ${model}`;
  return `The history takes about ${thousands(tokens)} tokens, and the context window${owner} has ${thousands(window)}.`;
}

function whatFollows(pressure: FullContext['pressure']): string {
  switch (pressure) {
    case 'compacts':
      return 'Claude does not load it as it is: it compacts it first, unless automatic compaction is off.';
    case 'compacts-or-refuses':
      return 'Claude does not load it as it is: it compacts it first, or refuses each prompt if automatic compaction is off.';
    case 'exceeds':
      return 'The API refuses it as it is, and Claude then compacts it, or refuses each prompt if automatic compaction is off.';
    case null:
      return 'The next prompt is refused as well if the history is still too long and Claude does not compact it.';
  }
}

function whatHelps({ lastFit, window }: FullContext, { rows }: TranscriptIndex): string {
  if (lastFit === NO_ID && window !== null) {
    return 'No earlier reply is known to leave room for a prompt, so compact the session, or start a new one.';
  }
  const point = lastFit === NO_ID ? 'an earlier reply' : `the reply on line ${rows.line(lastFit)}`;
  return `To keep the details, fork the session at ${point}, or go back to it and run /compact there.`;
}

/** Slimming is offered for a file with progress. The client counts by the newest reply, so shorter texts above it do not help, either. */
function whatDoesNotHelp({ rows }: TranscriptIndex): readonly string[] {
  for (let row = 0; row < rows.count; row++) {
    if (rows.kind(row) === RowKind.progress) {
      return ['Slimming the session does not help, because it removes only what Claude does not load.'];
    }
  }
  return [];
}

function thousands(tokens: number): string {
  // `toLocaleString` takes longer for its first number than most sessions take as a whole.
  return String(Math.round(tokens / 1000) * 1000).replace(/\B(?=(\d{3})+$)/g, ',');
}
