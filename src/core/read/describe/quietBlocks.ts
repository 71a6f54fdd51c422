import type { ContentBlock } from '../../../shared/conversation';
import { cutText, MAX_UNITS, oneLine } from './cutText';
import { valueText } from './valueText';

type Note = Extract<ContentBlock, { readonly kind: 'note' }>;
type Raw = Extract<ContentBlock, { readonly kind: 'raw' }>;

/** A quiet line; `value` is what stands at `path`, and unfolds below it. Left out where the title says all. */
export function noteBlock(title: string, path: string, value?: unknown): Note {
  const body = value === undefined || value === null || value === '' ? null : valueText(value, MAX_UNITS.note);
  return { kind: 'note', title: oneLine(title), path, body };
}

/** A quiet line with a text of ours, which is not cut. */
export function saidNote(title: string, path: string, text: string): Note {
  return { kind: 'note', title: oneLine(title), path, body: cutText(text, MAX_UNITS.note) };
}

/** What is not known, as it is. */
export function rawBlock(title: string, path: string, value: unknown): Raw {
  return { kind: 'raw', title: oneLine(title), path, body: valueText(value, MAX_UNITS.raw) };
}
