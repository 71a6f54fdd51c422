import { NO_ID } from '../../../transcript/idTable';
import { isCommandOutput, isCompanion, RowFlag, RowKind } from '../../../transcript/rowFlags';
import { type RowTable } from '../../../transcript/rowTable';
import type { BitSet } from '../../../util/columns';
import { type History, MessageContents, orderResults } from './requestMessages';
import type { LoaderRules } from './rules';

/**
 * Calls during which the session was interrupted: they have no result, but the client keeps them and answers them itself. These are
 * all such calls of the last turn if the turn was cut off between two messages, or else those of the message with which the
 * history ends. (docs/format.md, "Open calls")
 *
 * @param order returns the history in the order of a request
 */
export function openCalls(
  rows: RowTable,
  history: History,
  answered: BitSet,
  rules: LoaderRules,
  order: () => History = () => orderResults(rows, history, rules),
): ReadonlySet<number> {
  const none = new Set<number>();
  if (!rules.keepsOpenCallsBeforeResults) return none;
  const isPrompt = (row: number): boolean => !rules.passesOverCompanions || !isCompanion(rows.flags(row));
  if (openCallsSince(rows, history, answered, isPrompt).size === 0) return none;
  const ordered = order();
  // Companions at the end of a turn do not end it.
  const ofTurn = openCallsSince(rows, ordered, answered, (row, hasReply) => hasReply || isPrompt(row));
  if (ofTurn.size === 0 || isCutOff(rows, ordered, answered)) return ofTurn;
  return rules.keepsOpenCallsAtEnd ? openCallsOfLastMessage(rows, ordered, ofTurn) : none;
}

/** Those behind the last row of the user that has no result and ends a turn. `hasReply`: a reply is behind that row. */
function openCallsSince(
  rows: RowTable,
  history: History,
  answered: BitSet,
  endsTurn: (row: number, hasReply: boolean) => boolean,
): Set<number> {
  const open = new Set<number>();
  let hasReply = false;
  for (let at = history.length - 1; at >= 0; at--) {
    const row = history[at] ?? 0;
    const kind = rows.kind(row);
    if (kind === RowKind.user && !rows.has(row, RowFlag.hasToolResult) && endsTurn(row, hasReply)) break;
    if (kind !== RowKind.assistant) continue;
    hasReply = true;
    for (const call of rows.toolUses(row)) if (!answered.has(call)) open.add(call);
  }
  return open;
}

/**
 * Whether the client would continue the turn by itself if it was asked to: without the calls that have no result, the history ends
 * on a result, or on attachments below a row of the user. An API error at the end prevents it if it is older than 6 hours,
 * which is assumed.
 */
function isCutOff(rows: RowTable, history: History, answered: BitSet): boolean {
  const isDropped = (row: number): boolean => rows.has(row, RowFlag.hasToolUse) && !rows.someToolUse(row, answered);
  const contents = new MessageContents(rows, history, isDropped);
  let hasAttachment = false;
  for (let at = history.length - 1; at >= 0; at--) {
    const row = history[at] ?? 0;
    const kind = rows.kind(row);
    if (kind === RowKind.attachment) hasAttachment = true;
    else if (kind === RowKind.user) return hasAttachment || rows.has(row, RowFlag.hasToolResult);
    else if (kind === RowKind.assistant && !isDropped(row) && contents.keeps(row)) return false;
  }
  return hasAttachment;
}

/**
 * Those of `open` that belong to the message with which the history ends. A row that continues an earlier message does not begin
 * another one, unless a prompt is between them, and an API error ends what is before it.
 */
function openCallsOfLastMessage(rows: RowTable, history: History, open: ReadonlySet<number>): Set<number> {
  const contents = new MessageContents(rows, history, () => false);
  /** Messages since the last prompt. */
  const messages = new Set<number>();
  let last = NO_ID;
  let calls = new Set<number>();
  /** The rows of the user, and outputs of commands, since the last message began: whether a result is among them, and a reply followed. */
  let input: { hasResult: boolean; hasReply: boolean } | null = null;
  for (const row of history) {
    const kind = rows.kind(row);
    const isOutput = isCommandOutput(rows.flags(row));
    if (rows.has(row, RowFlag.virtual) && !isOutput) continue;
    if (kind === RowKind.user || isOutput) {
      input ??= { hasResult: false, hasReply: false };
      input.hasResult ||= rows.has(row, RowFlag.hasToolResult);
    }
    if (kind !== RowKind.assistant || !contents.keeps(row)) continue;
    if (rows.has(row, RowFlag.apiError)) {
      last = NO_ID;
      calls = new Set();
      continue;
    }
    if (input?.hasReply === false) {
      if (!input.hasResult) messages.clear();
      input.hasReply = true;
    }
    const message = rows.message(row);
    const isContinued = message !== NO_ID && messages.has(message);
    if (!isContinued) {
      if (message !== NO_ID) messages.add(message);
      last = message;
      calls = new Set();
      input = null;
    }
    if (isContinued && message !== last) continue;
    for (const call of rows.toolUses(row)) if (open.has(call)) calls.add(call);
  }
  return calls;
}
