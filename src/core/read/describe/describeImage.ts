import type { ContentBlock } from '../../../shared/conversation';
import { isJsonObject, stringField } from '../../claude/json';

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
