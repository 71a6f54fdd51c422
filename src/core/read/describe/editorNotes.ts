import type { ContentBlock } from '../../../shared/conversation';
import { noteBlock } from './quietBlocks';
import { partPath } from './valuePath';

/** Tags that the client's editor extensions put before what a person typed there: in a block of their own, or in its text. */
const TITLES: Readonly<Record<string, string>> = {
  ide_opened_file: 'Open in the editor',
  ide_selection: 'Selected in the editor',
  ide_diagnostics: 'Problems in the editor',
};
const MAX_TAG_UNITS = 50;

/** What an editor put before the words of a prompt, and where these begin; their end where there are none. */
export function editorNotes(
  text: string,
  path: string,
): { readonly notes: readonly ContentBlock[]; readonly end: number } {
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
