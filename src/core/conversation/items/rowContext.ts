import type { Branch, ContentBlock } from '../../../protocol/conversation';
import { isJsonObject, type JsonObject, stringField } from '../../util/json';
import { cutText, MAX_UNITS, oneLine, valueText } from './itemText';

/** A row that holds results of calls of the row that is described. */
export interface ResultRow {
  readonly line: number;
  /** Put before the paths of its values: see `valuePath.ts`. */
  readonly pathPrefix: string;
  readonly object: JsonObject;
}

/** What is known of a row beside its JSON. */
export interface RowContext {
  /** 1-based. */
  readonly line: number;
  /** Put before the paths of its values: see `valuePath.ts`. */
  readonly pathPrefix: string;
  readonly isLoaded: boolean | null;
  readonly continues: boolean;
  readonly branches: readonly Branch[];
  readonly moreBranches?: number;
  /** Rows whose results are shown with the calls of this row. */
  readonly results: readonly ResultRow[];
  /** Of a compaction: rows that stand before it in the view. */
  readonly earlierRows: number;
  /** Path of the transcript of the subagent that a call started; either of its ids may be unknown. */
  readonly findSubagent: (toolUseId: string | null, agentId: string | null) => string | null;
  /** Line of the last row of the subagent that a call started, where its rows stand in this transcript. */
  readonly findSidechain: (toolUseId: string) => number | null;
}

/** What is known of a row that stands alone. */
export function bareContext(line: number): RowContext {
  return {
    line,
    pathPrefix: '',
    isLoaded: null,
    continues: false,
    branches: [],
    results: [],
    earlierRows: 0,
    findSubagent: () => null,
    findSidechain: () => null,
  };
}

type Note = Extract<ContentBlock, { readonly kind: 'note' }>;
type Raw = Extract<ContentBlock, { readonly kind: 'raw' }>;

/** A quiet line; `value` is what stands at `path`, and unfolds below it. Left out where the title says all. */
export function noteBlock(title: string, path: string, value?: unknown): Note {
  const body = value === undefined || value === null || value === '' ? null : valueText(value, MAX_UNITS.note);
  return { kind: 'note', title: oneLine(title), path, body };
}

/** A quiet line with a text of ours, which is not cut. */
export function textNote(title: string, path: string, text: string): Note {
  return { kind: 'note', title: oneLine(title), path, body: cutText(text, MAX_UNITS.note) };
}

/** What is not known, as it is. */
export function rawBlock(title: string, path: string, value: unknown): Raw {
  return { kind: 'raw', title: oneLine(title), path, body: valueText(value, MAX_UNITS.raw) };
}

export type ImageBlock = Extract<ContentBlock, { readonly kind: 'image' }>;

export interface ImageSource {
  readonly mediaType: string;
  readonly base64: string;
}

/** Types that a browser shows as a picture, and that hold no script. */
const SHOWN_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/bmp']);

/** `source` of an image block, or `file` of an image attachment; null when it holds no picture that is shown. */
export function readImageSource(source: unknown): ImageSource | null {
  if (!isJsonObject(source)) return null;
  const base64 = stringField(source, 'data') ?? stringField(source, 'base64');
  const mediaType = (stringField(source, 'media_type') ?? stringField(source, 'type'))?.toLowerCase();
  if (base64 === null || mediaType === undefined || !SHOWN_TYPES.has(mediaType)) return null;
  return { mediaType, base64 };
}

/** `path` is that of `source`. Null when it holds no picture that is shown. */
export function describeImage(source: unknown, path: string): ImageBlock | null {
  const image = readImageSource(source);
  if (image === null) return null;
  return { kind: 'image', path, mediaType: image.mediaType, bytes: Math.floor((image.base64.length * 3) / 4) };
}
