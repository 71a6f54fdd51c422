import type { ContentBlock } from '../../../protocol/conversation';
import { cutText, MAX_UNITS, oneLine, partPath } from './itemText';
import { noteBlock, noteForPerson } from './rowContext';

const INTERRUPTED = '[Request interrupted by user]';
/** Written by the client for an interruption while a tool was running. */
const INTERRUPTED_IN_TOOL = '[Request interrupted by user for tool use]';

const TO_CLAUDE = 'Note to Claude';

/** Tags around text that the client writes in the user's name, and the titles for them. */
const WRAPPED: Readonly<Record<string, string>> = {
  'local-command-stdout': 'Command output',
  'local-command-stderr': 'Command output',
  'local-command-caveat': TO_CLAUDE,
  'bash-stdout': 'Command output',
  'bash-stderr': 'Command output',
  'system-reminder': TO_CLAUDE,
  'task-notification': 'Task notification',
  'user-memory-input': 'Memory',
};

/**
 * Describes the text of a user row: what a person typed, or what the client wrote in their name. (docs/format.md, "What
 * rows hold beside messages")
 */
export function describePrompt(text: string, path: string, isMeta: boolean): readonly ContentBlock[] {
  const { notes, end } = editorNotes(text, path);
  if (notes.length === 0) return [describeWords(text, path, isMeta)];
  if (end === text.length) return notes;
  return [...notes, describeWords(text.slice(end), partPath(path, end, text.length), isMeta)];
}

function describeWords(text: string, path: string, isMeta: boolean): ContentBlock {
  const said = text.trim();
  // If more text follows the same words, a person typed them.
  if (said === INTERRUPTED || said === INTERRUPTED_IN_TOOL)
    return { kind: 'interruption', duringTool: said === INTERRUPTED_IN_TOOL };
  const command = commandOf(text);
  if (command !== null) return { kind: 'text', path, body: cutText(command, MAX_UNITS.text) };
  const tag = /^\s{0,100}<([a-z-]{1,40})>/.exec(text)?.[1] ?? '';
  const title = Object.hasOwn(WRAPPED, tag) ? WRAPPED[tag] : undefined;
  if (title !== undefined) {
    const note = title === TO_CLAUDE ? noteBlock : noteForPerson;
    return note(withSummary(title, text), path, text);
  }
  if (isMeta) return noteBlock(TO_CLAUDE, path, text);
  return { kind: 'text', path, body: cutText(text, MAX_UNITS.text) };
}

/** `/name arguments` or `! command` if the prompt ran a command, otherwise null. */
export function commandOf(text: string): string | null {
  // The tags are at the start, in either order.
  if (!/^\s{0,100}<(command-name|command-message|bash-input)>/.test(text)) return null;
  const name = inTag(text, 'command-name');
  if (name !== null) return `${name} ${inTag(text, 'command-args') ?? ''}`.trim();
  const shell = inTag(text, 'bash-input');
  return shell === null ? null : `! ${shell}`;
}

function withSummary(title: string, text: string): string {
  const summary = inTag(text, 'summary');
  return summary === null ? title : `${title}: ${oneLine(summary)}`;
}

function inTag(text: string, tag: string): string | null {
  const start = text.indexOf(`<${tag}>`);
  if (start < 0) return null;
  const from = start + tag.length + 2;
  const end = text.indexOf(`</${tag}>`, from);
  return end < 0 ? null : text.slice(from, end).trim();
}

/** Tags that the client's editor extensions add before what a person typed, in a separate block or in the same text. */
const TITLES: Readonly<Record<string, string>> = {
  ide_opened_file: 'Open in the editor',
  ide_selection: 'Selected in the editor',
  ide_diagnostics: 'Problems in the editor',
};
const MAX_TAG_UNITS = 50;

/**
 * The notes that an editor added before a prompt, and where the prompt starts; the end of the text if there is no
 * prompt.
 */
function editorNotes(text: string, path: string): { readonly notes: readonly ContentBlock[]; readonly end: number } {
  const notes: ContentBlock[] = [];
  let end = 0;
  for (;;) {
    const start = end + leadingSpace(text, end);
    const tag = /^<([a-z_]+)>/.exec(text.slice(start, start + MAX_TAG_UNITS))?.[1] ?? '';
    const title = Object.hasOwn(TITLES, tag) ? TITLES[tag] : undefined;
    const closing = title === undefined ? -1 : text.indexOf(`</${tag}>`, start);
    if (title === undefined || closing < 0) break;
    const behind = closing + tag.length + 3;
    notes.push(noteBlock(title, partPath(path, start, behind), text.slice(start, behind)));
    end = behind;
  }
  return { notes, end: notes.length === 0 ? 0 : end + leadingSpace(text, end) };
}

function leadingSpace(text: string, from: number): number {
  const space = /\S/g;
  space.lastIndex = from;
  return (space.exec(text)?.index ?? text.length) - from;
}
