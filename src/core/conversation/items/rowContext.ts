import type { Branch, ContentBlock, ForgottenAs, NoteBlock } from '../../../protocol/conversation';
import { isJsonObject, type JsonObject, stringField } from '../../util/json';
import { cutText, MAX_UNITS, oneLine, valueText } from './itemText';

/** A row with results of calls in the row that is described. */
export interface ResultRow {
  readonly line: number;
  /** Prefix of the paths of its values: see `ValuePath`. */
  readonly pathPrefix: string;
  readonly object: JsonObject;
}

/** What is known about a row besides its JSON. */
export interface RowContext {
  /** 1-based. */
  readonly line: number;
  /** Prefix of the paths of its values: see `ValuePath`. */
  readonly pathPrefix: string;
  readonly isLoaded: boolean | null;
  readonly forgottenAs?: ForgottenAs;
  readonly branches: readonly Branch[];
  readonly moreBranches?: number;
  /** Rows whose results are displayed with the calls of this row. */
  readonly results: readonly ResultRow[];
  /** For a compaction: number of rows before it in the view. */
  readonly earlierRows: number;
  /** Path of the transcript of the subagent that a call started; either id may be unknown. */
  readonly findSubagent: (toolUseId: string | null, agentId: string | null) => string | null;
  /** Line of the last row of the subagent that a call started, if its rows are in this transcript. */
  readonly findSidechain: (toolUseId: string) => number | null;
}

/** The context of a row that is described on its own. */
export function bareContext(line: number): RowContext {
  return {
    line,
    pathPrefix: '',
    isLoaded: null,
    branches: [],
    results: [],
    earlierRows: 0,
    findSubagent: () => null,
    findSidechain: () => null,
  };
}

type Raw = Extract<ContentBlock, { readonly kind: 'raw' }>;

/** An unobtrusive line that expands to `value`, the value at `path`. `value` is omitted if the title is sufficient. */
export function noteBlock(title: string, path: string, value?: unknown): NoteBlock {
  const body = value === undefined || value === null || value === '' ? null : valueText(value, MAX_UNITS.note);
  return { kind: 'note', title: oneLine(title), path, body };
}

/** A note that the client showed to the person. */
export function noteForPerson(title: string, path: string, value?: unknown): NoteBlock {
  return { ...noteBlock(title, path, value), isForPerson: true };
}

/** An unobtrusive line that expands to a text made here instead of the value at `path`. */
export function textNote(title: string, path: string, text: string): NoteBlock {
  return { kind: 'note', title: oneLine(title), path, body: cutText(text, MAX_UNITS.note) };
}

/** An unknown value, displayed raw. */
export function rawBlock(title: string, path: string, value: unknown): Raw {
  return { kind: 'raw', title: oneLine(title), path, body: valueText(value, MAX_UNITS.raw) };
}

export type ImageBlock = Extract<ContentBlock, { readonly kind: 'image' }>;

export interface ImageSource {
  readonly mediaType: string;
  readonly base64: string;
}

/** Types that browsers display as an image and that contain no scripts. */
const SHOWN_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/bmp']);

/** `source` of an image block, or `file` of an image attachment; null if it contains no image that can be displayed. */
export function readImageSource(source: unknown): ImageSource | null {
  if (!isJsonObject(source)) return null;
  const base64 = stringField(source, 'data') ?? stringField(source, 'base64');
  const mediaType = (stringField(source, 'media_type') ?? stringField(source, 'type'))?.toLowerCase();
  if (base64 === null || mediaType === undefined || !SHOWN_TYPES.has(mediaType)) return null;
  return { mediaType, base64 };
}

/** `path` is that of `source`. Null if it contains no image that can be displayed. */
export function describeImage(source: unknown, path: string): ImageBlock | null {
  const image = readImageSource(source);
  if (image === null) return null;
  return { kind: 'image', path, mediaType: image.mediaType, bytes: Math.floor((image.base64.length * 3) / 4) };
}
