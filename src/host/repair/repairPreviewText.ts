import type { RepairEdit, SessionRepairResult } from '../../shared/repair';
import type { Formats } from '../text/formats';
import { shortenHome } from '../text/paths';
import type { Translate } from '../text/translate';
import { loadsSentence } from './repairText';

/** A glued row can hold megabytes: what is longer is cut. */
const MAX_VALUE_CHARACTERS = 160;
const WRAP_COLUMN = 76;

export interface RepairPreview {
  readonly title: string;
  readonly homeDir: string;
  readonly plan: SessionRepairResult;
}

/** The plan as a text that reads well as a diff: what goes out begins with `-`, what comes in with `+`. */
export function repairPreviewText({ title, homeDir, plan }: RepairPreview, formats: Formats, t: Translate): string {
  const edits = plan.edits.length;
  const lines = [
    t('Repair of “{0}”', title),
    shortenHome(plan.filePath, homeDir),
    '',
    loadsSentence(plan.resumeBefore, plan.resumeAfter, formats, t),
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
  // `undefined` has no JSON; the type of stringify does not say so.
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
