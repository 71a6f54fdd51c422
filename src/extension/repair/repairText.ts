import type { RepairOffer } from '../../protocol/channels/conversation';
import type { RepairedPart, RepairProposal, RepairSeam } from '../../protocol/channels/panel';
import type { CountedInfo } from '../../protocol/channels/sessions';
import { memoryText } from '../../protocol/memory';
import type { RepairEdit, RepairFailureReason, SessionRepairResult } from '../../protocol/repair';
import type { Translate } from '../text/translate';
import { type Formats, shortenHome } from '../text/formats';

export interface PlannedSession {
  readonly homeDir: string;
  readonly plan: RepairOffer;
}

/** What the conversation offers for a plan that was made. */
export function repairProposal(session: PlannedSession, formats: Formats, t: Translate): RepairProposal {
  const { result, mendsContent = false } = session.plan;
  if (result.edits.length === 0) return { kind: 'nothing', why: t('Nothing needs a repair.') };
  const changes = result.edits.some(isBranchChoice) ? 'branch' : mendsContent ? 'content' : 'links';
  return {
    kind: 'repair',
    effect: effectSentence(session.plan, changes, formats, t),
    changes,
    notes: [
      ...(mendsContent && result.edits.some(isLink) ? [t('After that, Claude’s API accepts the session again.')] : []),
      ...unloadsSentence(result, formats, t),
      ...(changes === 'links' ? otherVersionsSentence(result, t) : []),
    ],
    change: changeText(session, formats, t),
  };
}

/** The effect of a repair: "Reconnect here: Claude remembers 28 of 28 messages instead of 9." */
function effectSentence(
  { result, memory }: RepairOffer,
  changes: RepairedPart,
  formats: Formats,
  t: Translate,
): string {
  const places = new Set(reconnections(result.edits).map(({ line }) => line)).size;
  const what =
    places === 0
      ? withoutLinks(changes, t)
      : places === 1
        ? t('Reconnect here')
        : t('Reconnect at {0} places', formats.number(places));
  if (memory === null) return `${what}.`;
  const [before, after] = [memory.before.remembered, memory.after.remembered];
  const all = formats.number(memory.after.messages);
  if (memory.after.hasSummary && !memory.before.hasSummary) return summarySentence(what, after, formats, t);
  // Of another branch, as many messages are not the same ones.
  if (changes === 'branch' && after === before)
    return t('{0}: Claude remembers {1} of {2} messages.', what, formats.number(after), all);
  return after === before
    ? t('{0}: Claude remembers {1} of {2} messages, as before.', what, formats.number(after), all)
    : t(
        '{0}: Claude remembers {1} of {2} messages instead of {3}.',
        what,
        formats.number(after),
        all,
        formats.number(before),
      );
}

/** A repair after which Claude has the summary of a compaction, in place of what it has of the messages above that now. */
function summarySentence(what: string, remembered: number, formats: Formats, t: Translate): string {
  if (remembered === 0) return t('{0}: Claude remembers the summary.', what);
  if (remembered === 1) return t('{0}: Claude remembers the summary and the last message.', what);
  return t('{0}: Claude remembers the summary and the last {1} messages.', what, formats.number(remembered));
}

/** What a repair does that links no messages. */
function withoutLinks(changes: RepairedPart, t: Translate): string {
  switch (changes) {
    case 'branch':
      return t('Go on with the newest messages');
    case 'content':
      return t('Make Claude’s API accept the session again');
    case 'links':
      return t('Repair the file');
  }
}

/** It names the message with which Claude goes on. */
function isBranchChoice({ field }: RepairEdit): boolean {
  return field === 'leafUuid';
}

function isLink({ field, uuid }: RepairEdit): boolean {
  return field === 'parentUuid' && uuid !== null;
}

/**
 * The links that lead to a message afterwards. A first message, which then names none, is where nothing was torn; it is one of them only if
 * nothing else is linked.
 */
function reconnections(edits: readonly RepairEdit[]): readonly RepairEdit[] {
  const links = edits.filter(isLink);
  const leading = links.filter(({ to }) => to !== null);
  return leading.length === 0 ? links : leading;
}

/** Which messages the repair takes away; empty if it takes none. */
function unloadsSentence({ unloads = [] }: SessionRepairResult, formats: Formats, t: Translate): string[] {
  const [first, ...others] = unloads.map((line) => formats.number(line));
  if (first === undefined) return [];
  if (others.length === 0) return [t('Claude will forget the message on line {0}, which it remembers now.', first)];
  return [t('Claude will forget the messages on lines {0}, which it remembers now.', [first, ...others].join(', '))];
}

function otherVersionsSentence({ resumeBefore, resumeAfter }: SessionRepairResult, t: Translate): string[] {
  if (resumeBefore.loads !== resumeAfter.loads) return [];
  return [t('Other versions of Claude Code lose messages of the transcript as it is.')];
}

/** Maximum number of messages that a repair is shown at; the last ones are kept. */
const MAX_SEAM_LINES = 500;

/**
 * Where the conversation shows a repair that was done: at the messages that were linked, and at what a line holds that was cleaned.
 * A repair of contents, which can insert messages, is shown above the conversation.
 */
export function seamOf({ edits }: Pick<SessionRepairResult, 'edits'>): RepairSeam {
  const isInserted = ({ field, from }: RepairEdit): boolean => field === 'line' && from === null;
  if (edits.some(isInserted)) return { lines: [] };
  const reconnected = new Set(reconnections(edits));
  const lines = new Set<number>();
  /** Lines that were split so far. */
  let split = 0;
  for (const edit of edits.toSorted((one, other) => one.line - other.line)) {
    const line = edit.line + split;
    if (reconnected.has(edit)) lines.add(line);
    if (edit.field !== 'line') continue;
    const added = (edit.linesLeft ?? 1) - 1;
    // The first message of a line that was split was read before, too.
    lines.add(added === 0 ? line : line + 1);
    split += added;
  }
  return { lines: [...lines].sort((one, other) => one - other).slice(-MAX_SEAM_LINES) };
}

/** What Claude remembers of a session, in a sentence. */
export function memoryNow(counted: CountedInfo, formats: Formats, t: Translate): string {
  const { info, losesMessages = false } = counted;
  return `${memoryText({ ...counted, messages: info.messages, losesMessages }, formats, t)}.`;
}

/** A glued row can hold megabytes, so longer values are truncated. */
const MAX_VALUE_CHARACTERS = 160;
const WRAP_COLUMN = 76;

/** Maximum number of edits that are shown. */
const MAX_SHOWN_EDITS = 300;

/** The plan in the style of a diff: removed values begin with `-`, added values with `+`. */
function changeText({ homeDir, plan: { result } }: PlannedSession, formats: Formats, t: Translate): string {
  const edits = result.edits.length;
  const lines = [
    edits === 1
      ? t('1 edit. No other byte of the file changes.')
      : t('{0} edits. No other byte of the file changes.', formats.number(edits)),
  ];
  for (const edit of result.edits.slice(0, MAX_SHOWN_EDITS)) lines.push('', ...editLines(edit, formats, t));
  if (edits > MAX_SHOWN_EDITS) {
    const command = `rethread repair --dry-run ${result.sessionId}`;
    lines.push('', t('{0} more edits: “{1}” shows all of them.', formats.number(edits - MAX_SHOWN_EDITS), command));
  }
  const kept = t('A backup is kept next to the transcript.');
  lines.push('', kept, shortenHome(result.filePath, homeDir));
  return lines.join('\n');
}

function editLines(edit: RepairEdit, formats: Formats, t: Translate): string[] {
  const line = formats.number(edit.line);
  const place = edit.uuid === null ? t('Line {0}', line) : t('Line {0}, message {1}', line, edit.uuid);
  return [
    `@@ ${place} @@`,
    ...wrap(edit.why).map((text) => `  ${text}`),
    `- ${edit.field}: ${valueText(edit.from, t)}`,
    `+ ${edit.field}: ${valueText(edit.to, t)}`,
  ];
}

function valueText(value: unknown, t: Translate): string {
  // `JSON.stringify(undefined)` returns undefined, which its type does not say.
  const text = (JSON.stringify(value) as string | undefined) ?? t('(none)');
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text;
}

function wrap(sentence: string): string[] {
  const lines: string[] = [];
  for (const word of sentence.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= WRAP_COLUMN) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** One sentence why a repair or its undo did not happen, followed by advice if there is any. */
export function failureMessage(reason: RepairFailureReason, t: Translate): string {
  switch (reason) {
    case 'live':
      return t('Claude Code is still running this session. End it there first.');
    case 'maybe-live':
      return t('Claude Code may still be running this session, so it was left as it is.');
    case 'declined':
      return t('You undid a repair of this session, so it is not repaired by itself.');
    case 'locked':
      return t('Another window is repairing this session.');
    case 'changed-while-repairing':
      return t('The transcript changed during the repair, so it was left as it is. Try again.');
    case 'changed-since-repair':
      return t('The transcript was changed since the repair, so the backup was not put back.');
    case 'read-only':
      return t('The transcript or its folder cannot be written to.');
    case 'no-space':
      return t('There is not enough space left on the disk. The transcript was left as it is.');
    case 'unreadable':
      return t('The transcript cannot be read.');
    case 'missing':
      return t('The transcript is gone.');
    case 'not-a-file':
      return t('The transcript is not a file.');
    case 'symlink':
      return t('The transcript is a symbolic link. Repair the file that it points to.');
    case 'no-backup':
      return t('There is no backup to put back.');
    case 'not-repairable':
      return t('Nothing in this session can be repaired without losing something.');
    case 'write-failed':
      return t('The transcript could not be written. It was left as it is.');
  }
}

/** The engine's own sentence, in the log, names files that the message omits. */
export function isLogWorthReading(reason: RepairFailureReason): boolean {
  return ['maybe-live', 'changed-since-repair', 'read-only', 'unreadable', 'not-repairable', 'write-failed'].includes(
    reason,
  );
}
