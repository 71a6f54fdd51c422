import type { LoadCount, RepairEdit, RepairFailureReason, SessionRepairResult } from '../../protocol/repair';
import type { Translate } from '../text/translate';
import { type Formats, shortenHome } from '../text/formats';

/** The effect of a repair: "Claude will load 28 of 28 messages instead of 9." */
function loadsSentence(before: LoadCount, after: LoadCount, formats: Formats, t: Translate): string {
  const loads = formats.number(after.loads);
  const of = formats.number(after.of);
  if (after.loads !== before.loads) {
    return t('Claude will load {0} of {1} messages instead of {2}.', loads, of, formats.number(before.loads));
  }
  return t('Claude will load {0} of {1} messages, as before.', loads, of);
}

/** Which messages the repair takes away; empty if it takes none. */
function unloadsSentence({ unloads = [] }: SessionRepairResult, formats: Formats, t: Translate): string[] {
  const [first, ...others] = unloads.map((line) => formats.number(line));
  if (first === undefined) return [];
  if (others.length === 0) return [t('Claude will no longer load the message on line {0}, which it loads now.', first)];
  return [
    t('Claude will no longer load the messages on lines {0}, which it loads now.', [first, ...others].join(', ')),
  ];
}

/** The question of the confirmation. */
export function repairQuestion(plan: SessionRepairResult, formats: Formats, t: Translate): string {
  const rows = new Set(plan.edits.map((edit) => edit.line)).size;
  return rows === 1 ? t('Repair 1 row?') : t('Repair {0} rows?', formats.number(rows));
}

/** The details of the confirmation, below the question. */
export function repairExplanation(plan: SessionRepairResult, formats: Formats, t: Translate): string {
  const sentences = [
    loadsSentence(plan.resumeBefore, plan.resumeAfter, formats, t),
    ...unloadsSentence(plan, formats, t),
  ];
  if (plan.resumeBefore.loads === plan.resumeAfter.loads) {
    sentences.push(t('Other versions of Claude Code lose messages of the transcript as it is.'));
  }
  sentences.push(t('A backup is kept next to the transcript.'));
  return sentences.join(' ');
}

export function repairedMessage(after: LoadCount, formats: Formats, t: Translate): string {
  return t('Repaired: Claude will load {0} of {1} messages.', formats.number(after.loads), formats.number(after.of));
}

export function undoneMessage(after: LoadCount, formats: Formats, t: Translate): string {
  return t(
    'The repair was undone: Claude will load {0} of {1} messages.',
    formats.number(after.loads),
    formats.number(after.of),
  );
}

/** The message if there is nothing to repair. */
export function loadsNowMessage(now: LoadCount, formats: Formats, t: Translate): string {
  return t(
    'Nothing needs a repair: Claude will load {0} of {1} messages.',
    formats.number(now.loads),
    formats.number(now.of),
  );
}

/** A glued row can hold megabytes, so longer values are truncated. */
const MAX_VALUE_CHARACTERS = 160;
const WRAP_COLUMN = 76;

export interface RepairPreview {
  readonly title: string;
  readonly homeDir: string;
  readonly plan: SessionRepairResult;
}

/** The plan in the style of a diff: removed values begin with `-`, added values with `+`. */
export function repairPreviewText({ title, homeDir, plan }: RepairPreview, formats: Formats, t: Translate): string {
  const edits = plan.edits.length;
  const lines = [
    t('Repair of “{0}”', title),
    shortenHome(plan.filePath, homeDir),
    '',
    loadsSentence(plan.resumeBefore, plan.resumeAfter, formats, t),
    ...unloadsSentence(plan, formats, t),
    edits === 1 ? t('1 edit. No other byte of the file changes.') : undefined,
    edits > 1 ? t('{0} edits. No other byte of the file changes.', formats.number(edits)) : undefined,
  ].filter((line) => line !== undefined);
  for (const edit of plan.edits) lines.push('', ...editLines(edit, formats, t));
  return `${lines.join('\n')}\n`;
}

function editLines(edit: RepairEdit, formats: Formats, t: Translate): string[] {
  const line = formats.number(edit.line);
  const place = edit.uuid === null ? t('Line {0}', line) : t('Line {0}, row {1}', line, edit.uuid);
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
